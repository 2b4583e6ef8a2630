"""TRL: a batched reward function, rows for its trainers, and environments whose moves are tools.

    from trl import GRPOTrainer
    from reasonenv.integrations import trl

    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        reward_funcs=trl.VerdictReward(),
        train_dataset=trl.dataset("countdown", 10_000, level=2),
    )

Only `dataset` needs a package, `datasets`, which the extra `trl` brings.
"""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import Parameter, getdoc, signature
from itertools import islice
from typing import Any, get_type_hints

from reasonenv import _checks
from reasonenv._native import Family, InvalidArgument
from reasonenv.data._sources import SourceLike
from reasonenv.envs.wrappers import ToolEnv
from reasonenv.integrations._conversations import DEFAULT_TOOLS, Conversation, is_conversation
from reasonenv.integrations._items import is_problem, needs, pay_all, reward_of, text_of
from reasonenv.integrations._setup import chat, rows
from reasonenv.rewards._presets import RewardLike
from reasonenv.tools import Tool
from reasonenv.tools._registry import ToolLike, tools_of
from reasonenv.types import ReadingName

__all__ = [
    "GameEnvironment",
    "RetryEnvironment",
    "ToolEnvironment",
    "VerdictReward",
    "as_messages",
    "dataset",
    "tool_environment",
]


_NO_PROBLEM = (
    "the data set has no column `problem`, so `VerdictReward` pays none of its rows; "
    "make it by `reasonenv.integrations.trl.dataset`, and keep its columns"
)


class VerdictReward:
    """A reward function for TRL: verifies a batch of completions in one call, in parallel without the GIL.

    It reads the column `problem` and returns None for rows of other data sets, so that it can be combined
    with other rewards; a data set without that column is a warning. Rows of several turns are paid by their
    environment, or by their transcript. It also logs the pass rate and the failure of each completion. It can
    be pickled, as trainers that spawn processes require.

    Args:
        reward: The name of a preset or of a part, weights of parts, or a `Reward`, in place of the rows'.
        reading: Reading of the answers, in place of the rows'.
        stop_tokens: End-of-turn marks of the model.
        name: Name in metrics.

    Raises:
        ReasonEnvError: An argument is invalid.
    """

    def __init__(
        self,
        reward: RewardLike | None = None,
        *,
        reading: ReadingName | None = None,
        stop_tokens: Sequence[str] | None = None,
        name: str = "reasonenv",
    ) -> None:
        self.reward = None if reward is None else reward_of(reward)
        self.reading, self.stop_tokens, self.__name__ = reading, stop_tokens, name
        self._has_warned = False
        pay_all([], [], self.reward, reading, stop_tokens)  # raises for a bad argument before a run starts

    def __call__(
        self,
        completions: Sequence[Any],
        *,
        problem: Sequence[Any] | None = None,
        environments: Sequence[Any] | None = None,
        log_extra: Callable[[str, list[Any]], Any] | None = None,
        log_metric: Callable[[str, float], Any] | None = None,
        **columns: Any,  # noqa: ARG002  TRL passes every column of the data set, and more with each release
    ) -> list[float | None]:
        """Return the reward of each completion, a text or messages; None for rows of other data sets.

        Raises:
            InvalidProblem: A problem of this package is damaged.
        """
        if problem is None and not self._has_warned:
            self._has_warned = True
            warnings.warn(_NO_PROBLEM, stacklevel=2)
        given = [None] * len(completions) if problem is None else problem
        single = [at for at, one in enumerate(given) if is_problem(one)]
        texts = [text_of(completions[at]) for at in single]
        problems = [str(given[at]) for at in single]
        verdicts, paid = pay_all(texts, problems, self.reward, self.reading, self.stop_tokens)
        found: dict[int, tuple[float, bool, str]] = {
            at: (worth, verdict.passed, next(iter(verdict.failures), "failed"))
            for at, verdict, worth in zip(single, verdicts, paid, strict=True)
        }
        for at, one in enumerate(given):
            if at not in found and is_conversation(one):
                talk = self._talked(str(one), completions[at], environments and environments[at])
                passed = talk.is_over and talk.passed
                found[at] = (talk.reward, passed, talk.failure or "failed")
        if log_extra is not None:
            said = {at: "passed" if passed else failure for at, (_, passed, failure) in found.items()}
            log_extra(f"{self.__name__}_verdict", [said.get(at, "") for at in range(len(completions))])
        if log_metric is not None and found:
            log_metric(f"{self.__name__}/pass_rate", sum(one[1] for one in found.values()) / len(found))
        return [found[at][0] if at in found else None for at in range(len(completions))]

    def _talked(self, problem: str, completion: Any, environment: Any) -> Conversation:
        """The conversation of a completion: that of its environment, or its transcript played again."""
        if isinstance(environment, _Environment):
            talk = environment._begun()
            if not talk.is_over and isinstance(talk.env.unwrapped, ToolEnv):
                talk.say(text_of(completion))
            return talk
        messages = (
            [{"role": "assistant", "content": completion}] if isinstance(completion, str) else completion
        )
        return Conversation(problem, reward=self.reward, reading=self.reading).replay(messages)


def as_messages(
    source: str | SourceLike | Iterable[Mapping[str, Any]],
    n: int | None = None,
    *,
    system: str | None = None,
    **settings: Any,
) -> Iterator[dict[str, Any]]:
    """Yield rows with a list of messages as `prompt`, for TRL's trainers.

    Args:
        source: Source of the tasks or the name of a game, as for `reasonenv.integrations.rows`; or rows from
            `rows`, `game_rows` or `conversation_rows`.
        n: Number of rows. None takes all; a generator of tasks is unlimited and needs a number.
        system: System prompt, in place of the rows'.
        **settings: Fields of `Setup`, and options of the environment behind `turns`; rows have theirs.

    Raises:
        InvalidArgument: `source` is neither, or a setting is given with rows.
        ReasonEnvError: As for `rows`.
    """
    return ({**row, "prompt": chat(row, system)} for row in _rows(source, n, settings))


def dataset(
    source: str | SourceLike | Iterable[Mapping[str, Any]],
    n: int | None = None,
    *,
    system: str | None = None,
    **settings: Any,
) -> Any:
    """Make a `datasets.Dataset` of `as_messages`.

    Raises:
        ModuleNotFoundError: The package `datasets` is not installed.
        ReasonEnvError: As for `as_messages`.
    """
    with needs("trl", "datasets"):
        from datasets import Dataset  # noqa: PLC0415  an extra
    return Dataset.from_list(list(as_messages(source, n, system=system, **settings)))


def _rows(source: Any, n: int | None, settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Rows of a source, or rows that are there already."""
    is_source = isinstance(source, str | Family) or hasattr(source, "batch")
    if is_source or (hasattr(source, "__getitem__") and len(source) and not isinstance(source[0], Mapping)):
        return rows(source, n, **settings)
    if settings:
        msg = f"`{min(settings)}` is given, but these are rows, which have their settings; leave it out"
        raise InvalidArgument(msg)
    if not isinstance(source, Iterable):
        raise InvalidArgument(f"`source` is {_checks.shown(source)}, but must be a source of tasks, or rows")
    return map(_row, islice(source, n))


def _row(given: Any) -> Mapping[str, Any]:
    if isinstance(given, Mapping) and {"prompt", "problem"} <= given.keys():
        return given
    msg = f"`source` gives {_checks.shown(given)}, but must give rows with `prompt` and `problem`"
    raise InvalidArgument(msg)


class _Environment:
    """Base of environments for TRL's `environment_factory`; many rollouts reuse and reset one of them."""

    _told = ""
    _episode: Conversation | None = None

    def reset(self, **row: Any) -> str:
        """Start the episode of a row; return the text to append to its prompt."""
        self._episode = Conversation(row.get("problem", ""))
        return f"\n\n{self._told}" if self._told else ""

    def get_reward(self) -> float:
        """Return the reward of the episode so far."""
        return self._begun().reward

    # Not a property, since TRL reads every attribute when it looks for tools.
    def _begun(self) -> Conversation:
        if self._episode is None:
            raise InvalidArgument("no episode has begun; call reset with a row first")
        return self._episode

    def _say(self, answer: str) -> str:
        talk, said = self._begun(), str(answer)
        if talk.is_over:
            # TRL shows the model the message of an exception in a tool.
            raise ValueError("it is over; nothing more can be done")
        # The task asks for tags, so some models write them here, too.
        closing = talk.wrap("\0").partition("\0")[2]
        reply = talk.say(said if closing in said else talk.wrap(said))
        if talk.is_over:
            return "It is over, and you succeeded." if talk.passed else "It is over."
        return reply


class GameEnvironment(_Environment):
    """Games of `game_rows`, or `conversation_rows(…, turns="moves")`, with moves by the tool `move`."""

    _told = "Make each move by calling the tool `move`, without any tags."

    def move(self, move: str) -> str:
        """Makes your next move.

        Args:
            move: The move, written as the rules say, without tags.

        Returns:
            The position at your next turn, or how it ended.
        """
        return self._say(move)


class RetryEnvironment(_Environment):
    """Tasks of `conversation_rows` in several turns, with answers by the tool `answer`."""

    _told = "Give each answer by calling the tool `answer`, without any tags."

    def answer(self, answer: str) -> str:
        """Gives an answer to the task.

        Args:
            answer: The answer alone, in the form that the task asks for, without tags.

        Returns:
            What is said of it, or how it ended.
        """
        return self._say(answer)


def tool_environment(tools: Sequence[ToolLike] = DEFAULT_TOOLS) -> type[Any]:
    """Make the class of an environment for rows with `turns="tools"` and `protocol="openai"`.

    Each tool is a method, as TRL looks for them. The text in which the model calls none is its answer, which
    `VerdictReward` verifies: pass one as `reward_funcs` beside the environment.

    Args:
        tools: The tools, the same as in the rows: names, mappings or functions.

    Raises:
        ReasonEnvError: There is no such tool.
    """
    methods = {name: _method(tool) for name, tool in tools_of(tools).items()}
    return type("ToolEnvironment", (_Environment,), methods | {"__module__": __name__})


def _method(tool: Tool) -> Callable[..., str]:
    """A method that calls a tool within the episode, with the tool's signature and docstring."""

    def call(self: _Environment, **arguments: Any) -> str:
        talk, function = self._begun(), {"name": tool.name, "arguments": json.dumps(arguments)}
        if talk.is_over:
            raise ValueError("it is over; nothing more can be done")
        talk.say({"role": "assistant", "tool_calls": [{"type": "function", "function": function}]})
        return str(talk.replies[-1]["content"]) if talk.replies else "It is over."

    known = signature(tool.function)
    kept = [one for name, one in known.parameters.items() if name != tool.context]
    this = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    call.__name__, call.__qualname__ = tool.name, f"ToolEnvironment.{tool.name}"
    call.__doc__ = _without(getdoc(tool.function) or "", tool.context)
    hints = get_type_hints(tool.function)
    call.__annotations__ = {one.name: hints[one.name] for one in kept} | {"return": str}
    call.__signature__ = known.replace(  # type: ignore[attr-defined]
        parameters=[this, *kept], return_annotation=str
    )
    return call


def _without(doc: str, argument: str | None) -> str:
    """A docstring without the line about an argument."""
    return "\n".join(line for line in doc.splitlines() if not line.strip().startswith(f"{argument}:"))


ToolEnvironment = tool_environment()
"""Environment with the default tools, `calculator` and `notebook`."""
