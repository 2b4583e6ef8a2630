"""Several turns over any tasks: "are you sure?", attempts with feedback, tools; costs beside rewards.

>>> from reasonenv.envs import wrappers
>>> env = wrappers.double_check("chain_sum")
>>> prompt, info = env.reset(seed=0)
>>> seen, reward, terminated, truncated, info = env.step("<answer>3</answer>")
>>> terminated, seen.endswith("in the form that was asked for.")
(False, True)
"""

from reasonenv.envs.wrappers._checking import DoubleCheckEnv, double_check
from reasonenv.envs.wrappers._retrying import RetryEnv, retry
from reasonenv.envs.wrappers._safety import SafetyEnv, SafetyVectorEnv
from reasonenv.envs.wrappers._tool_use import ToolEnv, tools

__all__ = [
    "DoubleCheckEnv",
    "RetryEnv",
    "SafetyEnv",
    "SafetyVectorEnv",
    "ToolEnv",
    "double_check",
    "retry",
    "tools",
]
