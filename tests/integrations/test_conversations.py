"""Problems of several turns: the same from the same JSON, whatever is said, in the columns of the rest."""

import json
from typing import Any

import pytest
import reasonenv
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


@pytest.mark.parametrize("name", reasonenv.list_games())
def test_a_game_is_the_same_from_the_same_problem(name: str) -> None:
    found = list(game_rows(name, 6, seed=5, opponent="random"))
    assert len({row["problem"] for row in found}) == len({row["task_id"] for row in found}) == 6
    assert set(found[0]) == set(next(rows("chain_sum", 1)))
    state = reasonenv.find_game(name).start()
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
def test_a_task_is_asked_about_again(name: str, turns: str) -> None:
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
        ("", "must be JSON as `game_rows` gives it"),
        ("[" * 99_999, "must be JSON as `game_rows` gives it"),
        (next(rows("chain_sum", 1))["problem"], "must be JSON as `game_rows` gives it"),
        ('{"turns": "retry"}', "must be JSON as `game_rows` gives it"),
        ('{"turns": ["retry"], "task": "{}"}', "must be JSON as `game_rows` gives it"),
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
    with pytest.raises(reasonenv.InvalidArgument, match="`text` is 7, but must be text"):
        talk.say(7)  # type: ignore[arg-type]
    while not talk.is_over:
        talk.say("")
    with pytest.raises(reasonenv.InvalidArgument, match="the conversation is over"):
        talk.say("")
    with pytest.raises(reasonenv.InvalidArgument, match="must be what JSON can say"):
        next(game_rows("nim", 1, opponent=lambda state: state.legal_actions()[0]))
    with pytest.raises(reasonenv.UnknownName, match="'retry' or 'double_check'"):
        next(conversation_rows("chain_sum", 1, turns="thrice"))
