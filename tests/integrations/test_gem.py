"""GEM's and TextArena's contracts: text in, text out; their agents play here, and against ours."""

from collections.abc import Callable
from typing import Any

import gymnasium
import kinds
import pytest
import reasonenv
from gymnasium.error import ResetNeeded
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.integrations import gem, textarena

HOSTILE = ["", "\0", "\ud800", "<move>", "<move>1</move><move>2</move>", "[[[", "x" * 100_000]


@pytest.mark.usefixtures("adder", "race")
@pytest.mark.parametrize("name", [*kinds.FAMILIES, *kinds.GAMES])
def test_every_family_and_game_is_stepped_in_text(name: str) -> None:
    env = gem.make(name)
    prompt, info = env.reset(seed=5)
    assert isinstance(prompt, str)
    assert isinstance(info, dict)
    assert env.reset(seed=5)[0] == prompt
    over, turns = False, 0
    while not over:
        said = HOSTILE[turns % len(HOSTILE)]
        seen, reward, terminated, truncated, info = env.step(said)
        assert isinstance(seen, str)
        assert isinstance(reward, float)
        over, turns = terminated or truncated, turns + 1
    assert reward <= 0.0
    assert isinstance(env.sample_random_action(), str)
    env.close()


def test_a_spawned_environment_goes_its_own_way() -> None:
    env = gem.make("tic_tac_toe", opponent="random")
    env.reset(seed=1)
    twin, other = env.spawn(same_state=True), env.spawn()
    assert twin.get_state() == env.get_state() != other.get_state()
    assert twin.step("<move>4</move>") == env.step("<move>4</move>")
    saved = env.get_state()
    env.step("<move>0</move>")
    env.set_state(saved)
    assert env.get_state() == saved


def test_tasks_and_rows_are_taken_too() -> None:
    rows = reasonenv.from_rows([{"question": "2 + 2?", "answer": "4"}])
    env = gem.make(rows)
    env.reset(seed=0)
    assert env.step("<answer>4</answer>")[1] == 1.0
    task = reasonenv.family("countdown").sample()
    env = gem.make([task])
    assert env.reset(seed=0)[0] == task.prompt
    assert env.step(task.wrap(task.solution.answer))[1] == 1.0
    wrongs: list[dict[str, Any]] = [
        {"level": 3},
        {"split": "eval"},
        {"reading": "strict"},
        {"wrapper": "chat"},
    ]
    for wrong in wrongs:
        with pytest.raises(InvalidArgument, match="nim is a game and has none"):
            gem.make("nim", **wrong)
    with pytest.raises(UnknownName, match="levle"):
        gem.make("countdown", levle=3)


def test_two_agents_finish_every_game_at_a_table(game: str) -> None:
    table = textarena.TextArenaEnv(game)
    table.reset(num_players=2, seed=3)
    with pytest.raises(InvalidArgument, match="not over"):
        table.close()
    told, done = {0: "", 1: ""}, False
    rules = reasonenv.game(game).rules
    while not done:
        player, seen = table.get_observation()
        told[player] = told[player] or seen
        state = table._env.state
        done, info = table.step(f"<move>{state.action_name(state.legal_actions()[-1])}</move>")
        assert isinstance(info, dict)
    rewards, told_last = table.close()
    assert sum(rewards.values()) == 0
    assert [one["invalid_moves"] for one in told_last.values()] == [0, 0]
    assert rules in told[0]
    assert rules in told[1]


def test_a_table_ends_games_of_agents_that_never_move() -> None:
    table = textarena.TextArenaEnv("tic_tac_toe")
    for early in (table.get_observation, lambda: table.step("4")):
        with pytest.raises(ResetNeeded):
            early()
    table.reset(seed=0)
    done, turns = False, 0
    while not done:
        done, _ = table.step("no idea")
        turns += 1
        assert turns < 100
    rewards, info = table.close()
    assert rewards == {0: 0.0, 1: 0.0}
    assert sum(one["invalid_moves"] for one in info.values()) == turns
    with pytest.raises(InvalidArgument, match="num_players"):
        table.reset(num_players=3)


def test_an_agent_is_an_opponent_in_every_game(game: str) -> None:
    seen: list[str] = []

    def agent(text: str) -> str:
        seen.append(text)
        return HOSTILE[len(seen) % len(HOSTILE)]

    for seed in range(3):
        env = gymnasium.make(reasonenv.envs.env_id(game), opponent=textarena.opponent(agent), seat="second")
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            action = int(info["action_mask"].argmax())
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
    assert seen
    assert all(reasonenv.game(game).rules in text for text in seen)


def saying(said: str) -> Callable[[str], str]:
    """An agent that always says the same."""
    return lambda _: said


def test_an_opponents_move_is_read_as_agents_write_it() -> None:
    state = reasonenv.game("tic_tac_toe").start()
    for said in ("<move>4</move>", "I take [4]", "4", "not [0] but [4]", "[0] <move>4</move>"):
        assert textarena.opponent(saying(said))(state) == 4
    state.apply(4)
    answers = iter(["[4]", "[8]"])
    asked: list[str] = []

    def agent(text: str) -> str:
        asked.append(text)
        return next(answers)

    assert textarena.opponent(agent)(state) == 8
    assert "That was no legal move" in asked[1]
    drawn: Any = textarena.opponent(lambda _: "[4]")
    assert drawn(state) == drawn(state) != 4
    for wrong in (None, "minimax"):
        with pytest.raises(InvalidArgument, match="agent"):
            textarena.opponent(wrong)  # type: ignore[arg-type]  # mistakes
