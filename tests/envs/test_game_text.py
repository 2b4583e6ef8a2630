"""Games in text, as language models play them, and as people see them."""

import re

import numpy as np
import pytest
import reasonenv
from game_envs import BEGIN, TTT, legal, make, make_vec, said
from reasonenv import _native
from reasonenv.errors import InvalidArgument


def test_the_text_protocol_of_tic_tac_toe() -> None:
    env = make(TTT, mode="text", seat="first", opponent=lambda state: state.legal_actions()[0])
    message, info = env.reset(seed=0)
    assert set(info) == BEGIN | {"instructions"}
    assert message == (
        "The game has started. You are X, the opponent is O. You move first.\n\n"
        "0 | 1 | 2\n---------\n3 | 4 | 5\n---------\n6 | 7 | 8\n\n"
        "Available positions: [0, 1, 2, 3, 4, 5, 6, 7, 8]\n\nYour turn."
    )
    message, reward, terminated, _, info = env.step("Centre.\n<move>4</move>")
    assert message == (
        "The opponent played 0.\n\n"
        "O | 1 | 2\n---------\n3 | X | 5\n---------\n6 | 7 | 8\n\n"
        "Available positions: [1, 2, 3, 5, 6, 7, 8]\n\nYour turn."
    )
    assert (reward, terminated, set(info)) == (0.0, False, {"invalid", "cost", "episode_cost"})
    message, reward, terminated, _, info = env.step("5")
    assert message.startswith("There is no move in <move> tags.\n\nO | 1 | 2\n")
    known = {"invalid": True, "cost": 1.0, "episode_cost": 1.0, "fault": "no_answer"}
    assert (reward, terminated, info) == (0.0, False, known)
    message, reward, terminated, _, info = env.step("<move>0</move>")
    assert message.startswith("0 is taken.\n\nO | 1 | 2\n")
    assert (reward, terminated, info) == (0.0, False, known | {"episode_cost": 2.0, "fault": "illegal_move"})
    env.step("<move>8</move>")  # O takes 1
    message, reward, terminated, _, info = env.step("<move>2</move>")  # O takes 3
    assert message.startswith("The opponent played 3.\n\nO | O | X\n")
    message, reward, terminated, truncated, info = env.step("<move>6</move>")
    assert message == "You won.\n\nO | O | X\n---------\nO | X | 5\n---------\nX | 7 | X"
    assert (terminated, truncated) == (True, False)
    assert info["reward_parts"] == {"outcome": 1.0, "format": pytest.approx(5 / 6), "invalid": 1.0}
    assert reward == pytest.approx(1 + 0.2 * 5 / 6 - 0.1), "two invalid moves cost as much as one"
    assert (info["status"], info["result"], info["winner"]) == ("won", 1.0, 0)
    assert (info["turns"], info["invalid_moves"]) == (6, 2)


@pytest.mark.parametrize(
    ("moves", "outcome", "status"), [("426", 1.0, "won"), ("43186", 0.5, "drawn"), ("873", 0.0, "lost")]
)
def test_text_rewards_one_half_and_nothing(moves: str, outcome: float, status: str) -> None:
    replies = {"426": "01", "43186": "0572", "873": "012"}[moves]
    plan = iter(map(int, replies))
    env = make(TTT, mode="text", seat="first", opponent=lambda _: next(plan))
    env.reset(seed=0)
    for move in moves:
        _, reward, terminated, _, info = env.step(f"<move>{move}</move>")
    assert terminated
    assert info["status"] == status
    assert reward == pytest.approx(outcome + 0.2)


def test_eight_turns_and_the_game_is_lost() -> None:
    env = make(TTT, mode="text")
    env.reset(seed=0)
    steps = [env.step("well") for _ in range(8)]
    assert [step[3] for step in steps] == [False] * 7 + [True]
    assert sum(step[1] for step in steps) == pytest.approx(-0.1)
    assert steps[-1][0].startswith("You have used up your turns.\n\n")
    assert steps[-1][4]["status"] == "cut"


def test_text_rewards_are_weighed() -> None:
    weights = {"outcome": 2.0, "format": 0.5, "invalid": -0.25}
    for penalize, times in (("once", 1), ("each", 3)):
        env = make(
            TTT, mode="text", seat="first", opponent="random", reward_weights=weights, penalize=penalize
        )
        env.reset(seed=0)
        total = sum(env.step("?")[1] for _ in range(3))
        while True:
            _, reward, terminated, _, info = env.step(said(env, int(np.flatnonzero(env.action_masks())[0])))
            total += reward
            if terminated:
                break
        parts = info["reward_parts"]
        assert parts["invalid"] == times
        assert total == pytest.approx(2 * parts["outcome"] + 0.5 * parts["format"] - 0.25 * times)


def test_weights_that_are_not_given_stay_as_the_setting_says() -> None:
    setting = _native.settings_schema("game")["properties"]["reward_weights"]
    told = "By default they are 1, 0.2 and `invalid_penalty`, also for those left out"
    assert told in setting["description"]
    env = make(TTT, mode="text", reward_weights={"outcome": 3.0}, invalid_penalty=-0.25, max_turns=1)
    env.reset(seed=0)
    assert env.step("<move>z9</move>")[1] == pytest.approx(0.2 - 0.25)


def test_thinking_may_be_required(game: str) -> None:
    for think, shares in (("optional", (1.0, 1.0)), ("required", (0.0, 1.0))):
        env = make(game, mode="text", think=think)
        assert ("<think>" in env.instructions) == (think == "required")
        for thought, share in zip(("", "<think>Let me see.</think>\n"), shares, strict=True):
            env.reset(seed=0)
            over = False
            while not over:
                action = int(np.flatnonzero(env.action_masks())[0])
                _, _, terminated, truncated, info = env.step(thought + said(env, action))
                assert not info["invalid"], "a move that is not well formed is played all the same"
                over = terminated or truncated
            assert info["reward_parts"]["format"] == share


def test_instructions_are_told_at_each_reset(game: str) -> None:
    env, first = make(game, mode="text"), make(game, mode="text", instructions="first_message")
    for seed in (0, None, None):
        (message, info), (whole, other) = env.reset(seed=seed), first.reset(seed=seed)
        assert info["instructions"] == other["instructions"] == env.instructions
        assert whole == f"{env.instructions}\n\n{message}"
        action = said(env, int(np.flatnonzero(env.action_masks())[0]))
        assert env.step(action)[0] == first.step(action)[0], "once is enough"
    with pytest.raises(InvalidArgument, match='of mode "text" only'):
        make(game, instructions="first_message")


def test_instructions_explain_the_game(game: str) -> None:
    unit, env = reasonenv.game(game), make(game, mode="text")
    assert unit.rules in env.instructions
    assert unit.moves_are_called in env.instructions
    move = re.search(r"<move>([^<>]+)</move>", env.instructions)
    assert move
    assert unit.read_action(move[1]) in unit.start().legal_actions()
    assert "loses the game" in make(game, mode="text", illegal="lose").instructions


def test_messages_fit_their_space_and_name_the_moves(game: str) -> None:
    rng, env = np.random.default_rng(0), make(game, mode="text")
    unit = env.game
    for seed in range(10):
        message, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert message in env.observation_space
            names = ", ".join(map(unit.action_name, env.state.legal_actions()))
            assert f"Available {unit.moves_are_called}: [{names}]\n\nYour turn." in message
            message, _, terminated, truncated, _ = env.step(said(env, legal(env.action_masks(), rng)))
            over = terminated or truncated
        assert message in env.observation_space
        assert "Your turn." not in message


def test_text_beside_numbers_is_the_same_text(game: str) -> None:
    rng = np.random.default_rng(0)
    talks, counts = make(game, mode="text"), make(game, text=True)
    message, _ = talks.reset(seed=3)
    assert counts.reset(seed=3)[1]["text"] == message
    over = False
    while not over:
        action = legal(counts.action_masks(), rng)
        message, _, over, _, _ = talks.step(said(talks, action))
        assert counts.step(action)[4]["text"] == message


def test_render_modes(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = make(game, render_mode="ansi")
    env.reset(seed=0)
    frame = env.render()
    assert isinstance(frame, str)
    assert frame.isascii()
    env = make(game, render_mode="human")
    env.reset(seed=0)
    assert capsys.readouterr().out == f"{frame}\n\n"
    env.step(-1)
    assert capsys.readouterr().out
    env = make(game, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert (first.dtype, first.ndim, first.shape[2]) == (np.uint8, 3, 3)
    env.step(legal(env.action_masks(), np.random.default_rng(0)))
    assert env.render().shape == first.shape
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 1
    silent = make(game)
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render mode"):
        assert silent.render() is None


def test_a_picture_is_the_same_whoever_moves() -> None:
    red, yellow = (205, 60, 55), (243, 205, 90)
    env = make("connect_four", opponent="self", render_mode="rgb_array")
    env.reset(seed=0)
    for column, ink in ((0, red), (6, yellow)):
        env.step(column)
        lowest = env.render()[-24, 48 * column + 24]
        assert tuple(lowest) == ink
    assert tuple(env.render()[-24, 24]) == red
    many = make_vec("connect_four", 2, opponent="self", render_mode="rgb_array")
    many.reset(seed=0)
    many.step([0, 3])
    frames = many.render()
    assert frames is not None
    assert [tuple(frame[-24, 24]) == red for frame in frames] == [True, False]
