"""Hints of every kind that a policy asks for: where to look, the next move or tactic, what is checked."""

import re
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from reasonenv.curriculum import with_hint
from reasonenv.envs import Proof, ProofEnv, StepEnv, env_id, wrappers
from reasonenv.envs._hints import next_hint
from reasonenv.errors import InvalidArgument, InvalidState, UnknownName, Unsupported

FAMILIES = reasonenv.list_families()
WITH_HINTS = [name for name in FAMILIES if "abstract" in reasonenv.family(name).hint_kinds]
PLAYED = [name for name in FAMILIES if "moves" in reasonenv.family(name).modes]


def make(name: str, mode: str, **settings: Any) -> Any:
    return gymnasium.make(env_id(name), mode=mode, disable_env_checker=True, **settings).unwrapped


def test_many_families_have_abstract_hints() -> None:
    assert len(WITH_HINTS) >= 20
    assert {"sudoku", "minesweeper", "nonogram", "zebra_puzzle", "prove_horn"} <= set(WITH_HINTS)
    assert reasonenv.family("chain_sum").sample(seed=0, index=0).hints == []


@pytest.mark.parametrize("name", WITH_HINTS)
def test_abstract_hints_are_asked_for_in_order_and_end(name: str) -> None:
    task = reasonenv.family(name).sample(seed=0, index=1, level=1)
    env = make(name, "step", hints=100, hint_kind="abstract", max_steps=200)
    env.reset(options={"task": task})
    shown = []
    for _ in range(100):
        seen, *_ = env.step("hint:")
        reply = seen.rpartition("hint:\n")[2].split("\n")[0]
        if reply == "No more hints.":
            break
        shown.append(reply.removeprefix("Hint: "))
    assert shown == list(dict.fromkeys(task.hints))
    # A step that was said, with its reason or without, needs no hint.
    first = task.solution.steps[0]
    rest = [hint for step, hint in zip(task.solution.steps, task.hints, strict=True) if step != first]
    assert next_hint(task, first, "abstract") == (rest[0] if rest else None)


def test_a_kind_that_a_family_lacks_is_refused_by_name() -> None:
    said = '`hint_kind` is "abstract", but maze has no such hints; it must be "steps"'
    for ask in (
        lambda: make("maze", "step", hints=1, hint_kind="abstract"),
        lambda: make("maze", "moves", hints=1, hint_kind="abstract"),
        lambda: wrappers.retry("maze", hints=1, hint_kind="abstract"),
        lambda: gymnasium.make(
            "reasonenv/Mixture-v1", families=["sudoku", "maze"], mode="step", hints=1, hint_kind="abstract"
        ),
    ):
        with pytest.raises(Unsupported, match=said):
            ask()
    with pytest.raises(Unsupported, match="but sudoku has no such hints"):
        make("sudoku", "step", hints=1, hint_kind="another")
    make("maze", "step", hint_kind="abstract")  # nobody can ask
    with pytest.raises(Unsupported, match="`hints` is 2, but vector environments of moves have none"):
        gymnasium.make_vec(env_id("maze"), num_envs=2, mode="moves", hints=2)
    many = gymnasium.make_vec(env_id("sudoku"), num_envs=2, mode="step", hints=2, hint_kind="abstract")
    assert list(many.reset(seed=0)[1]["hints"]) == [0, 0]
    with pytest.raises(UnknownName, match="hint_kind"):
        wrappers.retry("sudoku", hints=1, hint_kind="concrete")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="hint_kind"):
        make("sudoku", "step", hints=1, hint_kind="concrete")


def test_checklists_and_other_answers() -> None:
    env = wrappers.retry("sudoku", hints=3, hint_kind="checklist")
    env.reset(seed=0)
    seen, reward, *_ = env.step("hint:")
    assert "- a row contains a number twice" in seen
    assert reward == pytest.approx(-0.1)
    seen, reward, *_ = env.step("hint:")
    assert seen.endswith("No more hints.")
    assert reward == 0
    env = wrappers.retry("topological_order", hints=3, hint_kind="another")
    env.reset(seed=0)
    seen, *_ = env.step("hint:")
    other = seen.rpartition("Hint: ")[2]
    assert other != env.task.solution.answer
    assert env.task.verify(env.task.wrap(other)).passed


VERDICTS = ["choose_among", "count_errors", "critique_solution", "first_error_step", "judge_solution"]


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts_that_spell_out_an_answer_are_not_sold(name: str) -> None:
    with pytest.raises(Unsupported, match=f"but {name} has no such hints"):
        wrappers.retry(name, hints=1)
    task = reasonenv.family(name).sample(seed=0, index=0)
    assert next_hint(task, "") is None


def numbers_of(text: str) -> list[str]:
    return re.findall(r"[0-9]+", text)


@pytest.mark.parametrize(
    "name", ["chain_sum", "circuit", "jugs", "knapsack", "program_output", "shortest_path"]
)
def test_nothing_in_the_hints_so_far_passes(name: str) -> None:
    for index in range(20):
        task = reasonenv.family(name).sample(seed=0, index=index, level=1)
        known: list[str] = []
        while (hint := next_hint(task, "\n".join(known))) is not None:
            known.append(f"Hint: {hint}")
            words = " ".join(known).replace("Hint: ", "").split()
            tried = [" ".join(words[i : i + n]).strip(" .,:;") for n in (1, 2, 3) for i in range(len(words))]
            for text in {*tried, *numbers_of(" ".join(words))}:
                assert not task.verify(task.wrap(text)).passed, (task.id, known, text)


@pytest.mark.parametrize(
    "name", [name for name in FAMILIES if "another" in reasonenv.family(name).hint_kinds][::4]
)
def test_an_answer_that_was_bought_earns_nothing(name: str) -> None:
    env = wrappers.retry(name, hints=1, hint_kind="another")
    others: list[str] = []
    for seed in range(50):
        env.reset(seed=seed)
        others = env.task.solutions(2)[1:]
        if others:
            break
    seen, paid, *_ = env.step("hint:")
    assert others[0] in seen
    _, reward, terminated, _, info = env.step(env.task.wrap(others[0]))
    assert (terminated, info["passed"], reward) == (True, True, 0.0)
    assert info["reward_parts"]["bought"] == -sum(
        part for key, part in info["reward_parts"].items() if key != "bought"
    )
    assert paid == pytest.approx(-0.1)
    env.reset(seed=0)
    *_, reward, _, _, info = env.step(env.task.wrap(env.task.solution.answer))
    assert (info["passed"], reward) == (True, 1.0)


@pytest.mark.parametrize(
    ("name", "level"), [("prove_equational", 3), ("prove_horn", 3), ("prove_propositional", 4)]
)
@pytest.mark.parametrize("kind", ["steps", "abstract"])
def test_hints_of_a_proof_lead_on_from_here(name: str, level: int, kind: Any) -> None:
    env = make(name, "proof", hints=9, hint_cost=0.5, hint_kind=kind, level=level)
    assert isinstance(env, ProofEnv)
    seen, info = env.reset(options={"index": 3})
    assert ("`hint:`" in seen, info["hints"]) == (True, 0)
    steps = env.task.solution.steps
    if kind == "steps":
        goals = info["goals"]
        seen, reward, terminated, _, info = env.step("hint: what now?")
        assert f"Hint: {steps[0]}" in seen
        assert (reward, terminated, info["hints"], info["goals"]) == (-0.5, False, 1, goals)
        assert (info["cost"], info["episode_cost"]) == (1.0, 1.0)
    for line in steps[:-1]:
        env.step(line)
    seen, reward, _, _, info = env.step("hint:")
    if kind == "steps":
        assert "No more hints." in seen  # the last line would complete the proof
        assert reward == 0
    else:
        assert f"Hint: {env.proof.hint(steps[-1])}" in seen
        assert reward == -0.5
    *_, terminated, _, info = env.step(steps[-1])
    assert (terminated, info["passed"]) == (True, True)
    assert info["reward_parts"]["correct"] == 1.0


def test_a_hint_off_the_known_proof_is_searched_for() -> None:
    env = make("prove_equational", "proof", hints=9, level=3)
    for index in range(20):
        env.reset(options={"index": index})
        for line in env.proof.candidates():
            after = env.proof.apply(line)
            assert isinstance(after, Proof)
            found = after.search(20_000)
            if line != env.task.solution.steps[0] and found and len(found) > 1:
                env.step(line)
                seen, *_, info = env.step("hint:")
                assert (f"Hint: {found[0]}" in seen, info["hints"]) == (True, 1)
                return
    raise AssertionError("every goal has but one beginning")


def test_goals_that_do_not_follow_have_hints_too() -> None:
    family = reasonenv.family("prove_propositional")
    tasks = (family.sample(seed=0, index=index, level=5) for index in range(100))
    task = next(task for task in tasks if " = " in task.solution.answer)
    for kind in ("steps", "abstract"):
        env = make("prove_propositional", "proof", hints=1, hint_kind=kind)
        env.reset(options={"task": task})
        seen, *_ = env.step("hint:")
        assert f"Hint: {task.solution.steps[0] if kind == 'steps' else task.hints[0]}" in seen


@pytest.mark.parametrize("name", PLAYED)
def test_hinted_moves_solve_the_problem_up_to_the_last(name: str) -> None:
    # At level 0 a single turn may solve the cube.
    env = make(name, "moves", hints=400, hint_cost=0.25, level=2 if name == "pocket_cube" else 0)
    _, info = env.reset(seed=3)
    ask = env.action_space.n - 1
    assert (info["hints"], info["action_mask"][ask], len(info["action_mask"])) == (0, 1, ask + 1)
    asked = 0
    while True:
        seen, reward, terminated, _, info = env.step(np.int64(ask))
        assert not terminated
        assert env.observation_space.contains(seen)
        if info["hint"] is None:
            assert (reward, info["cost"]) == (0, 0)
            break
        asked += 1
        assert (reward, info["cost"], info["hints"], info["invalid"]) == (-0.25, 1.0, asked, False)
        assert env.state.action_name(info["hint_action"]) == info["hint"]
        *_, terminated, _, info = env.step(info["hint_action"])
        assert not terminated
        assert info["episode_cost"] >= asked
    assert asked
    # What is left is the last move.
    for action in env.state.legal_actions():
        play = env.state
        play.apply(action)
        answer = play.answer() if play.is_over else None
        if answer is not None and env.task.verify(env.task.wrap(answer)).passed:
            *_, terminated, _, info = env.step(action)
            assert (terminated, info["passed"], info["hints"]) == (True, True, asked)
            with pytest.raises(ResetNeeded):
                env.step(ask)
            return
    raise AssertionError("no last move passes")


@pytest.mark.parametrize("name", ["maze", "jugs", "tower_of_hanoi"])
def test_a_hinted_move_is_of_a_shortest_way_from_anywhere(name: str) -> None:
    env = make(name, "moves", hints=50, illegal="penalty")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(3):  # off the known way
        env.step(int(rng.choice(env.state.legal_actions())))
    left = []
    for _ in range(40):
        *_, info = env.step(env.action_space.n - 1)
        if info["hint_action"] is None:
            break
        left.append(info["hint_action"])
        env.step(info["hint_action"])
    play = env.state
    assert play.next_move is not None
    play.apply(play.next_move)
    assert play.is_over


def test_a_wrong_number_leaves_no_next_move() -> None:
    env = make("sudoku", "moves", hints=5)
    env.reset(seed=0)
    *_, info = env.step(env.action_space.n - 1)
    right = info["hint_action"]
    wrong = next(a for a in env.state.legal_actions() if a // 4 == right // 4 and a != right)
    env.step(wrong)
    *_, info = env.step(env.action_space.n - 1)
    assert (info["hint"], info["hints"]) == (None, 1)


def test_abstract_hints_in_moves_skip_what_was_done() -> None:
    env = make("sudoku", "moves", hints=9, hint_kind="abstract")
    env.reset(seed=0)
    step, hint = env.task.solution.steps[0], env.task.hints[1]
    env.step(env.state.read_action(step.partition(": ")[0]))
    *_, info = env.step(env.action_space.n - 1)
    assert (info["hint"], info["hint_action"]) == (hint, None)


def test_requests_run_out_and_states_keep_them() -> None:
    env = make("maze", "moves", hints=1, illegal="penalty")
    env.reset(seed=0)
    ask = env.action_space.n - 1
    before, clone = env.get_state(), env.clone()
    env.step(ask)
    assert not env.action_masks()[ask]
    *_, info = env.step(ask)
    assert info["invalid"]
    after = env.get_state()
    env.set_state(before)
    assert env.action_masks()[ask]
    assert clone.step(ask)[4]["hints"] == env.step(ask)[4]["hints"] == 1
    env.set_state(after)
    assert not env.action_masks()[ask]
    with pytest.raises(InvalidState):
        make("maze", "moves").set_state(after)


def test_costs_of_hints_end_episodes_of_moves() -> None:
    env = make("maze", "moves", hints=9, cost_limit=1.5, cost_weights={"hint": 1.0})
    env.reset(seed=0)
    ask = env.action_space.n - 1
    assert not env.step(ask)[2]
    *_, terminated, _, info = env.step(ask)
    assert (terminated, info["passed"], info["episode_cost"]) == (True, False, 2.0)
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    assert not env.step(ask)[2]


def test_environments_with_hints_are_gymnasiums() -> None:
    check_env(make("maze", "moves", hints=2), skip_render_check=True)
    check_env(make("sudoku", "moves", hints=2, hint_kind="abstract"), skip_render_check=True)
    assert isinstance(make("sudoku", "step", hints=2, hint_kind="abstract"), StepEnv)


def test_curricula_show_abstract_hints() -> None:
    task = reasonenv.family("sudoku").sample(seed=0, index=0, level=3)
    hinted = with_hint(task, 0.5, "abstract")
    half = len(task.solution.steps) // 2
    assert hinted.id == f"{task.id}/hint:abstract-0.5"
    assert hinted.key == task.key
    for hint in dict.fromkeys(task.hints[:half]):
        assert hinted.prompt.count(f"- {hint}\n") == 1
    assert task.solution.steps[0] not in hinted.prompt
    assert hinted.verify(hinted.wrap(task.solution.answer)).passed
    assert with_hint(task, 0, "abstract") is task
    with pytest.raises(Unsupported, match="but chain_sum has no such hints"):
        with_hint(reasonenv.family("chain_sum").sample(seed=0, index=0), 1, "abstract")
    with pytest.raises(UnknownName, match="kind"):
        with_hint(task, 0.5, "another")  # type: ignore[arg-type]
