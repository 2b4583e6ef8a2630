"""TRL's contract, checked with a fake that calls rewards and environments as its trainers do."""

import inspect
import pickle
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
import reasonenv
from env_checks import PLAYED
from reasonenv.errors import InvalidArgument, InvalidProblem, InvalidTask
from reasonenv.integrations import conversation_rows, game_rows, rows, trl

KEPT = {"prompt", "completion", "completion_ids", "images", "image", "environment", "trainer_state"}
"""Columns that TRL keeps to itself."""


class Trainer:
    """Calls as `GRPOTrainer` of TRL 1.16 does: by keyword, every column a list as long as the batch."""

    def __init__(self) -> None:
        self.extra: dict[str, list[Any]] = defaultdict(list)
        self.metrics: dict[str, list[float]] = defaultdict(list)

    def rewards(
        self, function: Callable[..., Any], inputs: list[dict[str, Any]], said: list[Any]
    ) -> list[Any]:
        keys = [key for key in inputs[0] if key not in ("prompt", "completion", "completion_ids")]
        columns = {key: [one[key] for one in inputs] for key in keys}
        found = function(
            prompts=[one["prompt"] for one in inputs],
            completions=said,
            completion_ids=[[1, 2] for _ in said],
            trainer_state=object(),
            log_extra=lambda column, values: self.extra[column].extend(values),
            log_metric=lambda name, value: self.metrics[name].append(value),
            **columns,
        )
        assert len(found) == len(inputs)
        return list(found)

    def play(self, factory: Callable[[], Any], row: dict[str, Any], calls: list[dict[str, Any]]) -> list[str]:
        """Reset an environment with a row and call its only tool; return the text for the model."""
        self.environment = factory()
        names = dict(inspect.getmembers(type(self.environment), predicate=inspect.isfunction))
        tools = [name for name in names if name not in ("reset", "get_reward") and not name.startswith("_")]
        assert len(tools) == 1
        tool = getattr(self.environment, tools[0])
        assert set(inspect.signature(tool).parameters) == set(calls[0])
        assert all(of.annotation is str for of in inspect.signature(tool).parameters.values())
        assert all(f"{name}:" in str(inspect.getdoc(tool)).split("Args:")[1] for name in calls[0])
        shown = [self.environment.reset(**row)]
        for call in calls:
            try:
                shown.append(tool(**call))
            except Exception as error:  # as TRL does
                shown.append(str({"error": str(error)}))
        return shown


def as_messages(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": text}]


TASKS = reasonenv.Mixture(["chain_sum", "sudoku"])[0:6]
INPUTS = [row for row in trl.as_messages(rows(TASKS)) for _ in range(2)]
SAID = [text for task in TASKS for text in (task.wrap(task.solution.answer), "no idea")]


@pytest.mark.parametrize("messages", [False, True], ids=["strings", "messages"])
def test_completions_are_judged_and_what_is_wrong_is_logged(messages: bool) -> None:
    trainer = Trainer()
    said = [as_messages(text) for text in SAID] if messages else list(SAID)
    assert trainer.rewards(trl.VerdictReward(), INPUTS, said) == [1.0, 0.0] * 6
    assert trainer.extra["reasonenv_verdict"] == ["passed", "no_answer"] * 6
    assert trainer.metrics == {"reasonenv/pass_rate": [0.5]}
    assert not KEPT - {"prompt"} & set(INPUTS[0])


def test_the_last_thing_the_assistant_said_counts_after_calls_of_tools() -> None:
    inputs = INPUTS[:1] * 4
    right = SAID[0]
    said: list[Any] = [
        [*as_messages("hm"), {"role": "tool", "content": "4"}, *as_messages(right)],
        [*as_messages(right), {"role": "tool", "content": "4"}, {"role": "assistant", "tool_calls": []}],
        [{"role": "assistant", "content": [{"type": "text", "text": right}]}],
        [],
    ]
    assert Trainer().rewards(trl.VerdictReward(), inputs, said) == [1.0, 0.0, 1.0, 0.0]


def test_rows_of_other_data_sets_are_left_out() -> None:
    foreign = [dict(INPUTS[0], problem=problem) for problem in (None, "2 + 2?", "{}", 7)]
    trainer = Trainer()
    assert trainer.rewards(trl.VerdictReward(), [*foreign, INPUTS[0]], [SAID[0]] * 5) == [None] * 4 + [1.0]
    assert trainer.metrics == {"reasonenv/pass_rate": [1.0]}
    bare = [{"prompt": "2 + 2?", "solution": "4"}] * 2
    reward = trl.VerdictReward()
    with pytest.warns(UserWarning, match="no column `problem`"):
        assert trainer.rewards(reward, bare, ["4", "5"]) == [None, None]
    assert trainer.rewards(reward, bare, ["4", "5"]) == [None, None]  # and no second warning
    with pytest.raises(InvalidProblem, match="missing field"):
        trainer.rewards(
            trl.VerdictReward(), [INPUTS[0] | {"problem": '{"family": "tsp", "problem": "{}"}'}], [""]
        )


def test_rows_come_from_any_source() -> None:
    mixture = reasonenv.Mixture(["chain_sum", "sudoku"])
    sources: list[Any] = [mixture, ["chain_sum", "sudoku"], "chain_sum,sudoku"]
    for source in sources:
        assert list(trl.as_messages(source, 6)) == INPUTS[::2]
    assert list(trl.as_messages(TASKS)) == list(trl.as_messages(rows(TASKS))) == INPUTS[::2]
    (row,) = trl.as_messages("tic_tac_toe", 1, opponent="random", system="Win.")
    assert row["prompt"][0] == {"role": "system", "content": "Win."}
    (row,) = trl.as_messages(reasonenv.family("chain_sum"), 1, level=2)
    assert row["level"] == 2
    assert len(list(trl.as_messages(iter(INPUTS), 3))) == 3
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (mixture, {}, "`n` is None"),
        ("chain_sun", {"n": 1}, "chain_sum"),
        (7, {}, "must be a source of tasks, or rows"),
        ([{"question": "2 + 2?"}], {}, "rows with `prompt` and `problem`"),
        (rows("chain_sum", 1), {"level": 2}, "`level` is given"),
    ]
    for source, keywords, told in wrong:
        with pytest.raises(reasonenv.ReasonEnvError, match=told):
            list(trl.as_messages(source, **keywords))


def test_it_pickles_and_pays_any_reward() -> None:
    shaped = reasonenv.rewards.Reward({"correct": 1.0, "format": 0.1})
    for function, wanted in (
        (trl.VerdictReward(name="ours"), 0.0),
        (trl.VerdictReward(shaped), 0.1),
        (trl.VerdictReward({"correct": 1.0, "format": 0.5}), 0.5),
    ):
        again = pickle.loads(pickle.dumps(function))
        assert again.__name__ == function.__name__
        inputs = list(trl.as_messages(rows("chain_sum", 1)))
        assert Trainer().rewards(again, inputs, ["<answer>99999</answer>"]) == pytest.approx([wanted])
    marked = trl.VerdictReward(stop_tokens=["<|mine|>"], reading="clean")
    assert Trainer().rewards(marked, INPUTS[:1], [SAID[0] + "<|mine|>"]) == [1.0]
    for arguments, told in (({"reward": "binry"}, "binary"), ({"reading": "loose"}, "reading")):
        with pytest.raises(reasonenv.ReasonEnvError, match=told):
            trl.VerdictReward(**arguments)  # type: ignore[arg-type]  # mistakes


def test_a_game_is_played_by_calls_of_a_tool() -> None:
    for row in trl.as_messages(game_rows("tic_tac_toe", 4, opponent="random")):
        trainer = Trainer()
        shown = trainer.play(trl.GameEnvironment, row, [{"move": str(cell)} for cell in range(1, 10)])
        assert "tool `move`" in shown[0]
        assert any(text.startswith("It is over") for text in shown)
        assert "it is over; nothing more can be done" in shown[-1]
        won = any("you succeeded" in text for text in shown)
        assert won == (trainer.environment.get_reward() > 0.9)
        assert trainer.play(lambda trainer=trainer: trainer.environment, row, [{"move": "\ud800"}])[1]  # type: ignore[misc]
        assert trainer.environment.get_reward() <= 0
        assert trainer.play(trl.GameEnvironment, row, [{"move": str(cell)} for cell in range(1, 10)]) == shown


@pytest.mark.parametrize("name", PLAYED)
def test_a_problem_is_played_by_calls_of_a_tool(name: str) -> None:
    row = next(trl.as_messages(conversation_rows(name, 1, turns="moves", reward="partial")))
    task = reasonenv.family(name).sample()
    beside, rng, calls = task.moves(), random.Random(0), list[dict[str, Any]]()
    while not beside.is_over:
        action = rng.choice(beside.legal_actions())
        calls.append({"move": beside.action_name(action)})
        beside.apply(action)
    trainer = Trainer()
    shown = trainer.play(trl.GameEnvironment, row, calls)
    assert shown[-1].startswith("It is over")
    assert not any("legal now" in text or "no move" in text for text in shown)
    answer = beside.answer()
    assert answer is not None
    assert trainer.environment.get_reward() == task.verify(task.wrap(answer)).score


def test_a_task_is_answered_by_calls_of_a_tool() -> None:
    row = next(trl.as_messages(conversation_rows("chain_sum", 1, attempts=3)))
    right = reasonenv.family("chain_sum").sample().solution.answer
    trainer = Trainer()
    shown = trainer.play(trl.RetryEnvironment, row, [{"answer": "99999"}, {"answer": right}])
    assert "attempts left: 2" in shown[1]
    assert shown[2] == "It is over, and you succeeded."
    assert trainer.environment.get_reward() == 1.0
    assert trainer.play(trl.RetryEnvironment, row, [{"answer": 7}] * 3)[-1] == "It is over."
    assert trainer.environment.get_reward() == 0.0


def test_tags_in_a_call_are_no_mistake_and_a_call_before_the_reset_is_one() -> None:
    game = next(trl.as_messages(game_rows("tic_tac_toe", 1, opponent="random")))
    task = next(trl.as_messages(conversation_rows("chain_sum", 1)))
    for factory, row, plain, tagged in (
        (trl.GameEnvironment, game, {"move": "4"}, {"move": "<move>4</move>"}),
        (trl.RetryEnvironment, task, {"answer": "7"}, {"answer": " <answer>7</answer>"}),
    ):
        assert Trainer().play(factory, row, [plain]) == Trainer().play(factory, row, [tagged])
        for call in (factory().get_reward, lambda f=factory, c=plain: f()._say(next(iter(c.values())))):
            with pytest.raises(InvalidArgument, match="no episode has begun"):
                call()
        with pytest.raises(InvalidTask, match="must be JSON"):
            factory().reset(prompt="2 + 2?")


def test_rows_have_messages_and_a_system_prompt_where_one_is_given() -> None:
    row = next(trl.as_messages(rows("chain_sum", 1), system="Be brief."))
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert row["prompt"][1]["content"] == reasonenv.family("chain_sum").sample().prompt
