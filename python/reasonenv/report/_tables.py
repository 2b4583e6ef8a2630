"""The tables of a report."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from reasonenv.report._form import PageTable, TableCell, count, interval, percent, rounded
from reasonenv.report._measures import Measures, ResultKey
from reasonenv.report._played import RESULTS
from reasonenv.report._rates import PassRate, PooledRate, Rate

_MOST_LABELS = 8
"""Failures that are shown at once."""

_MOST_POLICIES = 4
"""Policies with a column of their own among the failures."""

Baselines = Mapping[tuple[str, int | None], Mapping[str, Rate]]
Rows = list[list[TableCell | str]]


def names(measures: Measures) -> dict[tuple[str, str], str]:
    """Name of each family of a source: the family's, with the source's if that adds information."""
    pairs = sorted({(key.source, key.family) for key in measures.cells})
    families = Counter(source for source, _ in pairs)
    return {
        (source, family): family
        if family == source or len(families) == 1
        else (source if families[source] == 1 else f"{source}: {family}")
        for source, family in pairs
    }


def units(measures: Measures, policy: str = "") -> dict[str, list[Rate]]:
    """Pass rates by name of the family, of one policy or of all."""
    found: dict[str, list[Rate]] = defaultdict(list)
    named = names(measures)
    for key, cell in measures.cells.items():
        if policy in ("", key.policy):
            found[named[key.source, key.family]].append(cell.rate)
    return found


def _heat(rate: PassRate, *, note: bool = False) -> TableCell:
    if note:
        return TableCell(percent(rate.rate), heat=rate.rate, note=interval(rate.interval))
    return TableCell(rounded(rate.rate), heat=rate.rate)


def matrices(measures: Measures, baselines: Baselines) -> list[PageTable]:
    """Families by level, a table for each policy; with a single level, families by policy.

    Blind policies are the last columns of the first table.
    """
    policies = [policy for policy, _ in measures.ranked()]
    levels = sorted({key.level for key in measures.cells if key.level is not None})
    blind = sorted({name for found in baselines.values() for name in found})
    named = names(measures)

    def row(source: str, family: str, policy: str) -> list[TableCell | str]:
        keys = [ResultKey(source, family, level, policy) for level in (None, *levels)]
        rates = [measures.cells[key].rate if key in measures.cells else None for key in keys]
        known = [rate for rate in rates if rate is not None]
        every = _heat(PooledRate(known), note=True) if known else TableCell()
        return [every, *(TableCell() if rate is None else _heat(rate) for rate in rates[1:])]

    def beside(source: str) -> list[TableCell]:
        found = [rates for (one, _), rates in baselines.items() if one == source]
        pools = (PooledRate([rates[name] for rates in found if name in rates]) for name in blind)
        return [_heat(pool) if len(pool) else TableCell() for pool in pools]

    if len(levels) < 2:
        rows: Rows = [
            [name, *(row(*unit, policy)[0] for policy in policies), *beside(unit[0])]
            for unit, name in named.items()
        ]
        return [PageTable(["family", *policies, *blind], rows)]
    columns = ["family", "all levels", *(f"level {level}" for level in levels)]
    tables = []
    for policy in policies:
        rows = [[name, *row(*unit, policy), *beside(unit[0])] for unit, name in named.items()]
        tables.append(PageTable([*columns, *blind], rows, name=policy if len(policies) > 1 else ""))
        blind = []
    return tables


def games(measures: Measures) -> list[PageTable]:
    """Results of episodes by policy, beside those of reference policies."""
    tables = []
    for source in sorted({source for source, _ in measures.played}):
        rows: Rows = []
        for name, shares in measures.sources.exact(source).items():
            cells = [TableCell(percent(share), heat=share) for share in (*shares, 0.0)]
            rows.append([TableCell(name, mark="exact"), *cells, "", ""])
        for (one, policy), played in sorted(measures.played.items()):
            if one == source:
                cells = [
                    TableCell(
                        percent(played.share(result)),
                        heat=played.share(result),
                        note=interval(played.interval(result)),
                    )
                    for result in RESULTS
                ]
                rows.append([policy, *cells, f"{played.mean_reward:.3f}", f"{played.count:,}"])
        tables.append(PageTable(["policy", *RESULTS, "mean reward", "episodes"], rows, name=source))
    return tables


def failures(measures: Measures) -> list[PageTable]:
    """Reasons by frequency, each with an example."""
    named = names(measures)
    by_policy: dict[str, Counter[str]] = defaultdict(Counter)
    by_unit: dict[str, Counter[str]] = defaultdict(Counter)
    for key, cell in measures.cells.items():
        for label, n in cell.failures.items():
            by_policy[label][key.policy] += n
            by_unit[label][named[key.source, key.family]] += n
    failed = sum(cell.failed for cell in measures.cells.values())
    policies = sorted({key.policy for key, cell in measures.cells.items() if cell.failed})
    policies = policies if 1 < len(policies) <= _MOST_POLICIES else []
    rows: Rows = []
    for label, times in sorted(by_policy.items(), key=lambda one: (-one[1].total(), one[0])):
        total = times.total()
        places = sorted(by_unit[label].items(), key=lambda one: (-one[1], one[0]))
        where = ", ".join(f"{name} {rounded(n / total)}" for name, n in places[:3])
        share = total / failed
        rows.append(
            [
                label,
                TableCell(f"{total:,}", bands=(share, 1 - share), note=rounded(share)),
                _example(measures, label),
                where + (f" and {len(places) - 3} more" if len(places) > 3 else ""),
                *(f"{times[policy]:,}" for policy in policies),
            ]
        )
    columns = ["failure", "rollouts", "example", "where", *policies]
    first, rest = rows[:_MOST_LABELS], rows[_MOST_LABELS:]
    words = frozenset({2, 3})
    tables = [
        PageTable(columns, first, words=words),
        PageTable(columns, rest, words=words, fold=f"Show {len(rest)} more"),
    ]
    return [table for table in tables if table.rows]


def _example(measures: Measures, label: str) -> TableCell:
    one = measures.samples.example(label)
    first = " ".join((one.detail or one.answer or "no answer").split())
    folds = [("Prompt", one.prompt), ("Completion", one.text), ("Why it fails", one.detail)]
    level = "" if one.level is None else f", level {one.level}"
    return TableCell(
        first if len(first) <= 120 else f"{first[:119]}…",
        fold=[fold for fold in folds if fold[1]],
        note=f"{one.family}{level}, {one.policy}",
    )


def settings(measures: Measures) -> tuple[str, list[PageTable]]:
    """Effects of settings that vary alone, in words and as a table of those that matter.

    A setting matters if the intervals of its best and worst values are disjoint.
    """
    varied: dict[tuple[str, str], dict[str, PassRate]] = defaultdict(dict)
    for (family, name, value), rate in sorted(measures.settings.items()):
        varied[family, name][value] = rate
    rows: list[tuple[float, list[TableCell | str]]] = []
    several = {setting: values for setting, values in varied.items() if len(values) > 1}
    for (family, name), values in several.items():
        order = sorted(values.items(), key=lambda one: one[1].rate)
        (worst, low), (best, high) = order[0], order[-1]
        if low.interval[1] < high.interval[0]:
            apart = high.rate - low.rate
            ends = [(worst, low), (best, high)]
            cells = [
                cell
                for end in ends
                for cell in (_value(measures, family, name, end[0]), _heat(end[1], note=True))
            ]
            rows.append(
                (apart, [TableCell(name, note=family), *cells, f"{100 * apart:.1f}", str(len(values))])
            )
    if not several:
        return "", []
    vary = "varies" if len(several) == 1 else "vary"
    separate = "separates" if len(rows) == 1 else "separate"
    finding = (
        f"{count(len(several), 'setting')} {vary} alone; {len(rows) or 'none'} of them {separate} pass rates "
        "by more than the 95% intervals. Params that change together, as from level to level, are left out."
    )
    columns = ["setting", "worst value", "pass rate", "best value", "pass rate", "points apart", "values"]
    ordered = [row for _, row in sorted(rows, key=lambda one: -one[0])]
    return finding, [PageTable(columns, ordered, words=frozenset({1, 3}))] if rows else []


def _value(measures: Measures, family: str, name: str, value: str) -> TableCell:
    held_out = name == "wording" and (family, value) in measures.sources.held_out
    return TableCell(value, mark="held out" if held_out else "")


def numbers(measures: Measures, baselines: Baselines) -> list[PageTable]:
    """All numbers by family, level and policy."""
    named = names(measures)
    cells = sorted(
        ((named[key.source, key.family], key, cell) for key, cell in measures.cells.items()),
        key=lambda one: (one[0], -1 if one[1].level is None else one[1].level, one[1].policy),
    )
    ks = sorted({k for _, _, cell in cells for k in cell.rate.pass_at} - {1})
    blind = sorted({name for found in baselines.values() for name in found})
    several = len(measures.policies) > 1
    rows: Rows = []
    for name, key, cell in cells:
        rate, level = cell.rate, "" if key.level is None else f"level {key.level}"
        at, known = rate.pass_at, baselines.get((key.source, key.level), {})
        lost = f"{cell.failed_score / cell.failed:.3f}" if cell.failed else ""
        rows.append(
            [
                f"{name}{', ' if level else ''}{level}",
                *([key.policy] if several else []),
                _heat(rate, note=True),
                *(percent(at[k]) if k in at else "" for k in ks),
                *(percent(known[one].rate) if one in known else "" for one in blind),
                TableCell(percent(rate.bands[1]), bands=rate.bands) if ks else "",
                f"{cell.mean_score:.3f}",
                lost,
                f"{cell.mean_reward:.3f}",
                f"{len(rate):,}",
                f"{rate.tried:,}",
            ]
        )
    columns = [
        "family and level",
        *(["policy"] if several else []),
        "pass rate",
        *(f"pass@{k}" for k in ks),
        *blind,
        "mixed",
        "score",
        "score when failed",
        "reward",
        "tasks",
        "rollouts",
    ]
    words = frozenset({1} if several else ())
    return [PageTable(columns, rows, words=words, fold=f"Show {count(len(rows), 'row')}")] if rows else []
