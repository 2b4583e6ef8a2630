"""No program passes without implementing the function, escapes, or stalls a batch."""

import time
from pathlib import Path

import pytest
from attacks import CANARY, FORMATS, SECRETS, Attack, attacks
from reasonenv import verifiers

ATTACKS = list(attacks())
RIGHT = f"def mix(n):\n    return {SECRETS!r}[n]"


def test_the_corpus_is_large_and_distinct() -> None:
    quick = [one for one in ATTACKS if not one.slow]
    assert len(quick) >= 600
    assert len({(one.completion, one.reference) for one in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
def test_a_right_program_passes_in_every_format(runtime: str) -> None:
    judge = verifiers.python_tests(runtime=runtime)  # type: ignore[arg-type]
    for name, reference in FORMATS.items():
        program = RIGHT + ("\nprint(mix(int(input())))" if name == "stdin" else "")
        verdict = judge([f"```python\n{program}\n```"], [reference])[0]
        assert verdict.passed, (name, verdict)


def refused(runtime: str, chosen: list[Attack], seconds: float = 0.3) -> float:
    judge = verifiers.python_tests(runtime=runtime, seconds=seconds, memory_mb=128, output_kb=64)  # type: ignore[arg-type]
    start = time.monotonic()
    verdicts = judge([one.completion for one in chosen], [one.reference for one in chosen])
    taken = time.monotonic() - start
    paid = [
        one.name for one, verdict in zip(chosen, verdicts, strict=True) if verdict.passed or verdict.score
    ]
    assert paid == []
    assert all(verdict.failures and verdict.detail for verdict in verdicts)
    assert not Path(CANARY).exists()
    return taken


def test_no_attack_is_paid_under_monty() -> None:
    refused("monty", [one for one in ATTACKS if not one.slow])


@pytest.mark.parametrize("format_", ["asserts", "stdin"])
def test_no_attack_is_paid_under_cpython(format_: str) -> None:
    refused("cpython", [one for one in ATTACKS if not one.slow and one.name.startswith(format_)])


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["check", "pytest", "json"])
def test_no_attack_is_paid_under_cpython_in_other_formats(format_: str) -> None:
    refused("cpython", [one for one in ATTACKS if not one.slow and one.name.startswith(format_)])


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
@pytest.mark.parametrize("format_", ["asserts", "stdin"])
def test_no_attack_holds_a_batch_up(runtime: str, format_: str) -> None:
    chosen = [one for one in ATTACKS if one.slow and one.name.startswith(format_)]
    # A row may take four times the seconds of a test, plus the running test and the cleanup.
    assert refused(runtime, chosen, seconds=0.2) < len(chosen) * (5 * 0.2 + 1.5) + 5


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["monty", "cpython"])
@pytest.mark.parametrize("format_", ["check", "pytest", "json"])
def test_no_attack_holds_a_batch_up_in_other_formats(runtime: str, format_: str) -> None:
    chosen = [one for one in ATTACKS if one.slow and one.name.startswith(format_)]
    assert refused(runtime, chosen, seconds=0.2) < len(chosen) * (5 * 0.2 + 1.5) + 5


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
def test_a_right_program_beside_attacks_passes(runtime: str) -> None:
    judge = verifiers.python_tests(runtime=runtime, seconds=2, memory_mb=128)  # type: ignore[arg-type]
    hostile = [
        one for one in ATTACKS if one.name in ("asserts: doubling", "asserts: os exit", "asserts: noise")
    ]
    texts, references = [], []
    for one in hostile:
        texts += [one.completion, f"```python\n{RIGHT}\n```"]
        references += [one.reference, one.reference]
    assert judge(texts, references).passed.tolist() == [False, True] * len(hostile)
