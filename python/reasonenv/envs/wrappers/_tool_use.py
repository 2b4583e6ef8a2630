"""Tools in an episode: the policy calls functions, reads their results, and finally answers."""

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, get_args

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict
from reasonenv.envs.wrappers._dialogue import Dialogue, Keywords, parts_of, transcript
from reasonenv.envs.wrappers._tool import Tool, ToolContext, ToolError, as_tool
from reasonenv.parts import EpisodeState, Turn, named

Protocol = Literal["text", "openai"]

_THOUGHT = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|$)", re.DOTALL)
_LONGEST = 4000
"""Maximum number of characters of a result; longer ones are cut."""


class ToolEnv(Dialogue):
    """Answers tool calls until a turn has none, which ends the episode; see `tools`."""

    tools: Mapping[str, Tool]
    max_calls: int
    protocol: Protocol

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's API takes them, in its argument `tools`."""
        return [tool.schema for tool in self.tools.values()]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation in the form of OpenAI's API.

        Calls and results are separate kinds of messages if the protocol is "openai".

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if self.protocol == "text":
            return super().messages
        said: list[dict[str, Any]] = [{"role": "user", "content": self.opening(self.state)}]
        made, number = self.state.memory.get("made", ()), 0
        for turn, calls in zip(self.state.history, made, strict=False):
            message: dict[str, Any] = {"role": "assistant", "content": _CALL.sub("", turn.action).strip()}
            results = []
            for name, arguments, result in calls:
                number += 1
                function = {"name": name, "arguments": arguments}
                call = {"id": f"call_{number}", "type": "function", "function": function}
                message.setdefault("tool_calls", []).append(call)
                results.append({"role": "tool", "tool_call_id": call["id"], "content": result})
            said += [message, *results]
        return said

    def opening(self, state: EpisodeState) -> str:
        """The question and, if calls are text, the tools and how to call them."""
        return _opening(state.task, self.tools.values() if self.protocol == "text" else ())

    def read_action(self, action: Any) -> str:
        """Text of an action: a message of OpenAI's API is written with its calls as text."""
        if not isinstance(action, Mapping):
            return super().read_action(action)
        content, calls = action.get("content"), action.get("tool_calls")
        said = [content] if isinstance(content, str) and content else []
        for call in calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ():
            function = call.get("function") if isinstance(call, Mapping) else None
            said.append(f"<tool_call>{_as_text(function)}</tool_call>")
        return "\n".join(said)

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
        found = [match[1] for match in _CALL.finditer(_THOUGHT.sub("", action))]
        memory = state.memory
        context = ToolContext(state.task, copy.deepcopy(memory.get("kept", {})))
        cost, invalid, counts = (
            memory.get("cost", 0),
            memory.get("invalid", 0),
            dict(memory.get("counts", {})),
        )
        made = []
        for text in found:
            name, arguments = "", text
            try:
                name, given = _read_call(text)
                arguments = json.dumps(given, ensure_ascii=False)
                if cost >= self.max_calls:
                    raise ToolError(f"there are no calls left of {self.max_calls}; give your answer")
                cost += 1
                result = self._run(name, given, context)
                counts[name] = counts.get(name, 0) + 1
            except ToolError as error:
                invalid += 1
                result = f"error: {error}"
            made.append([name, arguments, _inert(result)])
        reply = "\n".join(f"<tool_response>\n{result}\n</tool_response>" for _, _, result in made)
        return state.add(
            action,
            reply,
            text=action,
            called=bool(found),
            cost=cost,
            invalid=invalid,
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
    tools: Iterable[Callable[..., Any] | Tool],
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
    well. In a reward the part `cost` counts calls, `invalid` the failed ones.

    Args:
        over: A task environment of mode "solution", or any generator that `ReasonEnv` takes.
        tools: Functions with types and docstrings, from which their schemas are made; one that cannot handle
            its arguments raises `ToolError`, whose message is the result. Any other exception is an error.
        max_calls: Maximum number of calls that are answered.
        max_steps: Turns after which an episode is cut off, with reward 0.
        protocol: "text": the question is followed by the tools and how to call them. "openai": it is not.
        **keywords: `verifier`, `reward`, `curriculum`, `logger`, `gamma` and `render_mode`, as in
            `ReasonEnv`.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise InvalidArgument(f"`tools` is {_checks.shown(tools)}, but must be several functions")
    _checks.one_of("protocol", protocol, get_args(Protocol))
    found: dict[str, Tool] = {}
    for given in tools:
        tool = as_tool(given)
        if tool.name in found:
            raise InvalidArgument(f"two tools are called `{tool.name}`; rename one")
        found[tool.name] = tool
    if not found:
        raise InvalidArgument("`tools` is empty, but must have one or more")
    answer = _Answer(found, _checks.whole("max_calls", max_calls, 1, _checks.LARGEST_COUNT))
    env = ToolEnv(
        **parts_of(over, keywords),
        state_builder=_Show(tuple(found.values()) if protocol == "text" else ()),
        transition=answer,
        stop=answer.is_over,
        max_steps=max_steps,
    )
    env.tools, env.max_calls, env.protocol = found, answer.max_calls, protocol
    return env


def _opening(task: Any, known: Iterable[Tool]) -> str:
    about = [f"- {json.dumps(tool.schema['function'], ensure_ascii=False)}" for tool in known]
    if not about:
        return str(task.prompt)
    how = 'To call one write <tool_call>{"name": NAME, "arguments": {...}}</tool_call>; it is answered.'
    end = "Write your answer in a turn without a call: that turn is the last one."
    return "\n".join([task.prompt, "", "You have these tools:", *about, f"{how} {end}"])


def _read_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call.

    Raises:
        ToolError: It isn't a valid call.
    """
    form = 'a call is {"name": NAME, "arguments": {...}}, in JSON'
    try:
        call = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise ToolError(f"this is no JSON; {form}") from None
    name = call.get("name") if isinstance(call, dict) else None
    arguments = call.get("arguments", {}) if isinstance(call, dict) else None
    if isinstance(arguments, str):  # as OpenAI's API writes them
        try:
            arguments = json.loads(arguments, parse_constant=_refused)
        except (ValueError, RecursionError):
            raise ToolError(f"the arguments are no JSON; {form}") from None
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ToolError(form)
    return name, arguments


def _refused(constant: str) -> None:
    raise ValueError(constant)


def _as_text(function: object) -> str:
    try:
        return json.dumps(function, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(type(function).__name__)


def _inert(result: str) -> str:
    """A result that cannot be mistaken for a call or for its own end, and is not too long."""
    shown = result if len(result) <= _LONGEST else result[:_LONGEST] + " [cut]"
    return re.sub(r"<(?=/?tool_)", "&lt;", shown)
