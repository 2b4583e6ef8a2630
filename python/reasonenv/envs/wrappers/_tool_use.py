"""Tools in an episode: the policy calls functions, reads their results, and finally answers."""

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, get_args

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict
from reasonenv.envs.wrappers._dialogue import Dialogue, Keywords, parts_of, transcript
from reasonenv.parts import EpisodeState, RewardFunction, Turn, named
from reasonenv.rewards._presets import RewardLike
from reasonenv.rewards._weighted import Reward
from reasonenv.tools import _calls
from reasonenv.tools._registry import ToolLike, tools_of
from reasonenv.tools._tool import Tool, ToolContext, ToolError

Protocol = Literal["text", "openai"]


class ToolEnv(Dialogue):
    """Answers tool calls until a turn has none, which ends the episode; see `tools`.

    Args:
        generator: As in `ReasonEnv`.
        tools: As in `tools`, and so are the next four.
        max_calls: Maximum number of calls that are answered.
        max_steps: Turns after which an episode is cut off.
        protocol: "text" or "openai".
        reward: Reward of the episode.
        **parts: Other parts of `ReasonEnv`.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """

    tools: Mapping[str, Tool]
    max_calls: int
    protocol: Protocol

    def __init__(
        self,
        generator: object,
        tools: Iterable[ToolLike],
        *,
        max_calls: int = 16,
        max_steps: int = 16,
        protocol: Protocol = "text",
        reward: RewardLike | RewardFunction = "binary",
        **parts: Any,
    ) -> None:
        _checks.one_of("protocol", protocol, get_args(Protocol))
        self.tools = tools_of(tools)
        self.protocol = protocol
        answer = _Answer(self.tools, _checks.whole("max_calls", max_calls, 1, _checks.LARGEST_COUNT))
        self.max_calls = answer.max_calls
        super().__init__(
            generator,
            state_builder=_Show(tuple(self.tools.values()) if protocol == "text" else ()),
            transition=answer,
            stop=answer.is_over,
            max_steps=max_steps,
            reward=reward,
            **parts,
        )
        if isinstance(self.reward, Reward) and "search" in self.reward.weights and "search" not in self.tools:
            msg = (
                f"`reward` has the part `search`, but no tool is called so; there are {', '.join(self.tools)}"
            )
            raise InvalidArgument(msg)

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's API takes them, in its argument `tools`."""
        return [tool.schema for tool in self.tools.values()]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation in the form of OpenAI's API.

        If the protocol is "openai" or the policy gave its calls ids, calls are `tool_calls`, and each result
        is a message with the role "tool" and its `tool_call_id`. Otherwise the policy's text is unchanged,
        and the results follow in `<tool_response>` tags with the role "user", which every chat template and
        endpoint takes.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        said: list[dict[str, Any]] = [{"role": "user", "content": self.opening(self.state)}]
        made, number = self.state.memory.get("made", ()), 0
        for turn, calls in zip(self.state.history, made, strict=False):
            if not calls or (self.protocol == "text" and None in (given for given, *_ in calls)):
                said.append({"role": "assistant", "content": turn.action})
                said += [{"role": "user", "content": turn.reply}] if calls else []
                continue
            written, results = [], []
            for given, name, arguments, result in calls:
                number += 1
                call_id = given or f"call_{number}"
                function = {"name": name, "arguments": arguments}
                written.append({"id": call_id, "type": "function", "function": function})
                results.append({"role": "tool", "tool_call_id": call_id, "content": result})
            text = _calls.split(turn.action)[0].strip()
            said += [{"role": "assistant", "content": text, "tool_calls": written}, *results]
        return said

    def opening(self, state: EpisodeState) -> str:
        """The question and, if calls are text, the tools and how to call them."""
        return _opening(state.task, self.tools.values() if self.protocol == "text" else ())

    def read_action(self, action: Any) -> str:
        """Text of an action: a message of OpenAI's API is written with its calls as text."""
        return _calls.as_text(action) if isinstance(action, Mapping) else super().read_action(action)

    def turn_info(self, state: EpisodeState) -> dict[str, Any]:
        """Numbers of calls made, failed and left."""
        calls = state.memory.get("cost", 0)
        return {
            "tool_calls": calls,
            "tool_errors": state.memory.get("invalid", 0),
            "calls_left": max(0, self.max_calls - calls),
        }

    def outcome_info(self, state: EpisodeState, verdict: Verdict) -> dict[str, Any]:
        """Labels of tool use, whether the answer passed or not, and the number of calls of each tool."""
        counts = {f"calls_{name}": state.memory.get("counts", {}).get(name, 0) for name in self.tools}
        return {"labels": tuple(self.labels(state, verdict))} | counts

    def labels(self, state: EpisodeState, verdict: Verdict) -> Sequence[str]:
        """`tool_misuse` and `premature_stop`, if they apply."""
        found = ["tool_misuse"] if state.memory.get("invalid") else []
        stopped = not state.memory.get("called", False)
        return [*found, "premature_stop"] if stopped and verdict.answer is None else found


@dataclass(frozen=True)
class _Answer:
    """Answers the calls of a turn."""

    tools: Mapping[str, Tool]
    max_calls: int

    def __call__(self, state: EpisodeState, action: str) -> EpisodeState:
        calls = _calls.split(action)[1]
        memory = state.memory
        context = ToolContext(state.task, copy.deepcopy(memory.get("kept", {})))
        cost, invalid, counts = memory.get("cost", 0), memory.get("invalid", 0), {**memory.get("counts", {})}
        made: list[list[Any]] = []
        for at, call in enumerate(calls):
            (call_id, name, arguments), left = call.written(), len(calls) - at
            spent = cost >= self.max_calls
            cost += not spent
            try:
                name, given = call.read()
                arguments = json.dumps(given, ensure_ascii=False)
                if spent:
                    which = f" ({left} calls were not answered)" if left > 1 else ""
                    raise ToolError(f"there are no calls left of {self.max_calls}; give your answer{which}")
                result = self._run(name, given, context)
                counts[name] = counts.get(name, 0) + 1
            except ToolError as error:
                invalid += left if spent else 1
                result = f"error: {error}"
            made.append([call_id, name, arguments, _calls.inert(result)])
            if spent:
                break
        reply = "\n".join(f"<tool_response>\n{result}\n</tool_response>" for *_, result in made)
        return state.add(
            action,
            reply,
            text=action,
            called=bool(calls),
            cost=cost,
            invalid=invalid,
            tool_calls=cost,
            search=bool(counts.get("search")) and not invalid,
            counts=counts,
            kept=context.memory,
            made=[*memory.get("made", ()), made],
        )

    def is_over(self, state: EpisodeState) -> bool:
        return not state.memory["called"]

    def _run(self, name: str, arguments: dict[str, Any], context: ToolContext) -> str:
        tool = self.tools.get(name)
        if tool is None:
            raise ToolError(f"there is no tool {_checks.shown(name)}; there are {', '.join(self.tools)}")
        with named(f"tool {name}", context.task):
            return tool.call(arguments, context)


@dataclass(frozen=True)
class _Show:
    """The conversation, with the tools at its beginning."""

    tools: tuple[Tool, ...]

    def __call__(self, task: Any, history: Sequence[Turn]) -> str:
        question: str = task.prompt
        return _opening(task, self.tools) + transcript(task, history)[len(question) :]


def tools(
    over: object,
    tools: Iterable[ToolLike],
    *,
    max_calls: int = 16,
    max_steps: int = 16,
    protocol: Protocol = "text",
    **keywords: Unpack[Keywords],
) -> ToolEnv:
    """Let the policy call tools; its first turn without a call ends the episode and is verified.

    A call is `<tool_call>{"name": NAME, "arguments": {...}}</tool_call>` in the text, several in a turn if
    necessary, and each is answered in `<tool_response>` tags. An action may also be a message of OpenAI's
    API, a dict with `tool_calls`; such a policy is prompted with `env.tool_schemas` and `env.messages`.
    Calls inside `<think>` blocks are ignored. Results of tools are plain text and never parsed again.

    `info` holds `tool_calls`, `tool_errors` and `calls_left`, at the end also `calls_NAME` of each tool and
    `labels`: `tool_misuse` if a call was malformed, named no tool, had wrong arguments or came after the
    last allowed one; `premature_stop` if the turn without a call held no answer. A failed verdict has them as
    well. In a reward the part `cost` counts calls, `invalid` the failed ones, and `search` is 1 if the tool
    `search` was called and no call failed.

    Args:
        over: A task environment of mode "solution", or any generator that `ReasonEnv` takes.
        tools: Names of `reasonenv.tools.list_tools()`, mappings of such a `name` and its options, or
            functions with types and docstrings, from which their schemas are made. A function that cannot
            handle its arguments raises `ToolError`, whose message is the result. Any other exception is an
            error.
        max_calls: Maximum number of calls that are answered, malformed ones included.
        max_steps: Turns after which an episode is cut off, with reward 0.
        protocol: "text": the question is followed by the tools and how to call them. "openai": it is not.
        **keywords: `verifier`, `reward`, `curriculum`, `logger`, `gamma` and `render_mode`, as in
            `ReasonEnv`.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """
    parts = parts_of(over, keywords)
    return ToolEnv(
        parts.pop("generator"), tools, max_calls=max_calls, max_steps=max_steps, protocol=protocol, **parts
    )


def _opening(task: Any, known: Iterable[Tool]) -> str:
    about = [f"- {json.dumps(tool.schema['function'], ensure_ascii=False)}" for tool in known]
    if not about:
        return str(task.prompt)
    how = 'To call one write <tool_call>{"name": NAME, "arguments": {...}}</tool_call>; it is answered.'
    end = "Write your answer in a turn without a call: that turn is the last one."
    return "\n".join([task.prompt, "", "You have these tools:", *about, f"{how} {end}"])
