"""Several attempts at one task, each with feedback from the verifier on the one before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, cast, get_args

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict
from reasonenv.envs._costs import Counts, answer_counts, turn_counts
from reasonenv.envs._hints import NO_HINTS, HintKind, Hints
from reasonenv.envs._reason_parts import NamedVerifier
from reasonenv.envs.wrappers._dialogue import Dialogue, Keywords, parts_of, transcript
from reasonenv.parts import EpisodeState, Turn, named

Feedback = Literal["verdict", "labels", "detail"]


class RetryEnv(Dialogue):
    """Poses a task again until it is solved or the attempts are spent; see `retry`."""

    _hints = NO_HINTS

    def opening(self, state: EpisodeState) -> str:
        """The prompt, and the rule of hints."""
        return _opening(state.task, self._hints)

    def turn_info(self, state: EpisodeState) -> dict[str, Any]:
        """Number of attempts and hints so far."""
        return {"attempts": _attempts(state)} | self._hints.info(state)

    def turn_costs(self, before: EpisodeState, state: EpisodeState) -> Counts:
        """Costly things in an attempt, as in an answer; or a hint."""
        if _attempts(state) == _attempts(before):
            return turn_counts(before, state)
        return answer_counts(self.judge(state.task, state.text).failures)

    def outcome_info(self, state: EpisodeState, verdict: Verdict) -> dict[str, Any]:
        """`first_passed`: True if the first attempt passed."""
        return {"first_passed": verdict.passed and _attempts(state) == 1}


@dataclass(frozen=True)
class _Attempt:
    judge: NamedVerifier
    attempts: int
    feedback: Feedback | Callable[[Verdict], str]
    hints: Hints

    def __call__(self, state: EpisodeState, action: str) -> EpisodeState:
        hinted = self.hints.answered(state, action)
        if hinted is not None:
            return hinted
        verdict = self.judge(state.task, action)
        before = _attempts(state)
        left = self.attempts - before - 1
        reply = "" if verdict.passed or not left else self._reply(state, verdict, left)
        return state.add(action, reply, text=action, passed=verdict.passed, cost=before)

    def is_over(self, state: EpisodeState) -> bool:
        return bool(state.memory.get("passed")) or _attempts(state) >= self.attempts

    def _reply(self, state: EpisodeState, verdict: Verdict, left: int) -> str:
        if callable(self.feedback):
            with named("feedback", state.task):
                given = self.feedback(verdict)
            if not isinstance(given, str):
                raise InvalidArgument(f"`feedback` gave {_checks.shown(given)}, but must give text")
            return given
        said = "That is not right"
        if self.feedback != "verdict" and verdict.failures:
            said += f" ({', '.join(verdict.failures)})"
        if self.feedback == "detail" and verdict.detail:
            said += f": {verdict.detail}"
        return f"{said}. Try again; attempts left: {left}."


def _attempts(state: EpisodeState) -> int:
    return len(state.history) - int(state.memory.get("hint_requests", 0))


def _opening(task: Any, hints: Hints) -> str:
    return f"{task.prompt}\n\n{hints.rule()}" if hints.most else str(task.prompt)


@dataclass(frozen=True)
class _Transcript:
    hints: Hints

    def __call__(self, task: Any, history: Sequence[Turn]) -> str:
        return transcript(task, history, _opening(task, self.hints))


def retry(
    over: object,
    *,
    attempts: int = 3,
    feedback: Feedback | Callable[[Verdict], str] = "labels",
    hints: int = 0,
    hint_cost: float = 0.1,
    hint_kind: HintKind = "steps",
    **keywords: Unpack[Keywords],
) -> RetryEnv:
    """Pose a task up to `attempts` times, each time with feedback on the previous answer.

    The episode ends with an answer that passes, or with the last attempt, and is rewarded for that one.
    `info` holds `attempts` and, at the end, `first_passed`. To reward early answers more use `gamma`, which
    affects `info["return"]`, or a reward with the part `cost`, which counts the attempts after the first.

    Args:
        over: A task environment of mode "solution", or any generator that `ReasonEnv` takes.
        attempts: Maximum number of attempts.
        feedback: Message after an answer that failed: "verdict": that it failed; "labels": also the labels
            of the failure; "detail": also the verifier's reason, which may give away part of the answer. Or a
            callable that makes the message from the verdict.
        hints: Hints that may be asked for, by messages that begin with "hint:". They are not attempts. A hint
            does not tell the answer, unless it is of the kind "another", which costs all that the episode
            earns; `info["hints"]` counts those shown.
        hint_cost: Taken from the reward for each hint shown.
        hint_kind: "steps": the next step of a right solution; "abstract": which technique applies where;
            "checklist": the mistakes that the verifier looks for; "another": a right answer.
        **keywords: `verifier`, `reward`, `curriculum`, `logger`, `gamma` and `render_mode`, as in
            `ReasonEnv`.

    Raises:
        Unsupported: The family has no hints of the kind that is asked for.
        ReasonEnvError: An argument is invalid; names it.
    """
    attempts = _checks.whole("attempts", attempts, 1, 1000)
    price = _checks.number("hint_cost", hint_cost, 0, 1000)
    offered = Hints(_checks.whole("hints", hints, 0, 1000), price, hint_kind)
    if not callable(feedback):
        _checks.one_of("feedback", feedback, get_args(Feedback))
    parts = parts_of(over, keywords)
    if not callable(parts["verifier"]):
        _checks.function("verifier", parts["verifier"], "a callable of (task, text)")
    attempt = _Attempt(NamedVerifier(cast("Any", parts["verifier"])), attempts, feedback, offered)
    env = RetryEnv(
        **parts,
        state_builder=_Transcript(offered),
        transition=attempt,
        stop=attempt.is_over,
        max_steps=attempts + offered.most,
    )
    offered.check(env.generator)
    env._hints = offered
    # One verifier for both, so that an answer is verified once.
    env.judge = attempt.judge
    return env
