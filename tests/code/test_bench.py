"""`reasonenv bench verifiers` measures the verifiers that run code."""

import json

import pytest
from reasonenv._cli import app, bench_verifiers
from typer.testing import CliRunner


def test_programs_and_queries_are_measured_beside_a_fresh_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_verifiers, "_COUNT", 20)
    command = ["bench", "verifiers", "python_tests", "sql_result", "--seconds", "0.01", "--json"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    measured = json.loads(ran.stdout)["verifiers"]
    rates = {(one["verifier"], one["by"], one["rows"]): one["rows_per_second"] for one in measured}
    assert rates.keys() >= {(name, "reasonenv", "plain") for name in ("python_tests", "sql_result")}
    # About forty times as fast on an idle machine.
    ours, fresh = (rates["python_tests", by, "plain"] for by in ("reasonenv", "fresh python"))
    assert ours > 3 * fresh
