"""Problems played move by move in text."""

import copy
import pickle
from typing import Any

import gymnasium
import pytest
import reasonenv
from gymnasium.utils.env_checker import check_env
from reasonenv._native import InvalidArgument, UnknownName, Unsupported
from reasonenv.envs import DialogueEnv, env_id
from reasonenv.envs._dialogue import play_of

PLAYED = [name for name in reasonenv.list_families() if "dialogue" in reasonenv.family(name).modes]


def make(family: str, **keywords: Any) -> DialogueEnv:
    """Return an env without wrappers."""
    env = gymnasium.make(env_id(family), mode="dialogue", disable_env_checker=True, **keywords).unwrapped
    assert isinstance(env, DialogueEnv)
    return env


def best(env: DialogueEnv) -> str:
    """Return a message with a move of a shortest solution, or else the first legal one."""
    play = play_of(env.state)
    action = play.next_move
    return f"So:\n<move>{play.action_name(play.legal_actions()[0] if action is None else action)}</move>"


def test_a_family_is_played_in_text_where_it_is_played_in_numbers() -> None:
    assert len(PLAYED) >= 20
    for name in reasonenv.list_families():
        modes = reasonenv.family(name).modes
        assert ("moves" in modes) == ("dialogue" in modes)


@pytest.mark.parametrize("family", PLAYED)
def test_messages_play_what_numbers_play(family: str) -> None:
    env = make(family, level=0, reward="partial")
    env.reset(seed=3)
    play, over, reward = env.task.moves(), False, 0.0
    while not over:
        said = best(env)
        action = play.read_action(said.partition("<move>")[2].partition("</move>")[0])
        play.apply(action)
        seen, reward, over, truncated, info = env.step(said)
        assert not truncated
        assert not info["invalid"]
        assert play.text() in seen
    verdict = env.task.verify(env.task.wrap(play.answer()))
    assert info["passed"] == verdict.passed
    assert reward == pytest.approx(verdict.score)


@pytest.mark.parametrize("family", ["maze", "sudoku", "tsp"])
def test_the_checker_of_gymnasium_passes(family: str) -> None:
    check_env(make(family), skip_render_check=True)


def test_a_message_without_a_legal_move_changes_nothing_and_says_why() -> None:
    env = make("sudoku", mistakes=4)
    seen, info = env.reset(seed=0)
    assert "4 messages without a legal move end it" in seen
    assert "invalid" not in info
    given = "r1c4 = 1"
    said = ["no idea", f"<move>{given}</move>", "<move>castle</move>", 7, "x"]
    why = [
        "There is no move in <move> tags.",
        f"{given} is not legal now.",
        "That was no move: ",
        "There is no",
    ]
    for made, (message, reply) in enumerate(zip(said, why, strict=False), 1):
        seen, reward, over, truncated, info = env.step(message)
        assert f"\n\n{reply}" in seen
        assert (info["invalid"], info["invalid_moves"], reward, truncated) == (True, made, 0.0, False)
        assert over == (made == 4)
    assert not info["passed"]
    assert info["score"] == 0.0
    assert info["episode_cost"] == 4.0


def test_hints_are_moves_that_solve_the_problem_up_to_the_last() -> None:
    env = make("maze", hints=50, hint_cost=0.0)
    seen, info = env.reset(seed=1)
    assert "`hint:`" in seen
    assert info["hints"] == 0
    while True:
        seen, _, over, _, info = env.step("hint:")
        line = seen.split("You may reason first")[1].split("\n\n")[1]
        if line == "No more hints.":
            break
        assert line.startswith("Hint: ")
        assert not over
        assert not info["invalid"]
        env.step(f"<move>{line.removeprefix('Hint: ')}</move>")
    _, reward, over, _, info = env.step(best(env))
    assert over
    assert info["passed"]
    assert reward == 1.0


def test_a_request_for_a_hint_makes_no_move() -> None:
    env = make("maze", level=2, hints=3)
    env.reset(seed=1)
    said = best(env)
    moves = play_of(env.state).legal_actions()
    env.step(f"hint: {said}")
    seen, *_ = env.step("hint:")
    assert "moves" not in env.state.memory
    assert play_of(env.state).legal_actions() == moves
    other = make("maze", level=2, hints=3)
    other.set_state(env.get_state())
    assert env.step(said) == other.step(said)
    assert seen.count("Hint: ") == 1


def test_messages_are_the_conversation() -> None:
    env = make("maze")
    seen, _ = env.reset(seed=2)
    assert env.messages == [{"role": "user", "content": seen}]
    env.step("hm")
    said = best(env)
    env.step(said)
    roles = [message["role"] for message in env.messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert env.messages[3]["content"] == said
    assert "There is no move" in env.messages[2]["content"]


def test_states_are_saved_and_copied() -> None:
    env = make("maze")
    env.reset(seed=5)
    env.step(best(env))
    env.step("hm")
    state = env.get_state()
    others = [env.clone(), env.fork(), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), make("maze")]
    others[-1].set_state(state)
    said = best(env)
    ends = [other.step(said) for other in others]
    assert all(end == ends[0] for end in ends)
    assert env.get_state() == state


def test_rollouts_hold_the_conversation() -> None:
    heard = []

    def policy(contexts: Any, _: int) -> list[str]:
        heard.append([len(context.messages) for context in contexts])
        return [best(context.env.unwrapped) for context in contexts]

    def environment() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("reasonenv/Maze-v1", mode="dialogue")

    done = list(reasonenv.rollout(environment, policy, n=3, group_size=1))
    assert all(one.reward == 1.0 and one.terminated for one in done)
    assert heard[0][0] == 1
    assert heard[1][0] == 3


@pytest.mark.parametrize(
    ("family", "keywords", "error", "says"),
    [
        ("chain_sum", {}, Unsupported, "can't be played move by move; its modes are solution"),
        ("maze", {"mistakes": 0}, InvalidArgument, "`mistakes` is 0, but must be between 1 and 1000"),
        ("maze", {"illegal": "lose"}, UnknownName, 'no argument `illegal` in mode "dialogue"'),
    ],
)
def test_wrong_arguments_are_refused(
    family: str, keywords: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        make(family, **keywords)
