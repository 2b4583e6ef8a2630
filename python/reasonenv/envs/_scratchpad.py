"""Reasoning steps on a scratchpad: how they are shown, when they end, what a verifier receives."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reasonenv import _checks, _native
from reasonenv._answers import has_block, has_box
from reasonenv.envs._hints import NO_HINTS, Hints
from reasonenv.parts import EpisodeState, ProcessJudge, Turn, blame, replaced

_FINAL = re.compile(r"final answer:", re.IGNORECASE)
_VERIFY = re.compile(r"\s*verify:", re.IGNORECASE)


@dataclass(frozen=True)
class TaskVerifier:
    """The task's own verifier."""

    reading: str | None = None
    """Reading of the answer of a `reasonenv.Task`; None: the family's own."""

    def __call__(self, task: Any, text: str) -> Any:
        if self.reading is not None and isinstance(task, _native.Task):
            return task.verify(text, self.reading)  # type: ignore[arg-type]
        return task.verify(text)


@dataclass(frozen=True)
class ShowScratchpad:
    """The question, the scratchpad, the number of steps left and, on request, the task's kind and level."""

    max_steps: int
    kind: bool = False
    level: bool = False
    can_verify: bool = False
    rule: str = ""
    """Additional rule, for the end of the observation."""

    def __call__(self, task: Any, history: Sequence[Turn]) -> str:
        left = self.max_steps - len(history)
        shown = [task.prompt]
        if self.kind:
            shown.append(f"Kind of task: {getattr(task, 'family', None) or 'unknown'}")
        if self.level:
            level = getattr(task, "level", None)
            shown.append(f"Level: {'unknown' if level is None else level}")
        if history:
            lines = (f"{turn.action}\n{turn.reply}" if turn.reply else str(turn.action) for turn in history)
            shown.append("Scratchpad:\n" + "\n".join(lines))
        asks = " A step that begins with `verify:` asks whether the answer after it is right."
        shown.append(
            f"Steps left: {left}. Write the next step of your reasoning, or end with `final answer:` and the "
            f"answer.{asks if self.can_verify else ''}{self.rule and f' {self.rule}'}"
        )
        return "\n\n".join(shown)


@dataclass(frozen=True)
class AppendStep:
    """Appends a step to the scratchpad.

    `process_judge` scores the reasoning steps so far. `verify`, if given, answers steps that begin
    with "verify:"; they don't count as reasoning, and are neither scored nor part of the verified text. Nor
    are those that ask for one of the `hints`.
    """

    process_judge: ProcessJudge | None = None
    verify: Callable[[Any, str], _native.Verdict] | None = None
    hints: Hints = NO_HINTS

    def begin(self, state: EpisodeState, steps: Sequence[str]) -> EpisodeState:
        """The state after steps that were taken before the policy's first, in one."""
        pad = "\n".join(steps)
        after = state.add(pad, text=pad, scratchpad=f"{pad}\n", steps=tuple(steps))
        return self._scored(after)

    def __call__(self, state: EpisodeState, action: str) -> EpisodeState:
        hinted = self.hints.answered(state, action)
        if hinted is not None:
            return hinted
        asked = _VERIFY.match(action) if self.verify is not None else None
        if asked is not None and self.verify is not None:
            verdict = self.verify(state.task, _framed(state.task, action[asked.end() :].strip()))
            labels = f" ({', '.join(verdict.failures)})" if verdict.failures else ""
            reply = "The verifier says: " + ("right." if verdict.passed else f"wrong{labels}.")
            return state.add(action, reply, text=state.text, asked=state.memory.get("asked", 0) + 1)
        pad = state.memory.get("scratchpad", "")
        steps = state.memory.get("steps", ())
        if reasoning := _FINAL.split(action, maxsplit=1)[0].strip():
            steps = (*steps, reasoning)
        after = state.add(
            action,
            text=judged_text(state.task, pad, action),
            scratchpad=f"{pad}{action}\n",
            steps=tuple(steps),
        )
        return self._scored(after)

    def _scored(self, after: EpisodeState) -> EpisodeState:
        if self.process_judge is None:
            return after
        scores, true = scored(self.process_judge, after.task, list(after.memory["steps"]))
        memory = after.memory if true is None else {**after.memory, "true_steps": true}
        return replaced(after, process_scores=scores, memory=memory)


def scored(
    judge: ProcessJudge, task: Any, steps: Sequence[str]
) -> tuple[tuple[float, ...] | None, tuple[bool, ...] | None]:
    """Scores of a process judge for reasoning steps, and which of them are true, if it gives verdicts.

    Both are None if it doesn't judge this task.

    Raises:
        InvalidArgument: It didn't return a verdict or a score in [0, 1] for each.
    """
    try:
        given = judge(task, steps)
    except Exception as error:
        blame(error, "process_judge", task)
        raise
    if given is None:
        return None, None
    if type(given) is list and len(given) == len(steps):
        if given and all(type(one) is _native.StepVerdict for one in given):
            return tuple(one.progress for one in given), tuple(one.holds for one in given)
        if all(map(_is_score, given)):
            return tuple(given), None
    if not isinstance(given, Sequence | np.ndarray) or len(given) != len(steps):
        must = f"must give a score for each of {len(steps)} steps"
        msg = f"`process_judge` gave {_checks.shown(given)}, but {must}"
        raise _native.InvalidArgument(msg)
    return tuple(_checks.number(f"process_judge[{i}]", score, 0, 1) for i, score in enumerate(given)), None


def _is_score(given: object) -> bool:
    return type(given) is float and 0.0 <= given <= 1.0


def family_steps(task: Any, steps: Sequence[str]) -> list[_native.StepVerdict] | None:
    """Verdicts of the task's family on the steps; None if it does not check steps."""
    try:
        verdicts: list[_native.StepVerdict] = task.verify_steps(list(steps))
        return verdicts
    except (AttributeError, _native.Unsupported):
        return None


def says_final_answer(state: EpisodeState) -> bool:
    """True if the last step holds a final answer: "final answer:" in any case, or the answer's own form."""
    last = state.last
    if not isinstance(last, str):
        return False
    asked = state.memory.get("asked") or state.memory.get("hint_requests")
    if asked and state.history[-1].reply:
        return False
    return _FINAL.search(last) is not None or _has_answer(state.task, state.text)


def judged_text(task: Any, pad: str, step: str) -> str:
    """The scratchpad and a step, with its final answer in the form that the task's verifier reads.

    Equal answers count as one. Different answers are all kept, so that the verifier sees a hedge.
    """
    before, *finals = _FINAL.split(step)
    if not finals:
        return pad + step
    forms = list(dict.fromkeys(_framed(task, answer.strip()) for answer in finals))
    if getattr(task, "answer_alone", False):
        return "\n".join(forms)
    if len(forms) == 1 and getattr(task, "answer_tag", None) is not None:
        before = before.replace(forms[0], "")  # a tag may stand only once
    return "\n".join([(pad + before).rstrip(), *forms]).lstrip("\n")


def _framed(task: Any, answer: str) -> str:
    """An answer in the form that the task's verifier reads."""
    wrap = getattr(task, "wrap", None)
    return answer if wrap is None or _has_answer(task, answer) else str(wrap(answer))


def _has_answer(task: Any, text: str) -> bool:
    """True if a text holds an answer in the task's own form."""
    own = getattr(task, "has_answer", None)
    if own is not None:
        return bool(own(text))
    tag = getattr(task, "answer_tag", None)
    return has_box(text) if tag is None else has_block(tag, text)
