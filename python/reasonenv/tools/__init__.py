"""Tools that a policy can call: text in, text out, in counted steps or a sandbox.

>>> from reasonenv import tools
>>> tools.list_tools()
['calculator', 'interpreter', 'notebook', 'python', 'search', 'sql', 'wiki']
>>> tools.as_tool("calculator").call({"expression": "1/3 + 1/6"}, tools.ToolContext(task=None))
'1/2 (about 0.5)'

Environments take them by name: `gymnasium.make("reasonenv/ChainSum-v1", mode="tools", tools=["calculator"])`.
"""

from reasonenv.tools._calculator import calculator
from reasonenv.tools._interpreter import interpreter
from reasonenv.tools._notebook import notebook
from reasonenv.tools._registry import ToolName, as_tool, list_tools
from reasonenv.tools._tool import Tool, ToolContext, ToolError
from reasonenv.tools._wiki import Wiki

__all__ = [
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolName",
    "Wiki",
    "as_tool",
    "calculator",
    "interpreter",
    "list_tools",
    "notebook",
]
