"""Several turns over any tasks: "are you sure?", attempts with feedback, tools.

>>> from reasonenv.envs import wrappers
>>> env = wrappers.double_check("chain_sum")
>>> prompt, info = env.reset(seed=0)
>>> seen, reward, terminated, truncated, info = env.step("<answer>3</answer>")
>>> terminated, seen.endswith("in the form that was asked for.")
(False, True)
"""

from reasonenv.envs.wrappers._arithmetic import calculator
from reasonenv.envs.wrappers._checking import DoubleCheckEnv, double_check
from reasonenv.envs.wrappers._notes import notebook
from reasonenv.envs.wrappers._programs import interpreter
from reasonenv.envs.wrappers._retrying import RetryEnv, retry
from reasonenv.envs.wrappers._tool import Tool, ToolContext, ToolError, as_tool
from reasonenv.envs.wrappers._tool_use import ToolEnv, tools
from reasonenv.envs.wrappers._wiki import Wiki

__all__ = [
    "DoubleCheckEnv",
    "RetryEnv",
    "Tool",
    "ToolContext",
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
