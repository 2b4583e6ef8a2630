"""Helpers for tests of tools: a call as text, and an environment with tools."""

import json
from typing import Any

from reasonenv.envs import wrappers
from reasonenv.envs.wrappers import ToolEnv


def call(name: str, **arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def make(*tools: Any, over: Any = "chain_sum", **kwargs: Any) -> ToolEnv:
    env = wrappers.tools(over, list(tools) or ["calculator", "notebook"], **kwargs)
    env.reset(seed=0)
    return env
