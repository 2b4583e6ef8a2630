"""The metrics of conversations: what a results table of a course or a run shows."""

import re

import pytest
import reasonenv
from reasonenv.integrations import Conversation, conversation_rows, game_rows, rows

RESULTS = ("win", "draw", "loss")


@pytest.mark.parametrize("says", ["<move>{}</move>", "no move"])
def test_a_game_has_one_result_its_form_and_its_invalid_moves(says: str) -> None:
    wins = 0.0
    for row in game_rows("tic_tac_toe", 9, opponent="random", seed=1):
        talk = Conversation(row["problem"])
        assert not any(talk.metrics.values())
        while not talk.is_over:
            free = re.findall(r"\d", str(talk.messages[-1]["content"]).rpartition("positions: [")[2])
            talk.say(says.format(free[0]))
        found = talk.metrics
        assert sum(found[name] for name in RESULTS) == 1.0
        well = float(says != "no move")
        assert (found["format"], found["reward/format"]) == (well, well)
        assert (found["invalid_moves"] > 0, found["reward/invalid"] > 0) == (not well, not well)
        wins += found["win"]
    assert (wins > 0) == (says != "no move")


def test_a_task_has_its_verdict_and_the_parts_of_its_reward() -> None:
    task = reasonenv.family("countdown").sample(level=1)
    (row,) = rows([task], reward={"correct": 1.0, "format": 0.5})
    wrong = task.wrap(task.wrong_answers()[0])
    right = task.wrap(task.solution.answer)
    for text, passed, form in ((right, 1.0, 1.0), (wrong, 0.0, 1.0), ("?", 0.0, 0.0)):
        talk = Conversation(row["problem"])
        assert not any(talk.metrics.values())
        talk.say(text)
        assert (talk.metrics["passed"], talk.metrics["format"]) == (passed, form)
        assert (talk.metrics["reward/correct"], talk.metrics["reward/format"]) == (passed, form / 2)


def test_several_turns_count_what_they_have() -> None:
    (row,) = conversation_rows("sudoku", 1, turns="moves", mistakes=2)
    talk = Conversation(row["problem"])
    talk.replay([{"role": "assistant", "content": "?"}] * 2)
    counted = {"passed": 0.0, "score": 0.0, "format": 0.0, "invalid_moves": 2.0, "reward/correct": 0.0}
    assert talk.metrics == counted
    (row,) = conversation_rows("chain_sum", 1, turns="tools")
    talk = Conversation(row["problem"])
    talk.say('<tool_call>{"name": "calculator", "arguments": {"expression": "6 * 7"}}</tool_call>')
    talk.say("?")
    assert (talk.metrics["tool_calls"], talk.metrics["tool_errors"]) == (1.0, 0.0)
