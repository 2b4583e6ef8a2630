"""Counts of the verdicts on rows, and what to change where they fail for their form."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from reasonenv._intervals import clustered_interval, wilson_interval
from reasonenv.data._hints import UNSUPPORTED, FormHint
from reasonenv.data._judged import RowVerdict
from reasonenv.rewards.groups import pass_at_k


@dataclass
class JudgeCounts:
    """Counts of verdicts, in constant memory.

    Completions that the runtime could not run are set apart: they count in no rate.
    """

    form: FormHint
    completions: int = 0
    passed: int = 0
    unsupported: int = 0
    scores: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each label the first row where it comes first, and the reason."""
    _groups: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Rows by the numbers of their completions and of those that passed, but for the latest row."""
    _latest: tuple[Any, int, int] | None = None
    """Id of the latest row, and the numbers of its completions."""

    def add(self, judged: RowVerdict) -> None:
        """Count a verdict. Completions in succession with equal ids are of one row."""
        verdict = judged.verdict
        runs = UNSUPPORTED not in verdict.failures
        self.completions += 1
        self.unsupported += not runs
        self.passed += verdict.passed
        self.scores += verdict.score if runs else 0.0
        self.failures.update(verdict.failures)
        for label in verdict.failures[:1]:
            self.first.setdefault(label, (judged.where, verdict.detail))
        if self._latest is None or judged.id != self._latest[0] or judged.sample == 0:
            if self._latest is not None:
                self._groups[self._latest[1:]] += 1
            self._latest = (judged.id, 0, 0)
        row, tried, right = self._latest
        self._latest = (row, tried + runs, right + verdict.passed)

    @property
    def groups(self) -> Counter[tuple[int, int]]:
        """Number of rows by their completions that ran and those that passed."""
        return self._groups + Counter([self._latest[1:]] if self._latest is not None else [])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.groups.total()

    @property
    def ran(self) -> int:
        """Number of completions that count."""
        return self.completions - self.unsupported

    @property
    def pass_rate(self) -> float:
        """Share of the completions that passed."""
        return self.passed / self.ran if self.ran else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the pass rate."""
        rows = [(tried, right) for tried, right in self.groups if tried]
        if all(tried == 1 for tried, _ in rows):
            return wilson_interval(self.passed, self.ran)
        tried, right = zip(*(one for one in self.groups.elements() if one[0]), strict=True)
        return clustered_interval(right, tried)

    @property
    def pass_at(self) -> dict[int, float]:
        """pass@k for powers of two and the fewest completions of a row; empty for one completion a row."""
        rows = {one: count for one, count in self.groups.items() if one[0]}
        most = min((tried for tried, _ in rows), default=1)
        ks = sorted({1 << at for at in range(most.bit_length())} | {most}) if most > 1 else []
        total = sum(rows.values())
        return {k: sum(pass_at_k(*one, k) * count for one, count in rows.items()) / total for k in ks}

    @property
    def mean_score(self) -> float:
        """Mean score of the completions."""
        return self.scores / self.ran if self.ran else 0.0

    @property
    def notes(self) -> list[str]:
        """Remarks: the completions that the rate leaves out, and options under which more pass."""
        notes = []
        if self.unsupported:
            notes.append(
                f"{self.unsupported} of {self.completions} could not be run and count in no rate; "
                "--option runtime=cpython runs all of Python"
            )
        if self.form.best is not None:
            option, more = self.form.best
            failed = self.ran - self.passed
            notes.append(
                f"{self.form.failures} of {failed} failures are of form; with --option "
                f"{option.replace(', ', ' --option ')}, {self.passed + more} of {self.ran} pass"
            )
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        best = self.form.best
        return {
            "rows": self.rows,
            "completions": self.completions,
            "passed": self.passed,
            "unsupported": self.unsupported,
            "pass_rate": self.pass_rate,
            "interval": self.interval,
            "pass_at": {str(k): share for k, share in self.pass_at.items()},
            "mean_score": self.mean_score,
            "failures": dict(self.failures.most_common()),
            "failures_of_form": self.form.failures,
            "laxer": None if best is None else {"options": best[0], "passed": self.passed + best[1]},
            "first_failures": {
                label: {"row": where, "detail": detail} for label, (where, detail) in self.first.items()
            },
        }
