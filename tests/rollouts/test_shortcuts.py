"""Shortcuts of families as policies, and how often a policy agrees with them."""

import pytest
import reasonenv
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.rollouts import shortcut_agreement


def test_a_shortcut_is_a_policy() -> None:
    records = reasonenv.rollout("knapsack", "shortcut:lightest-first", n=40, group_size=2, level=6)
    task = reasonenv.family("knapsack").sample(seed=0, index=0, level=6)
    assert records[0].text == task.wrap(task.shortcuts()["lightest-first"])
    assert sum(one.passed is True for one in records) < len(records) / 5
    assert not any("malformed_answer" in one.verdict["failures"] for one in records if one.verdict)
    with pytest.raises(UnknownName, match="no shortcut of sudoku `lightest-first`"):
        reasonenv.rollout("sudoku", "shortcut:lightest-first", n=1)


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_shortcuts_have_names_that_a_command_line_takes(name: str) -> None:
    found = reasonenv.family(name).sample(seed=0, index=0, level=1).shortcuts()
    assert all(one and " " not in one and "," not in one for one in found)
    assert found == reasonenv.family(name).sample(seed=0, index=0, level=1).shortcuts()


def test_agreement_counts_where_the_shortcut_is_wrong() -> None:
    source = reasonenv.family("knapsack").source(level=6)
    tasks = list(source.batch(0, 30))
    taken = shortcut_agreement(
        reasonenv.rollout(source, "shortcut:lightest-first", n=30, group_size=2), tasks
    )
    solved = shortcut_agreement(reasonenv.rollout(source, "oracle", n=30, group_size=2), tasks)
    name = "knapsack/lightest-first"
    assert taken[name].rate == 1
    assert taken[name].tasks == solved[name].tasks > 30
    assert solved[name].rate == 0
    with pytest.raises(InvalidArgument, match="`tasks` lacks"):
        shortcut_agreement(reasonenv.rollout(source, "oracle", n=30, group_size=1), tasks[:5])


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_no_shortcut_passes_a_fifth_of_the_top_level(name: str) -> None:
    family = reasonenv.family(name)
    passed: dict[str, list[bool]] = {}
    for task in family.source(level=family.top_level).batch(0, 40):
        for shortcut, answer in task.shortcuts().items():
            passed.setdefault(shortcut, []).append(task.verify(task.wrap(answer)).passed)
    rates = {shortcut: sum(some) / len(some) for shortcut, some in passed.items()}
    assert all(rate <= 0.2 for rate in rates.values()), rates
