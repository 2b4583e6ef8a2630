"""Policies answer tasks. A few are built in, to test verifiers and to serve as baselines.

>>> import reasonenv
>>> from reasonenv.rollouts._policies import make_policy
>>> tasks = reasonenv.family("chain_sum").batch(count=100, split="eval")
>>> tasks.verify(make_policy("oracle")(tasks, 0)).passed.mean()
np.float64(1.0)

Any callable of (tasks, rollout) that returns one completion per task is a policy too; its name in tables is
its `name` attribute or the function's own.
"""

import hashlib
import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from reasonenv import _checks
from reasonenv._native import Batch, Game, InvalidArgument, Opponent, State, Task, family
from reasonenv.data._mixed import MixedTasks
from reasonenv.data._rows import Rows
from reasonenv.rollouts import _places
from reasonenv.rollouts._completion import Completion, Context
from reasonenv.rollouts._shortcuts import Shortcut

if TYPE_CHECKING:
    from reasonenv.rollouts._endpoint import Endpoint
    from reasonenv.rollouts._local import LocalModel


@runtime_checkable
class Policy(Protocol):
    """Answers a batch of tasks."""

    def __call__(self, tasks: Sequence[Task], rollout: int, /) -> Sequence[str | Completion]:
        """Return one completion per task, in order.

        Args:
            tasks: The tasks; often a `Batch`, which makes its `prompts` and `answers` in parallel.
            rollout: Number of the rollout of these tasks, from 0; seeds any randomness.
        """


BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "oracle": "the right answer, well formed",
        "noisy:P": "the right answer, broken with probability P the way models break it",
        "best-constant": "one answer for all: the commonest among other items of the same source",
        "echo": "the prompt, repeated",
        "empty": "nothing at all",
        "probe:N": "a reference solver that may take N steps on average: harder tasks it passes more rarely",
        "shortcut:NAME": "a naive policy of the family, such as `lightest-first` of knapsack",
        "game:NAME": "in a game's environment, what an opponent of it would play: minimax, random …",
        "openai:MODEL": "a model behind an endpoint that speaks the OpenAI protocol",
        "hf:PATH": "a model that Transformers runs here: a folder, a GGUF file or a name on the Hub",
        "vllm:PATH": "the same, run by vLLM",
    }
)
"""Policies that `make_policy` knows, each with a description of its answers."""

_NAMES = tuple(name.partition(":")[0] for name in BUILT_IN)


class ContextPolicy(Protocol):
    """Answers many conversations at once: episodes of an environment, or completions behind a prefix."""

    def __call__(self, contexts: Sequence[Context], rollout: int, /) -> Sequence[Any]:
        """Return the next answer in each, in order: text, a `Completion`, or an action other than text."""


class RowPolicy(Protocol):
    """Answers rows."""

    def __call__(self, rows: Rows, rollout: int, /) -> Sequence[str | Completion]:
        """Return one completion per row, in order."""


class TaskPolicy(Protocol):
    """Answers tasks with plain text, as the built-in policies do."""

    def __call__(self, tasks: Sequence[Task], rollout: int, /) -> list[str]:
        """Return one completion per task, in order."""


def named_policy(spec: str, *, seed: int = 0) -> "TaskPolicy | Player | Endpoint | LocalModel":
    """Any policy by name, including those that play games, models behind an endpoint and models here.

    Args:
        spec: One of `BUILT_IN`, or the import path of your own policy, `package.module:attribute`:
            a function, an object, or a class that is instantiated. `openai:MODEL` reads its address and key
            from the environment variables `OPENAI_BASE_URL` and `OPENAI_API_KEY`; NAME in `game:NAME` is what
            `reasonenv.arena.make_policy` takes.
        seed: As `make_policy`.

    Raises:
        ReasonEnvError: As `make_policy`.
    """
    name, colon, rest = _checks.text("policy", spec).partition(":")
    if name == "game" and colon:
        return Player(rest, seed=seed)
    if name == "openai" and colon:
        from reasonenv.rollouts._endpoint import Endpoint  # noqa: PLC0415, an extra

        return Endpoint(rest, seed=seed)
    if name in ("hf", "vllm") and colon:
        from reasonenv.rollouts._local import LocalModel  # noqa: PLC0415, few need it

        return LocalModel(rest, engine="vllm" if name == "vllm" else "hf", seed=seed)
    if name not in _NAMES and _places.is_place(spec):
        return _places.built("policy", spec, _places.imported("policy", spec), {}, {"seed": seed})  # type: ignore[no-any-return]
    return make_policy(spec, seed=seed)


def make_policy(spec: str, *, seed: int = 0) -> TaskPolicy:
    """A built-in policy that answers tasks, by name.

    Args:
        spec: One of `BUILT_IN` except those that play games or are models; P in `noisy:P` is a number
            between 0 and 1, N in `probe:N` a number of at least 1.
        seed: Determines the randomness, together with a task's id and the rollout: 0 .. 2**64 - 1. Neither
            the order of the tasks nor the process matters.

    Raises:
        UnknownName: No policy has this name; suggests the nearest, or lists them all.
        InvalidArgument: A number is missing, unexpected or out of bounds, or `seed` is invalid.
    """
    seed = _checks.seed("seed", seed)
    name, colon, rest = _checks.text("policy", spec).partition(":")
    if name == "noisy":
        return Noisy(
            _number(spec, rest, "P is `{}`, but must be a number between 0 and 1, as in `noisy:0.3`", 0, 1),
            seed=seed,
        )
    if name == "probe":
        steps = _number(
            spec, rest, "N is `{}`, but must be a number of at least 1, as in `probe:8`", 1, math.inf
        )
        return Probe(steps, seed=seed)
    if name == "shortcut" and rest:
        return Shortcut(rest, seed=seed)
    # Made for each call, so that evaluations don't share a fitted policy.
    plain: dict[str, TaskPolicy] = {
        "oracle": oracle,
        "best-constant": BestConstant(),
        "echo": echo,
        "empty": empty,
    }
    if name not in plain:
        raise _checks.unknown("policy", spec, BUILT_IN, _NAMES)
    if colon:
        msg = f"`{spec}`: `{name}` takes no number; write `{name}`"
        raise InvalidArgument(msg)
    return plain[name]


def _number(spec: str, text: str, must: str, least: float, most: float) -> float:
    """Number in a policy's name; `must` states its bounds."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (least <= number <= most and math.isfinite(number)):
        msg = f"`{spec}`: {must.format(text)}"
        raise InvalidArgument(msg)
    return number


def version_of(policy: object) -> str | None:
    """A policy's `version`, if it has one: a model's checkpoint, for instance."""
    version = getattr(policy, "version", None)
    return None if version is None else str(version)


def policy_name(policy: object) -> str:
    """A policy's `name`, else the name of its function or class."""
    name = getattr(policy, "name", None) or getattr(policy, "__name__", None)
    return str(name or type(policy).__name__)


def _wrap(tasks: Sequence[Task], answers: Sequence[str]) -> list[str]:
    """Each answer as a well-formed completion of its task."""
    return [task.wrap(answer) for task, answer in zip(tasks, answers, strict=True)]


def _answers(tasks: Sequence[Task]) -> list[str]:
    if isinstance(tasks, Rows | MixedTasks):
        return tasks.solutions
    return tasks.answers if isinstance(tasks, Batch) else Batch(tasks).answers


def oracle(tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG001
    """The right answer, well-formed."""
    return _wrap(tasks, _answers(tasks))


def echo(tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG001
    """The prompt, repeated."""
    return tasks.prompts if isinstance(tasks, Batch | Rows | MixedTasks) else Batch(tasks).prompts


def empty(tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG001
    """An empty completion."""
    return [""] * len(tasks)


class Noisy:
    """The right answer, replaced with a given probability by one of the family's mutations.

    Args:
        probability: Between 0 (the oracle) and 1 (never right).
        seed: Determines, with the task's id and the rollout, whether and how an answer is broken.

    Raises:
        InvalidArgument: `probability` or `seed` is out of bounds.
    """

    def __init__(self, probability: float, *, seed: int = 0) -> None:
        self.probability = _checks.number("probability", probability, 0, 1)
        self.seed = _checks.seed("seed", seed)
        self.name = f"noisy:{probability:g}"

    def __call__(self, tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:
        """Answer each task, some of them wrong."""
        answers = _answers(tasks)
        for i, task in enumerate(tasks):
            coin, seed, choice = _words("noisy", self.seed, rollout, task.id)
            if coin / 2**64 < self.probability or self.probability == 1:
                wrong = task.wrong_answers(seed=seed)
                answers[i] = wrong[choice % len(wrong)] if wrong else ""
        return _wrap(tasks, answers)

    def __repr__(self) -> str:
        return f"Noisy({self.probability:g}, seed={self.seed})"


class BestConstant:
    """One answer for all: the most common one among other tasks of the same family and params.

    It is fitted on the train split under a fixed seed, once per family and params, on first use.
    Tasks that were posed rather than drawn have no params; they get the constant of level 0.

    Args:
        probe: Number of tasks to look at: 1 to 100,000.

    Raises:
        InvalidArgument: `probe` is out of bounds.
    """

    name = "best-constant"
    _PROBE_SEED = 0xBE57_C057

    def __init__(self, probe: int = 200) -> None:
        self.probe = _checks.whole("probe", probe, 1, 100_000)
        self._fitted: dict[tuple[str, str], str] = {}

    def __call__(self, tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:  # noqa: ARG002
        """Answer every task alike."""
        return _wrap(tasks, [self.answer(task.family, task.params) for task in tasks])

    def answer(self, name: str, params: dict[str, object] | None) -> str:
        """Constant for a family and params."""
        name, params = _checks.text("name", name), _checks.mapping("params", params)
        key = name, json.dumps(params, sort_keys=True)
        if key not in self._fitted:
            seen = family(name).batch(seed=self._PROBE_SEED, count=self.probe, params=params).answers
            # Ties go to the first, so the order of hashes doesn't matter.
            self._fitted[key] = Counter(seen).most_common(1)[0][0]
        return self._fitted[key]

    def __repr__(self) -> str:
        return f"BestConstant(probe={self.probe})"


class Probe:
    """A reference solver with a budget of steps, so that its pass rate depends on the task.

    It works through the true solution. Each rollout gets a budget of steps, drawn from the geometric
    distribution with mean `steps`. It answers right if the solution fits the budget, and otherwise gives
    one of the family's wrong answers. A task whose solution takes n steps is thus
    passed with probability (1 - 1/steps)**n, so several probes measure difficulty without a model.

    Args:
        steps: Average number of steps, at least 1.
        seed: Determines, with the task's id and the rollout, the number of steps.

    Raises:
        InvalidArgument: `steps` or `seed` is out of bounds.
    """

    def __init__(self, steps: float, *, seed: int = 0) -> None:
        self.steps = _checks.number("steps", steps, 1)
        self.seed = _checks.seed("seed", seed)
        self.name = f"probe:{self.steps:g}"

    def __call__(self, tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:
        """Answer each task within its budget."""
        texts = []
        for task in tasks:
            coin, seed, choice = _words("probe", self.seed, rollout, task.id)
            solution = task.solution
            able = self.budget(coin / 2**64)
            shown = solution.steps[:able]
            answer = solution.answer
            if able < len(solution.steps):
                wrong = task.wrong_answers(seed=seed)
                answer = wrong[choice % len(wrong)] if wrong else ""
            if family(task.family).reading == "clean":
                shown = []  # nothing may stand beside the answer
            texts.append("\n".join([*shown, task.wrap(answer)]))
        return texts

    def budget(self, chance: float) -> int:
        """Number of steps, from a number drawn from [0, 1): P(budget >= n) = (1 - 1/steps)**n."""
        if self.steps == 1:
            return 0
        return int(math.log(1 - chance) / math.log1p(-1 / self.steps)) if chance < 1 else 2**31

    def __repr__(self) -> str:
        return f"Probe({self.steps:g}, seed={self.seed})"


def _words(kind: str, seed: int, rollout: int, task_id: str) -> tuple[int, int, int]:
    """Three 64-bit random numbers that depend only on these arguments."""
    key = f"reasonenv/{kind}/{seed}/{rollout}/{task_id}"
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    coin, second, third = (int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16))
    return coin, second, third


class Player:
    """Plays a game's environment as one of the game's opponents would, in numbers or in text.

    If the opponent has a choice, each rollout makes its own.

    Args:
        spec: As for `reasonenv.arena.make_policy`: "minimax", "random", "minimax:0.2" …; or "default",
            each game's default opponent.
        seed: Determines, with the episode, the turn and the rollout, the choice between equal moves.
    """

    def __init__(self, spec: str, *, seed: int = 0) -> None:
        self.spec = _checks.text("spec", spec)
        self.seed = _checks.seed("seed", seed)
        self.name = f"game:{self.spec}"
        self._players: dict[Game, Callable[[State], int]] = {}

    def __call__(self, contexts: Sequence[Context], rollout: int = 0, /) -> list[Any]:
        """One move for each episode."""
        return [self._move(context, rollout) for context in contexts]

    def _move(self, context: Context, rollout: int) -> Any:
        state = getattr(getattr(context.env, "unwrapped", None), "state", None)
        if not isinstance(state, State):
            msg = f"policy `{self.name}` plays games, but {context.id} is not of a game; name another policy"
            raise InvalidArgument(msg)
        if state.game not in self._players:
            from reasonenv.arena._policies import make_policy as make_player  # noqa: PLC0415

            spec = state.game.default_opponent if self.spec == "default" else self.spec
            self._players[state.game] = make_player(state.game, spec)
        player = self._players[state.game]
        if isinstance(player, Opponent):
            coin, _, _ = _words("player", self.seed, rollout, f"{context.id}/{context.turn}")
            chances = sorted(player.distribution(state).items())
            bounds = itertools.accumulate(chance for _, chance in chances)
            reached = (move for (move, _), bound in zip(chances, bounds, strict=True) if coin / 2**64 < bound)
            action = next(reached, chances[-1][0])
        else:
            action = player(state)
        return f"<move>{state.action_name(action)}</move>" if isinstance(context.observation, str) else action

    def __repr__(self) -> str:
        return f"Player({self.spec!r})"


def takes_tasks(policy: object) -> bool:
    """True for a built-in policy that answers tasks."""
    return any(policy is one for one in (oracle, echo, empty)) or isinstance(
        policy, Noisy | BestConstant | Probe
    )


def needs_family(policy: object) -> bool:
    """True for a built-in policy that uses the mutations or solver of a task's family."""
    return isinstance(policy, Noisy | BestConstant | Probe)
