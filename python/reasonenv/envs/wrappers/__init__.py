"""Several turns over any tasks: "are you sure?", attempts with feedback, tools.

>>> from reasonenv.envs import wrappers
>>> env = wrappers.double_check("chain_sum")
>>> prompt, info = env.reset(seed=0)
>>> seen, reward, terminated, truncated, info = env.step("<answer>3</answer>")
>>> terminated, seen.endswith("in the form that was asked for.")
(False, True)
"""

from reasonenv.envs.wrappers.arithmetic import calculator
from reasonenv.envs.wrappers.checking import DoubleCheckEnv, double_check
from reasonenv.envs.wrappers.notes import notebook
from reasonenv.envs.wrappers.programs import interpreter
from reasonenv.envs.wrappers.retrying import RetryEnv, retry
from reasonenv.envs.wrappers.tool import Context, Tool, ToolError, as_tool
from reasonenv.envs.wrappers.tool_use import ToolEnv, tools
from reasonenv.envs.wrappers.wiki import Wiki

__all__ = [
    "Context",
    "DoubleCheckEnv",
    "RetryEnv",
    "Tool",
    "ToolEnv",
    "ToolError",
    "Wiki",
    "as_tool",
    "calculator",
    "double_check",
    "interpreter",
    "notebook",
    "retry",
    "tools",
]
