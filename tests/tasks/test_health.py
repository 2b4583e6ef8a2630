"""Families keep what they declare, and the check notices one that does not."""

import json
from dataclasses import replace

import pytest
import reasonenv
from reasonenv import health
from reasonenv._cli import app
from reasonenv.errors import InvalidArgument
from typer.testing import CliRunner

FEW = 20


def test_a_family_holds_what_it_declares() -> None:
    found = health.check("modular_arithmetic", levels=[0, 2], count=FEW)
    assert found.complaints == []
    assert [(one.level, one.items) for one in found.levels] == [(0, FEW), (2, FEW)]
    easy, harder = found.levels
    assert easy.work < harder.work
    assert easy.solved == harder.refused == 1
    assert all(0 < one.generation_ms[0] <= one.generation_ms[1] for one in found.levels)
    assert json.loads(json.dumps(found.to_dict()))["levels"][1]["level"] == 2
    assert health.markdown([found]).count("`modular_arithmetic`") == 2


def test_every_breach_is_told() -> None:
    family = reasonenv.family("modular_arithmetic")
    top = family.top_level
    measured = health.check(family, levels=[3], count=FEW).levels[0]
    easy = replace(measured, level=0, work=1.0, work_error=0.0, items=10_000)
    hard = replace(easy, level=top, work=30.0)
    assert not told(easy, hard)
    assert "refuses 1.0% of the family's own" in told(replace(easy, solved=0.99), hard)
    assert "passes 0.50% of wrong answers" in told(easy, replace(hard, refused=0.995))
    assert "only 90.0% of its items differ" in told(easy, replace(hard, distinct=0.9))
    guessed = family.guess_rate + 0.2
    assert f"echo passes {guessed:.1%}" in told(replace(easy, blind={health.ECHO: guessed}), hard)
    assert f"level {top} is no harder" in told(easy, replace(hard, work=1.0))
    assert "only 9.0 times the work" in told(easy, replace(hard, work=9.0))


def test_what_few_items_leave_in_doubt_is_no_breach() -> None:
    family = reasonenv.family("modular_arithmetic")
    measured = health.check(family, levels=[3], count=FEW).levels[0]
    easy = replace(measured, level=0, work=1.0, work_error=0.02, items=10_000)
    hard = replace(easy, level=family.top_level, work=9.5, work_error=0.1)
    assert not told(easy, hard)
    assert "only 8.9 times the work" in told(easy, replace(hard, work=8.9))
    assert "is no harder" in told(easy, replace(hard, work=0.5))


def told(*levels: health.LevelHealth) -> str:
    return "\n".join(health._complaints(reasonenv.family("modular_arithmetic"), levels))


@pytest.mark.parametrize("name", ["complete_from_prefix", "repair_solution"])
def test_a_problem_that_is_answered_as_the_one_within_it_is_held_to_the_larger_rate(name: str) -> None:
    found = health.check(name, levels=[1], count=FEW)
    within = json.loads(reasonenv.family(name).sample(level=1).problem)["inner"]["family"]
    rates = [reasonenv.family(one).guess_rate for one in (name, within)]
    assert max(rates) > 0
    assert found.levels[0].declared == pytest.approx(max(rates))


def test_a_level_too_high_and_too_few_items_are_refused() -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match="level"):
        health.check("chain_sum", levels=[99])
    with pytest.raises(InvalidArgument, match="`count` is 3"):
        health.check("chain_sum", count=3)


def test_the_command_line_tells_and_exits_by_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    run = CliRunner().invoke
    whole = run(app, ["health", "chain_sum", "--level", "0", "-n", "20"])
    assert whole.exit_code == 0
    assert "chain_sum" in whole.output
    assert "no contract broken" in whole.output
    assert run(app, ["health", "chain_sum", "-l", "0-1", "-n", "20", "--markdown"]).output.count("| `") == 2
    wrong = replace(health.check("chain_sum", levels=[0], count=FEW), complaints=["level 0: wrong"])
    monkeypatch.setattr(health, "check", lambda *_, **__: wrong)
    broken = run(app, ["health", "chain_sum"])
    assert broken.exit_code == 1
    assert "chain_sum, level 0: wrong" in broken.output


def test_the_reach_of_policies_is_shown_by_level() -> None:
    run = CliRunner().invoke
    given = ["health", "chain_sum", "sorting", "-l", "0,2", "-n", "20", "--markdown", "--group-size", "2"]
    alone = run(app, [*given, "--policy", "probe:3"])
    assert alone.exit_code == 0
    assert "| Family | Level | Policy | Problems | Passed | Mixed groups | Right form |" in alone.output
    assert alone.output.count("| `probe:3` |") == 4
    assert "`probe:3` passes 5% or more in " in alone.output
    both = run(app, [*given, "--policy", "probe:3", "--policy", "oracle"]).stdout
    assert " | Difficulty |" in both
    assert both.count("| 100% | 0% | 100% |") == 4
    rows = run(app, [*given[:2], "-l", "11,1", "-n", "20", "--json", "--policy", "oracle"]).stdout
    assert [row["level"] for row in json.loads(rows)["rows"]] == [1]


def test_settings_of_models_are_refused_without_a_policy() -> None:
    for option, value in (("--max-tokens", "64"), ("--temperature", "0.7")):
        done = CliRunner().invoke(app, ["health", "chain_sum", "-l", "0", "-n", "20", option, value])
        assert done.exit_code == 1
        said = f"error: `{option}` is {value}, but without `--policy` no model is asked; leave it out"
        assert done.stderr.splitlines() == [said]
