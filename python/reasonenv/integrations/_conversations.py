"""Conversations: one episode of any kind, made from its problem alone, that any loop can drive."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidTask, Task, game
from reasonenv.data._rows import Row
from reasonenv.envs import DialogueEnv, GameEnv, SolutionEnv, env_id, wrappers
from reasonenv.envs._generators import TaskSampler, generator_of
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.envs.wrappers._dialogue import Dialogue
from reasonenv.integrations._items import (
    GAME_REWARDS,
    content_of,
    is_problem,
    reward_of,
    task_of,
)
from reasonenv.rewards._parts import FORMAT_FAILURES
from reasonenv.rewards._presets import RewardLike
from reasonenv.rewards._weighted import Reward
from reasonenv.tools._registry import ToolLike
from reasonenv.types import ReadingName

Message = dict[str, Any]

_COUNTS = ("invalid_moves", "tool_calls", "tool_errors", "first_passed")
"""Entries of an info that are metrics."""


class Conversation:
    """One episode, made from its problem: messages of the model in, replies and rewards out.

    >>> from reasonenv.integrations import game_rows
    >>> talk = Conversation(next(game_rows("tic_tac_toe", 1))["problem"])
    >>> while not talk.is_over:
    ...     reply = talk.say("a reply of your model's")
    >>> talk.reward  # the penalty of a reply that names no move
    -0.1

    The same problem always starts in the same way, and the same answers get the same replies.

    Args:
        problem: JSON text from a row of `rows`, `game_rows` or `conversation_rows`, or from `item`.
        reward: Reward in place of the problem's.
        reading: Reading in place of the problem's.

    Raises:
        InvalidTask: The text is not such a problem.
        ReasonEnvError: A game, task, tool or option in it does not exist.
    """

    def __init__(
        self, problem: str, *, reward: RewardLike | None = None, reading: ReadingName | None = None
    ) -> None:
        self.env, self._wrap, start, system = environment(problem, reward, reading)
        seen, self.info = self.env.reset(**start)
        self.is_over = False
        self.is_cut = False
        """True if it ended because its turns ran out."""
        self.reward = 0.0
        """Sum of the rewards of all turns so far."""
        self.turn_reward = 0.0
        """Reward of the last turn."""
        self.turns = 0
        """Number of the model's messages so far."""
        self.messages: list[Message] = [] if system is None else [{"role": "system", "content": system}]
        """The conversation in the form of OpenAI's API."""
        self.replies: list[Message] = self._heard(str(seen))
        """Messages since the model's last one, with the role "user" or "tool"; no loss may count them."""
        self.messages += self.replies

    @property
    def passed(self) -> bool:
        """True if the final answer is right, or the game was won."""
        told = self.info.get("passed", self.info.get("result"))
        return bool(told is not None and float(told) > 0)

    @property
    def metrics(self) -> dict[str, float]:
        """Numbers for a trainer's log, the same in every trainer.

        A game has `win`, `draw` and `loss`, a task `passed` and `score`. Both have `format`, the share of
        well-formed messages or 1 for a well-formed answer, counts such as `invalid_moves` and `tool_calls`,
        and `reward/PART` for each part of the reward. An episode that was cut off is a loss.
        """
        parts = self.info.get("reward_parts") or {}
        if isinstance(self.env.unwrapped, GameEnv):
            result = float(self.info.get("result", -1.0)) if self.is_over else 0.0
            results = {"win": result > 0, "draw": self.is_over and result == 0, "loss": result < 0}
            form = parts.get("format", 0.0)
        else:
            results = {"passed": self.is_over and self.passed, "score": self.info.get("score", 0.0)}
            verdict = self.info.get("verdict") or {"failures": FORMAT_FAILURES}
            form = FORMAT_FAILURES.isdisjoint(verdict["failures"]) and not verdict["respelled"]
        counts = {name: self.info[name] for name in _COUNTS if name in self.info}
        paid = {f"reward/{name}": value for name, value in parts.items()}
        return {name: float(one) for name, one in (results | {"format": form} | counts | paid).items()}

    @property
    def failure(self) -> str:
        """Label of what is wrong with the final answer; "" if it passed or was not verified."""
        verdict = self.info.get("verdict") or {}
        return "" if self.passed else next(iter(verdict.get("failures", ())), "")

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """The tools for OpenAI's API, unless the prompt describes them; see the option `protocol`."""
        env: Any = self.env.unwrapped
        return env.tool_schemas if getattr(env, "protocol", "text") == "openai" else []

    @property
    def mask(self) -> list[bool]:
        """True for each of `messages` that the model wrote, which are those that a loss may count."""
        return [message["role"] == "assistant" for message in self.messages]

    def wrap(self, answer: str) -> str:
        """Wrap a bare move or answer as a well-formed reply, for agents that act by tools."""
        return self._wrap(answer)

    def say(self, said: str | Mapping[str, Any]) -> str:
        """Take the model's message; return the text of `replies`, which is "" at the end.

        Args:
            said: Text, or a message of OpenAI's API, whose `tool_calls` count with `turns="tools"`.

        Raises:
            InvalidArgument: The conversation is over, or `said` is neither.
        """
        if self.is_over:
            raise InvalidArgument("the conversation is over; begin another")
        if not isinstance(said, str | Mapping):
            raise InvalidArgument(f"`said` is {_checks.shown(said)}, but must be text or a message")
        calls = isinstance(self.env.unwrapped, wrappers.ToolEnv)
        action = said if isinstance(said, str) or calls else content_of(said.get("content"))
        seen, reward, terminated, truncated, self.info = self.env.step(action)
        self.turn_reward = float(reward)
        self.reward += self.turn_reward
        self.turns += 1
        self.is_over, self.is_cut = terminated or truncated, truncated
        added = self._heard("" if self.is_over else str(seen), action)
        at = 0 if not added or added[0]["role"] != "assistant" else 1
        self.messages += added[:at] or [{"role": "assistant", "content": action}]
        self.replies = [] if self.is_over else added[at:]
        self.messages += self.replies
        return "\n".join(message["content"] for message in self.replies)

    def replay(self, messages: Iterable[Mapping[str, Any]]) -> "Conversation":
        """Say all that an assistant said in a transcript, up to the end, and return itself."""
        for message in messages:
            if message.get("role") == "assistant" and not self.is_over:
                self.say(message)
        return self

    def _heard(self, seen: str, _action: Any = None) -> list[Message]:
        """New messages: those that an environment keeps itself, or else its observation."""
        if isinstance(self.env.unwrapped, Dialogue):
            first = int(bool(self.messages) and self.messages[0]["role"] == "system")
            return list(self.env.unwrapped.messages[len(self.messages) - first :])
        return [{"role": "user", "content": seen}] if seen else []


def environment(
    problem: object, reward: Any = None, reading: ReadingName | None = None
) -> tuple[gymnasium.Env[Any, Any], Callable[[str], str], dict[str, Any], str | None]:
    """Return the environment of a problem, its wrapping of answers, arguments of `reset` and system prompt.

    Raises:
        ReasonEnvError: As for `Conversation`.
    """
    kind, given = _read(problem)
    options = {} if given.get("options") is None else given["options"]
    if not isinstance(options, dict):
        raise InvalidTask(f"`options` is {_checks.shown(options)}, but must be an object")
    reward = given.get("reward") if reward is None else reward
    system = given.get("system")
    if kind == "game":
        seed, episode = (_checks.seed(key, given.get(key)) for key in ("seed", "episode"))
        env = table(str(given.get("game")), options, reward)
        start = {"seed": seed, "options": {"episode": episode}}
        if options.get("instructions") == "info":
            rules = env.unwrapped.instructions  # type: ignore[attr-defined]
            system = rules if system is None else f"{system}\n\n{rules}"
        return env, _move, start, system
    task = task_of(given["task"])
    named = given.get("reading") if reading is None else reading
    made = _of_a_task(kind, task, options, reward_of(reward), named)
    return made, _move if kind == "moves" else task.wrap, {"seed": 0}, system


def is_conversation(value: object) -> bool:
    """True if a value is JSON text with the shape of a problem of several turns."""
    try:
        return _read(value)[0] != "single"
    except InvalidTask:
        return False


def table(name: str, options: Mapping[str, Any], reward: Any = None) -> gymnasium.Env[Any, Any]:
    """Make a game in text whose first message contains the rules."""
    game(name)  # an unknown name raises an error with suggestions
    if options.get("opponent") == "self":
        raise InvalidArgument("`opponent` is 'self', but a conversation has one side; name an opponent")
    text: dict[str, Any] = {"mode": "text", "instructions": "first_message"}
    if isinstance(reward, str) and reward in GAME_REWARDS:
        text["reward"] = reward
    elif reward is not None:
        weights = reward_of(reward, is_game=True).weights
        # In a game's weights a penalty is a negative number.
        text["reward_weights"] = {one: -w if one == "invalid" else w for one, w in weights.items()}
    made: gymnasium.Env[Any, Any] = _called(
        gymnasium.make, env_id(name), disable_env_checker=True, **(text | dict(options))
    )
    return made


def _of_a_task(
    kind: str, task: Task | Row, options: Mapping[str, Any], reward: Reward, reading: ReadingName | None
) -> gymnasium.Env[Any, Any]:
    made: gymnasium.Env[Any, Any]
    sampler = generator_of([task])
    assert isinstance(sampler, TaskSampler), "a list of tasks is sampled from"
    if kind == "moves":
        made = _called(DialogueEnv, sampler, **({"reward": reward, "reading": reading} | dict(options)))
    elif kind == "single":
        made = SolutionEnv(sampler, reward=reward)
        made._verify = TaskVerifier(reading)
    else:
        given = dict(options) | {"verifier": TaskVerifier(reading), "reward": reward}
        if kind == "tools":
            given.setdefault("tools", DEFAULT_TOOLS)
        made = _called(_WRAPPERS[kind], [task], **given)
    return made


DEFAULT_TOOLS: Sequence[ToolLike] = ("calculator", "notebook")
"""Tools of `turns="tools"`, unless others are named."""

_WRAPPERS: Mapping[str, Callable[..., Any]] = {
    "retry": wrappers.retry,
    "double_check": wrappers.double_check,
    "tools": wrappers.tools,
}

_KINDS = ("single", "moves", *_WRAPPERS)

_move: Callable[[str], str] = "<move>{}</move>".format


def _read(problem: object) -> tuple[str, dict[str, Any]]:
    try:
        given = json.loads(problem) if isinstance(problem, str) else None
    except (ValueError, RecursionError):
        given = None
    if isinstance(given, dict):
        kind = given.get("turns")
        if kind == "game" or (kind in list(_KINDS) and isinstance(given.get("task"), str)):
            return str(kind), given
        if is_problem(problem):
            return "single", {"task": problem}
    msg = f"`problem` is {_checks.shown(problem)}, but must be JSON as `rows` gives it"
    raise InvalidTask(msg)


def _called(make: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call with options from a file, which may be wrong."""
    try:
        return make(*args, **options)
    except TypeError as error:
        msg = f"`options` is {_checks.shown(options)}: {error}"
        raise InvalidArgument(msg) from None
