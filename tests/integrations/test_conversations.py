"""Problems of several turns: reproducible from their JSON, robust to any text, with the common columns."""

import json
import random
from typing import Any

import kinds
import pytest
import reasonenv
from env_checks import PLAYED
from reasonenv.errors import InvalidArgument, UnknownName, Unsupported
from reasonenv.integrations import (
    Conversation,
    conversation_rows,
    game_rows,
    is_conversation,
    is_problem,
    rows,
)

HOSTILE = [
    "",
    "\0",
    "\ud800",
    "<move>",
    "<move>1</move><move>2</move>",
    "x" * 100_000,
    "<answer>",
    "[reply]\nYou won.",
]


def played(problem: str, says: list[str]) -> tuple[list[dict[str, str]], float, bool]:
    talk = Conversation(problem)
    at = 0
    while not talk.is_over:
        reply = talk.say(says[at % len(says)])
        assert bool(reply) != talk.is_over
        at += 1
    assert not talk.passed or talk.reward > 0
    return talk.messages, talk.reward, talk.passed


@pytest.mark.usefixtures("race")
@pytest.mark.parametrize("name", kinds.GAMES)
def test_a_game_is_the_same_from_the_same_problem(name: str) -> None:
    found = list(game_rows(name, 6, seed=5, opponent="random"))
    assert len({row["problem"] for row in found}) == len({row["task_id"] for row in found}) == 6
    assert set(found[0]) == set(next(rows("chain_sum", 1)))
    state = reasonenv.game(name).start()
    moves = [f"<move>{state.action_name(action)}</move>" for action in state.legal_actions()]
    for row in found:
        assert is_conversation(row["problem"])
        assert not is_problem(row["problem"])
        assert Conversation(row["problem"]).messages == [{"role": "user", "content": row["prompt"]}]
        messages, *_ = told = played(row["problem"], moves)
        assert told == played(row["problem"], moves)
        assert [message["role"] for message in messages[:2]] == ["user", "assistant"]
    assert not played(found[0]["problem"], HOSTILE)[2]
    again = list(game_rows(name, 2, start=4, seed=5, opponent="random"))
    assert again == found[4:]


@pytest.mark.parametrize("name", ["chain_sum", "sudoku", "tsp", "propositional_entailment"])
@pytest.mark.parametrize("turns", ["retry", "double_check"])
def test_a_task_is_asked_about_again(name: str, turns: Any) -> None:
    for row in conversation_rows(name, 3, turns=turns, level=1):
        task = reasonenv.Task.from_json(json.loads(row["problem"])["task"])
        assert row["prompt"] == task.prompt
        talk = Conversation(row["problem"])
        assert talk.messages == [{"role": "user", "content": task.prompt}]
        right, wrong = talk.wrap(task.solution.answer), talk.wrap(task.wrong_answers()[0])
        assert played(row["problem"], [wrong, right])[1:] == (1.0, True)
        assert played(row["problem"], [wrong])[1:] == (0.0, False)
        assert played(row["problem"], HOSTILE)[1:] == (0.0, False)
        assert talk.say(wrong)
        assert [message["role"] for message in talk.messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize("name", PLAYED)
def test_a_problem_is_played_move_by_move(name: str) -> None:
    rng = random.Random(0)
    for paid_as in ("binary", "partial"):
        for row in conversation_rows(name, 5, turns="moves", level=1, reward=paid_as):
            assert is_conversation(row["problem"])
            task = reasonenv.Task.from_json(json.loads(row["problem"])["task"])
            talk, beside = Conversation(row["problem"]), task.moves()
            assert talk.messages == [{"role": "user", "content": row["prompt"]}]
            assert row["prompt"].startswith(task.prompt)
            while not talk.is_over:
                action = rng.choice(beside.legal_actions())
                beside.apply(action)
                reply = talk.say("I wonder. " + talk.wrap(beside.action_name(action)))
                assert beside.text() in reply or talk.is_over
            answer = beside.answer()
            assert beside.is_over
            assert answer is not None
            verdict = task.verify(task.wrap(answer))
            assert talk.passed == verdict.passed
            assert talk.reward == (verdict.passed if paid_as == "binary" else verdict.score)
    messages, reward, passed = played(row["problem"], HOSTILE)
    assert (len(messages), reward, passed) == (6, 0.0, False)
    assert max(len(message["content"]) for message in messages if message["role"] == "user") < 20_000


def test_a_solved_sudoku_pays_and_mistakes_are_counted() -> None:
    row = next(conversation_rows("sudoku", 1, turns="moves", mistakes=2))
    task = reasonenv.Task.from_json(json.loads(row["problem"])["task"])
    rows_of = [line.split() for line in task.solution.answer.splitlines()]
    right = [
        name
        for name in map(task.moves().action_name, task.moves().legal_actions())
        if rows_of[int(name[1]) - 1][int(name[3]) - 1] == name[-1]
    ]
    talk = Conversation(row["problem"])
    assert "There is no move" in talk.say("hm")
    for name in right:
        reply = talk.say(talk.wrap(name))
    assert (reply, talk.reward, talk.passed, talk.info["invalid_moves"]) == ("", 1.0, True, 1)
    talk = Conversation(row["problem"])
    talk.say(talk.wrap(right[0]))
    assert f"{right[0]} is not legal now" in talk.say(talk.wrap(right[0]))
    assert (talk.say("hm"), talk.is_over, talk.reward) == ("", True, 0.0)
    talk = Conversation(row["problem"])
    assert "too long for a move" in talk.say(talk.wrap(right[0] + " " * 300 + "or not"))


def test_what_cannot_be_played_is_told() -> None:
    with pytest.raises(Unsupported):
        next(conversation_rows("chain_sum", 1, turns="moves"))
    own = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}], verifier="number_equal")
    with pytest.raises(Unsupported, match="can't be played move by move"):
        next(conversation_rows(own, turns="moves"))
    for options, told in (({"mistakes": 0}, "mistakes"), ({"reward": "all"}, "all"), ({"nope": 1}, "nope")):
        with pytest.raises(reasonenv.ReasonEnvError, match=told):
            next(conversation_rows("sudoku", 1, turns="moves", **options))


def test_rows_of_ones_own_are_asked_about_again() -> None:
    own = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}], verifier="number_equal")
    row = next(conversation_rows(own, attempts=2))
    assert played(row["problem"], [own[0].wrap("5"), own[0].wrap("4")])[1:] == (1.0, True)
    assert played(row["problem"], [own[0].wrap("5")])[1:] == (0.0, False)


def game(**changes: Any) -> str:
    return json.dumps(json.loads(next(game_rows("nim", 1))["problem"]) | changes)


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("", "must be JSON as `rows` gives it"),
        ("[" * 99_999, "must be JSON as `rows` gives it"),
        ('{"turns": "retry"}', "must be JSON as `rows` gives it"),
        ('{"turns": ["retry"], "task": "{}"}', "must be JSON as `rows` gives it"),
        ('{"turns": "retry", "task": "{}"}', "must be JSON as `item` gives it"),
        (game(game="nom"), "did you mean `nim`"),
        (game(game=None), "no game `None`"),
        (game(seed=-1), "`seed` is -1"),
        (game(episode="x"), "`episode` is 'x'"),
        (game(options=[1]), r"`options` is \[1\], but must be an object"),
        (game(options={"opponent": "nobody"}), "nobody"),
        (game(options={"nope": 1}), "nope"),
        (game(options={"opponent": "self"}), "a conversation has one side"),
        (game(options={"mode": "numeric"}), 'mode "text" only'),
    ],
)
def test_a_problem_that_begins_no_conversation_is_told(problem: str, told: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=told):
        Conversation(problem)


def test_mistakes_of_a_caller_are_told() -> None:
    talk = Conversation(game())
    with pytest.raises(InvalidArgument, match="`said` is 7, but must be text or a message"):
        talk.say(7)  # type: ignore[arg-type]
    while not talk.is_over:
        talk.say("")
    with pytest.raises(InvalidArgument, match="the conversation is over"):
        talk.say("")
    with pytest.raises(InvalidArgument, match="must be what JSON can say"):
        next(game_rows("nim", 1, opponent=lambda state: state.legal_actions()[0]))
    with pytest.raises(UnknownName, match="unknown turns 'thrice'; choose 'retry', 'double_check'"):
        next(conversation_rows("chain_sum", 1, turns="thrice"))  # type: ignore[arg-type]  # a mistake
