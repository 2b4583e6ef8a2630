"""The parts of an environment: callables, verdicts, and the rewards that can be measured."""

from collections.abc import Mapping, Sequence
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict
from reasonenv.parts import EpisodeState, RewardFunction, VerifierFunction, as_verdict, blame, named
from reasonenv.rewards._parts import MEASURED
from reasonenv.rewards._presets import resolve
from reasonenv.rewards._process import PAID_BY_STEP, Process, measured_steps
from reasonenv.rewards._weighted import Reward

_COUNTED = ("invalid", "cost", "search")
"""Parts of a reward that transitions count."""

_MEASURED_HERE = ("process", "true_steps", *_COUNTED)
"""Parts of a reward that are measured here."""


class NamedVerifier:
    """A verifier whose errors name it. The same text is not verified twice in a row."""

    def __init__(self, verifier: VerifierFunction) -> None:
        self.verifier = verifier
        self._last: tuple[Any, str, Verdict] | None = None

    def __call__(self, task: Any, text: str) -> Verdict:
        """Verdict of the verifier on a text.

        Raises:
            Exception: Any exception of the verifier, with a note that names it.
            InvalidArgument: It didn't return a verdict.
        """
        if self._last is not None and self._last[0] is task and self._last[1] == text:
            return self._last[2]
        try:
            given = self.verifier(task, text)
        except Exception as error:
            blame(error, "verifier", task)
            raise
        verdict = as_verdict(given, task)
        self._last = (task, text, verdict)
        return verdict


def part_of(name: str, given: Any, default: Any) -> Any:
    """A part: the given one, or the default.

    Raises:
        InvalidArgument: It isn't callable.
    """
    if given is None:
        return default
    _checks.function(name, given, "a callable; reasonenv.parts has its arguments")
    return given


def paying(reward: Any) -> Reward | RewardFunction:
    """Reward of an argument.

    Raises:
        InvalidArgument: It isn't a reward, or has a part that is not measured here.
    """
    if callable(reward) and not isinstance(reward, Reward):
        paying: RewardFunction = reward
        return paying
    found = resolve(reward)
    for name in found.weights:
        if name in MEASURED and name not in _MEASURED_HERE:
            msg = f"`reward` has the part `{name}`, which is not measured here"
            raise InvalidArgument(msg)
    return found


def labelled(verdict: Verdict, labels: Sequence[str]) -> Verdict:
    """A verdict with more labels, if it failed."""
    new = [label for label in labels if label not in verdict.failures]
    if verdict.passed or not new:
        return verdict
    fields = verdict.to_dict()
    fields["failures"] += new
    return as_verdict(fields, None)


def payment(
    reward: Reward | RewardFunction, process: Process, verdict: Verdict, state: EpisodeState
) -> dict[str, float]:
    """Parts of the reward of an episode that came to its end."""
    if isinstance(reward, Reward):
        true = state.memory.get("true_steps") or ()
        measured = {name: float(state.memory.get(name, 0)) for name in _COUNTED}
        measured["process"] = _of_process(state, process)
        measured["true_steps"] = sum(true) / max(1, len(true))
        return reward.parts_of_one(verdict, state.text, **measured)
    with named("reward", state.task):
        given = reward(verdict, state)
    if isinstance(given, Mapping):
        return {str(name): _checks.number(f"reward[{name!r}]", value) for name, value in given.items()}
    return {"reward": _checks.number("reward", given)}


def paid_by_step(reward: Reward | RewardFunction, process: Process, state: EpisodeState) -> float | None:
    """Reward that the steps so far were paid when taken; None if none is paid before the end."""
    if process not in PAID_BY_STEP or not isinstance(reward, Reward):
        return None
    weight = reward.weights.get("process")
    return None if weight is None else weight * _of_process(state, process)


def _of_process(state: EpisodeState, process: Process) -> float:
    """The part `process` of the steps so far."""
    scores = state.process_scores or ()
    return float(measured_steps(scores, state.memory.get("true_steps"), process).sum())
