"""Tinker's cookbook itself, without its service: its own code rolls groups out, with scripted replies."""

import asyncio
import pickle
from typing import Any

import pytest
import reasonenv
from drivers import by_conversation, tinker_play
from pages import ROOT, run_page
from parity import KINDS, cases, check, script
from reasonenv.integrations import conversation_rows, rows, tinker, tinker_turns
from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.rl.rollouts import do_group_rollout

from . import tiny

TOKENS = tiny.tokenizer()
RENDERER = get_renderer("role_colon", TOKENS)
END = "\n\nUser:"


class Scripted(TokenCompleter):
    """Says what a function of the prompt's text says."""

    def __init__(self, says: Any) -> None:
        self.says = says

    async def __call__(self, seen: Any, *_: Any, **__: Any) -> TokensWithLogprobs:
        said = self.says(TOKENS.decode(seen.to_ints()))
        ids = TOKENS.encode(f" {said}{END}", add_special_tokens=False)
        return TokensWithLogprobs(tokens=ids, maybe_logprobs=[0.0] * len(ids))


def rewards(builder: Any, says: Any) -> list[float]:
    """The total rewards of a group."""
    group = asyncio.run(asyncio.wait_for(do_group_rollout(builder, Scripted(says)), 120))
    return [float(one) for one in group.get_total_rewards()]


def test_a_group_of_a_task_is_paid_by_the_judge() -> None:
    task = reasonenv.family("countdown").sample(level=1)
    says = iter([task.wrap(task.solution.answer), "no idea"] * 2)
    (row,) = rows([task], reward={"correct": 1.0, "format": 0.1})
    group = tinker.ConversationGroupBuilder(row["problem"], RENDERER, 4)
    assert sorted(rewards(group, lambda _: next(says))) == [0.0, 0.0, 1.1, 1.1]


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_its_loop_plays_every_kind_of_episode(kind: str) -> None:
    for row in cases(kind, 6):
        played = by_conversation({}, row, script(row, plain=True))
        says = iter([text for role, text in played.messages if role == "assistant"])
        builder = tinker.ConversationGroupBuilder(row["problem"], RENDERER, 1)
        found = rewards(builder, lambda _, says=says: next(says))
        assert found == [pytest.approx(played.reward)]
        assert next(says, None) is None


def test_same_bytes_same_pay() -> None:
    assert check(tinker_play(tinker)) == 100


def test_a_conversation_is_rolled_out_over_its_turns() -> None:
    task = reasonenv.family("countdown").sample()
    row = next(conversation_rows("countdown", 1, turns="retry", attempts=3))
    builder = tinker.ConversationGroupBuilder(row["problem"], RENDERER, 2)
    right = task.wrap(task.solution.answer)
    assert rewards(builder, lambda seen: right if "no idea" in seen else "no idea") == [1.0, 1.0]


def test_two_seats_are_rolled_out_side_by_side() -> None:
    def first_free(seen: str) -> str:
        return f"<move>{seen.rpartition('positions: [')[2][0]}</move>"

    found = rewards(tinker_turns.game_group("tic_tac_toe", RENDERER, 5), first_free)
    assert sorted(found) == [-1.0, 1.0]


def test_a_data_set_gives_groups_that_roll_out() -> None:
    builder = tinker.TaskDatasetBuilder(
        source="countdown, sudoku",
        model_name_for_tokenizer="none",
        renderer_name="role_colon",
        batch_size=2,
        group_size=2,
        batches=3,
    )
    train, test = builder.datasets(RENDERER)
    assert test is not None
    assert (len(train), len(test)) == (3, 1)
    for group in train.get_batch(2):
        assert rewards(group, lambda _: "no idea") == [0.0, 0.0]


def test_builders_pickle_where_their_renderer_does() -> None:
    row = next(conversation_rows("countdown", 1))
    for builder in (
        tinker.ConversationGroupBuilder(row["problem"], None, 2),
        tinker_turns.game_group("nim", None, 3, params={"heaps": 4}),
    ):
        assert pickle.loads(pickle.dumps(builder)) == builder


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs" / "trainers" / "tinker.md", packages=True, given={"renderer": RENDERER})
