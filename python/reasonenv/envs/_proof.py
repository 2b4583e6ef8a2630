"""A goal proved tactic by tactic: the environment behind `mode="proof"`."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from reasonenv import _checks, _native
from reasonenv._native import Proof, Unsupported
from reasonenv._settings import settled, takes
from reasonenv.envs._costs import Costs, Counts, turn_counts
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._hints import NO_HINTS, Hints, known
from reasonenv.envs._reason import ReasonEnv
from reasonenv.envs._reason_parts import NamedVerifier
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.parts import EpisodeState, Turn, replaced
from reasonenv.rewards._presets import RewardLike
from reasonenv.rewards._weighted import Reward

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import ProofKeywords

ProofMode = Literal["proof"]

_COUNTERMODEL = re.compile(r"countermodel *:", re.IGNORECASE)

_MOST_STEPS = 200
"""Maximum number of lines of a proof as an answer."""

_HINT_BUDGET = 20_000
"""Steps of the search for a hint where progress is not measured."""

_OF_VERDICT = frozenset({"correct", "partial"})
"""Parts of a reward that are equal after all proofs of a goal."""


@dataclass(frozen=True)
class ProofTurn(Turn):
    """A turn and the proof after it. In another process it is a plain turn, from which the proof follows."""

    proof: Proof | None = None

    def __reduce__(self) -> tuple[type[Turn], tuple[Any, str]]:
        return Turn, (self.action, self.reply)


def proof_after(task: Any, history: Sequence[Turn]) -> Proof:
    """The proof after the turns of an episode.

    Raises:
        Unsupported: The task asks for no proof.
    """
    at = len(history)
    while at and not isinstance(history[at - 1], ProofTurn):
        at -= 1
    proof = history[at - 1].proof if at else None  # type: ignore[attr-defined]  # the loop ended at a ProofTurn
    if proof is None:
        try:
            proof = Proof(task.problem)
        except (AttributeError, _native.InvalidProblem):
            msg = f"the task {_checks.shown(getattr(task, 'id', task))} asks for no proof"
            raise Unsupported(msg) from None
    for turn in history[at:]:
        after = proof.apply(turn.action.strip())
        proof = after if isinstance(after, Proof) else proof
    return proof


@dataclass(frozen=True)
class ShowGoals:
    """The question, the reply to the last tactic if it did not apply, the open goals, and the steps left."""

    max_steps: int
    rule: str = ""
    """Additional rule, for the end of the observation."""

    def __call__(self, task: Any, history: Sequence[Turn]) -> str:
        proof, reply = proof_after(task, history), history[-1].reply if history else ""
        asks = "Write the next tactic alone, on one line; it is applied to the first goal."
        if proof.is_propositional:
            asks += " If the goal does not follow, write `countermodel:` and a value for every letter."
        left = f"Steps left: {self.max_steps - len(history)}. {asks}{self.rule and f' {self.rule}'}"
        return "\n\n".join(filter(None, [task.prompt, reply, proof.text, left]))


@dataclass(frozen=True)
class ApplyTactic:
    """Applies a tactic to the first open goal, or replies why it doesn't apply.

    Steps are true if they apply and are not `sorry`.
    """

    judge: NamedVerifier
    search_budget: int
    hints: Hints = NO_HINTS

    def __call__(self, state: EpisodeState, action: str) -> EpisodeState:
        hinted = self.hints.answered(state, action, self._hint)
        if hinted is not None:
            return hinted
        task, before = state.task, proof_after(state.task, state.history)
        line, memory = action.strip(), dict(state.memory)
        if before.is_propositional and (found := _COUNTERMODEL.match(line)):
            text, proof, reply, memory["refutes"] = task.wrap(line[found.end() :].strip()), before, "", True
            holds = self.judge(task, text).passed
        else:
            after = before.apply(line) if "\n" not in line else "write one tactic at a time, on one line"
            holds = isinstance(after, Proof) and line != "sorry"
            proof, reply = (after, "") if isinstance(after, Proof) else (before, _refusal(line, after))
            text = task.wrap("\n".join(proof.lines)) if proof.lines else ""
        memory["true_steps"] = (*memory.get("true_steps", ()), holds)
        memory["invalid"] = memory.get("invalid", 0) + (not holds)
        made = replaced(
            state,
            history=(*state.history, ProofTurn(action, reply, proof)),
            text=text,
            memory=memory,
        )
        if not self.search_budget:
            return made
        scores = state.process_scores or ()
        last = scores[-1] if scores else 0.0
        score = self._score(made, proof, last) if holds else last
        return replaced(made, process_scores=(*scores, score))

    def _score(self, state: EpisodeState, proof: Proof, last: float) -> float:
        """Share of the way to the end, by the known proof or a search."""
        if proof.is_proved or state.memory.get("refutes"):
            return 1.0
        known = _distances(state.task.problem, tuple(state.task.solution.steps))
        left = known[proof] if proof in known else proof.distance(self.search_budget)
        whole = max(known.values(), default=0)
        return last if left is None or not whole else max(0.0, (whole - left) / whole)

    def _hint(self, state: EpisodeState) -> str | None:
        """The next line of a proof from here, unless it is the last, or what it does; None if unknown."""
        task, proof = state.task, proof_after(state.task, state.history)
        if self.hints.kind not in ("steps", "abstract"):
            return self.hints.next(task, known(state))
        steps = tuple(task.solution.steps)
        along = _distances(task.problem, steps)
        if not along:  # the goal does not follow: the steps are values
            return self.hints.next(task, known(state))
        if proof in along:
            line = steps[len(steps) - along[proof]]
        else:
            found = proof.search(self.search_budget or _HINT_BUDGET)
            if not found:
                return None
            line = found[0]
        if self.hints.kind == "abstract":
            return proof.hint(line)
        after = proof.apply(line)
        return None if isinstance(after, str) or after.is_over else line


@lru_cache(maxsize=64)
def _distances(problem: str, solution: tuple[str, ...]) -> dict[Proof, int]:
    """Distance of each proof along a solution from its end; none without a proof as solution."""
    along = [Proof(problem)]
    for line in solution:
        after = along[-1].apply(line)
        if isinstance(after, str):
            return {}
        along.append(after)
    return {proof: len(solution) - at for at, proof in enumerate(along)}


def _refusal(line: str, why: str) -> str:
    shown = " ".join(line.split())
    return f"`{shown if len(shown) <= 100 else shown[:97] + '...'}` changed nothing: {why}."


def _has_ended(state: EpisodeState) -> bool:
    return bool(state.memory.get("refutes")) or proof_after(state.task, state.history).is_over


@takes("source", "task", "episode", "proof", "hint", "cost")
class ProofEnv(ReasonEnv):
    """Poses one goal per episode, to be proved by one tactic per action.

    The observation is the question, the open goals with their hypotheses, and the number of steps left. A
    tactic that doesn't apply changes nothing but costs a step, and the observation says why. The episode
    terminates when no goal is open: it passes if every goal was closed, none by `sorry`. Where a goal of
    propositional logic can't be proved, `countermodel: p = true, q = false` ends the episode and is verified
    instead. It is truncated with reward 0 once `max_steps` are spent. The verifier receives the tactics that
    applied, as an answer.

    No action raises; anything but a `str` is an empty line, and of a text with the answer's tag only what is
    in the tag counts. `info` is that of `ReasonEnv` with `goals`, the open goals as JSON, which is the same
    text for the same goals.

    Args:
        family: Name of a task family whose answers are proofs.
        mode: "proof", one tactic per action.
        max_steps: Steps after which an episode is cut off, at most 200.
        params: Params of the family that replace the level's.
        reward: Reward of the episode: the name of a preset, weights of parts (`process` is how much shorter
            the rest of the proof got, `true_steps` the share of tactics that applied, `invalid` the number of
            others), or a `Reward`.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.
        **settings: `reasonenv.types.SourceSettings`, `TaskSettings`, `EpisodeSettings`,
            `CostSettings`, `ProofSettings` and `HintSettings`.

    Raises:
        Unsupported: The family's problems ask for no proof, or have no hints of the kind that is asked for.
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: ProofMode = "proof",
        max_steps: int = 64,
        params: dict[str, Any] | None = None,
        reward: RewardLike = "binary",
        render_mode: str | None = None,
        **settings: "Unpack[ProofKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(ProofMode))
        _checks.whole("max_steps", max_steps, 1, _MOST_STEPS)
        given = {"max_steps": max_steps, **settings}
        known = settled(given, "source", "task", "episode", "proof", "hint", "cost")
        items = items_of(family, params, known)
        if isinstance(family, str):
            modes = _native.family(family).modes
            if "proof" not in modes:
                msg = f"the problems of {family} ask for no proof; its modes are {', '.join(modes)}"
                raise Unsupported(msg)
        judge = NamedVerifier(TaskVerifier(known["reading"] or "strict"))
        self._hints = Hints.of(known)
        self._hints.check(items)
        self.show_tactics: bool = known["show_tactics"]
        self.measures: bool = known["search_budget"] > 0
        super().__init__(
            items,
            state_builder=ShowGoals(known["max_steps"], self._hints.rule("step")),
            verifier=judge.verifier,
            transition=ApplyTactic(judge, known["search_budget"], self._hints),
            stop=_has_ended,
            reward=reward,
            gamma=known["gamma"],
            process=known["process"],
            max_steps=known["max_steps"],
            render_mode=render_mode,
            **Costs(known).settings,
        )

    @property
    def proof(self) -> Proof:
        """The proof in progress.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        return proof_after(self.task, self.state.history)

    def state_key(self) -> Hashable | None:
        """Key of the open goals, the steps and the hints left.

        None if the reward depends on more than the verdict.
        """
        if not isinstance(self.reward, Reward) or self.reward.weights.keys() - _OF_VERDICT:
            return None
        asked = (self.state.memory.get("hint_requests", 0),) if self._hints.most else ()
        return self.proof.to_json(), self.state.steps_left, *asked

    def read_action(self, action: Any) -> str:
        """Tactic of an action: what is in the answer's tag, if there is one."""
        text, tag = super().read_action(action), getattr(self.task, "answer_tag", None)
        _, opening, inside = text.rpartition(f"<{tag}>")
        return inside.partition(f"</{tag}>")[0] if tag is not None and opening else text

    def turn_costs(self, before: EpisodeState, state: EpisodeState) -> Counts:
        """A tactic that doesn't apply is an invalid action, and breaks nothing."""
        return {kind: count for kind, count in turn_counts(before, state).items() if kind != "broken"}

    def turn_info(self, state: EpisodeState) -> dict[str, Any]:
        """The open goals, the number of hints shown and, on request, tactics that are worth trying."""
        proof = proof_after(state.task, state.history)
        info: dict[str, Any] = {"goals": proof.to_json()} | self._hints.info(state)
        return info | {"tactics": proof.candidates()} if self.show_tactics else info
