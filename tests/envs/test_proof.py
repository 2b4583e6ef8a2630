"""Goals proved tactic by tactic: rewards, copies, settings, and no reward for a false goal."""

import json
import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import pytest
import reasonenv
from env_checks import copies, equal
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from proof_walks import FALSE, TRUE, line
from reasonenv import envs
from reasonenv.envs import Proof, ProofEnv
from reasonenv.errors import InvalidArgument, InvalidState, UnknownName, Unsupported
from reasonenv.rollouts import Context, Sampling, Tree
from task_envs import FAMILIES, GARBAGE

PROVERS = [name for name in FAMILIES if "proof" in reasonenv.family(name).modes]
LEVELS = {"prove_propositional": 2, "prove_equational": 1, "prove_horn": 1}
"""The first levels whose proofs have several lines."""
every_prover = pytest.mark.parametrize("prover", PROVERS)


def make(prover: str = "prove_equational", **settings: Any) -> ProofEnv:
    env = gymnasium.make(envs.env_id(prover), mode="proof", disable_env_checker=True, **settings).unwrapped
    assert isinstance(env, ProofEnv)
    return env


@dataclass(frozen=True)
class Claim:
    """A task that isn't generated, with a verifier of a few lines."""

    fields: Any
    id = "claim"
    prompt = "Prove it."
    answer_tag = "answer"

    @property
    def problem(self) -> str:
        return json.dumps(self.fields)

    @cached_property
    def solution(self) -> reasonenv.Solution:
        return reasonenv.Solution(Proof(self.problem).search(20_000) or [], "")

    def wrap(self, answer: str) -> str:
        return answer

    def verify(self, text: str) -> reasonenv.Verdict:
        try:
            return reasonenv.Verdict(Proof(self.problem, text.splitlines()).is_proved)
        except InvalidArgument:
            return reasonenv.Verdict(False)


def prove(env: ProofEnv, lines: list[str]) -> tuple[str, float, bool, bool, dict[str, Any]]:
    for said in lines[:-1]:
        _, _, terminated, truncated, _ = env.step(said)
        assert not terminated
        assert not truncated
    return env.step(lines[-1])


def test_there_are_families_of_proofs() -> None:
    assert {"prove_propositional", "prove_equational", "prove_horn"} <= set(PROVERS)


@every_prover
def test_the_checker_passes(prover: str) -> None:
    check_env(make(prover, show_tactics=True), skip_render_check=True)


@every_prover
def test_every_solution_replays(prover: str) -> None:
    for level in range(reasonenv.family(prover).top_level + 1):
        env = make(prover, level=level, reward={"correct": 1, "process": 0.5})
        for seed in range(4):
            env.reset(seed=seed)
            solution = env.task.solution
            *_, is_proof = _distances_of(env)
            lines = solution.answer.splitlines() if is_proof else [f"countermodel: {solution.answer}"]
            _, reward, terminated, _, info = prove(env, lines)
            assert (reward, terminated, info["passed"]) == (1.5, True, True)
            assert info["process_scores"][-1] == 1.0
            assert info["text"] == env.task.wrap(solution.answer)


def _distances_of(env: ProofEnv) -> tuple[Proof, bool]:
    proof = env.proof
    for said in env.task.solution.steps:
        after = proof.apply(said)
        if isinstance(after, str):
            return proof, False
        proof = after
    return proof, proof.is_proved


@pytest.mark.parametrize("fields", FALSE, ids=[one["goal"] for one in FALSE])
def test_no_tactics_prove_a_false_goal(fields: dict[str, Any]) -> None:
    env, draw, applied = make(max_steps=30), random.Random(fields["goal"]), 0
    for _ in range(25):
        env.reset(options={"task": Claim(fields)})
        terminated = truncated = False
        while not (terminated or truncated):
            _, reward, terminated, truncated, info = env.step(line(env.proof, fields, draw))
            assert reward == 0.0
            assert not env.proof.is_proved
        applied += len(env.proof.lines)
        assert not info["passed"]
    assert applied > 60


def test_unprovable_goals_are_refuted() -> None:
    env, draw, found = make("prove_propositional", level=4, max_steps=20), random.Random(0), 0
    for seed in range(40):
        env.reset(seed=seed)
        if _distances_of(env)[1]:
            _, reward, terminated, *_ = env.step(f"countermodel: {_values(env, draw)}")
            assert (reward, terminated) == (0.0, True)
            continue
        found += 1
        fields = json.loads(env.task.problem)
        for _ in range(19):
            _, reward, terminated, _, _ = env.step(line(env.proof, fields, draw))
            assert reward == 0.0
            if terminated:
                env.reset(seed=seed)
        _, reward, terminated, _, info = env.step(f"countermodel: {env.task.solution.answer}")
        assert (reward, terminated, info["passed"]) == (1.0, True, True)
    assert 0 < found < 40


def _values(env: ProofEnv, draw: random.Random) -> str:
    letters = [one.partition(":")[0] for one in json.loads(env.task.problem)["symbols"]]
    return ", ".join(f"{one} = {draw.choice(('true', 'false'))}" for one in letters)


def test_a_line_that_does_not_apply_costs_a_step_and_says_why() -> None:
    env = make(max_steps=3)
    seen, info = env.reset(options={"task": Claim(TRUE[3])})
    assert seen.startswith("Prove it.\n\nGoal 1 of 1\n  |- inv(a) * (a * b) = b\n\nSteps left: 3.")
    goals = info["goals"]
    for said, why in [
        ("rewrite nothing", "`rewrite nothing` changed nothing: there is no rule or hypothesis nothing."),
        ("refl\nrefl", "`refl refl` changed nothing: write one tactic at a time, on one line."),
        ("x" * 5000, "changed nothing: a line may have at most 2000 bytes."),
    ]:
        seen, reward, terminated, truncated, info = env.step(said)
        assert why in seen
        assert info["goals"] == goals
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["verdict"]["failures"] == ["truncated"]
    with pytest.raises(ResetNeeded):
        env.step("refl")


@every_prover
def test_no_text_raises(prover: str) -> None:
    env = make(prover, max_steps=len(GARBAGE) + 4)
    env.reset(seed=3)
    for said in [*GARBAGE, "rewrite <- \ud800 at 1", "have h: " + "(" * 1500, "intro \x00", "apply h1 with"]:
        _, reward, *_ = env.step(said)
        assert reward == 0.0


def test_sorry_ends_without_a_pass() -> None:
    env = make()
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("sorry")
    assert (reward, terminated, info["passed"]) == (0.0, True, False)
    assert "sorry" in info["verdict"]["failures"]


def test_only_what_is_in_the_tag_counts() -> None:
    env = make()
    env.reset(options={"task": Claim(TRUE[3])})
    *_, info = env.step("I turn it round: <answer> rewrite <- assoc at 1 </answer>")
    assert "(inv(a) * a) * b = b" in info["goals"]


def test_a_countermodel_ends_only_propositional_episodes() -> None:
    env = make()
    env.reset(seed=0)
    seen, _, terminated, *_ = env.step("countermodel: a = b")
    assert not terminated
    assert "is not a tactic" in seen


def test_detours_are_not_paid() -> None:
    lines = ["rewrite <- assoc at 1", "rewrite left_inv at 1.1", "rewrite left_id"]
    back = ["rewrite assoc at 1", "rewrite <- assoc at 1"]
    for process in ("progress", "delta", "clip"):
        env = make(reward={"correct": 1, "process": 1}, process=process)
        totals = []
        for detour in ([], back, back * 3, ["have h: a = a", "refl"]):
            env.reset(options={"task": Claim(TRUE[3])})
            total = 0.0
            for said in [lines[0], *detour, *lines[1:]]:
                total += env.step(said)[1]
            totals.append(total)
        assert totals[0] == pytest.approx(2.0)
        assert max(totals) == pytest.approx(2.0)


@every_prover
def test_copies_continue_alike(prover: str) -> None:
    env = make(prover, show_tactics=True, level=LEVELS[prover])
    env.reset(seed=5)
    lines = env.task.solution.steps
    env.step("fly")
    env.step(f" {lines[0]}\n")
    want = [env.fork().step(said) for said in (lines[-1], "fly", "sorry")]
    for made in (*copies(env), env.fork()):
        assert made.proof == env.proof
        assert hash(made.proof) == hash(env.proof)
        got = [made.fork().step(said) for said in (lines[-1], "fly", "sorry")]
        assert all(equal(one, other) for one, other in zip(got, want, strict=True))
    assert env.state.steps_left == 62


def test_damaged_states_are_refused() -> None:
    env = make()
    env.reset(seed=0)
    env.step("fly")
    state = env.get_state()
    for damage in (b"", state[:-5], state.replace(b'"task"', b'"tusk"')):
        with pytest.raises(InvalidState):
            env.set_state(damage)
    env.set_state(state)
    assert env.state.steps_left == 63


def test_it_renders() -> None:
    env = make(render_mode="ansi")
    env.reset(options={"task": Claim(TRUE[3])})
    env.step("rewrite <- assoc at 1")
    shown = env.render()
    assert shown is not None
    assert "|- (inv(a) * a) * b = b" in shown


def test_wrong_settings_are_named() -> None:
    with pytest.raises(Unsupported, match=r"chain_sum ask for no proof; its modes are solution, step"):
        gymnasium.make("reasonenv/ChainSum-v1", mode="proof")
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        (
            {"max_steps": 201},
            InvalidArgument,
            "`max_steps` is 201, but must be between 1 and 200",
        ),
        ({"search_budget": -1}, InvalidArgument, "`search_budget` is -1"),
        ({"show_tactics": 1}, InvalidArgument, "`show_tactics` is 1, but must be True or False"),
        ({"show_level": True}, UnknownName, '`show_level` in mode "proof"; it belongs to mode "step"'),
    ]
    for wrong, kind, match in cases:
        with pytest.raises(kind, match=match):
            make(**wrong)
    with pytest.raises(Unsupported, match="asks for no proof"):
        make().reset(options={"task": reasonenv.family("chain_sum").sample()})


@every_prover
def test_a_tree_searches_tactics_and_keeps_solved_states(prover: str) -> None:
    def goals() -> Any:
        return gymnasium.make(envs.env_id(prover), mode="proof", level=LEVELS[prover], max_steps=24)

    def giving_up(contexts: Any, _rollout: int) -> list[str]:
        return ["sorry" for _ in contexts]

    def nearest(context: Context) -> float:
        left = context.env.unwrapped.proof.distance(20_000)
        return -1.0 if left is None else -left / 50

    tree = Tree(branch_at="moves", width=None, depth=24, budget=60, select="best_first", value=nearest)
    sampling = Sampling(tree=tree)
    result = reasonenv.rollout(goals, giving_up, n=6, group_size=1, sampling=sampling, seed=2)
    assert sum(bool(grown.root.passes) for grown in result.trees) >= 3


@every_prover
def test_a_states_key_is_its_goals_and_steps(prover: str) -> None:
    env, paid = make(prover), make(prover, reward={"correct": 1, "process": 1})
    for made in (env, paid):
        made.reset(seed=0)
    assert env.state_key() == (env.proof.to_json(), 64)
    assert paid.state_key() is None  # its value depends on what was paid before


def test_a_description_says_if_progress_is_measured() -> None:
    found = envs.describe(make())
    assert (found.actions, found.observations, found.horizon) == ("text", "text", 64)
    assert found.process_scores
    assert not envs.describe(make(search_budget=0)).process_scores
