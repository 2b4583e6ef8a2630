"""`sql_result` on hundreds of near misses, proved wrong on databases of their own, and right rewordings."""

import pytest
import sql_proofs
import sql_rows
import sql_schemas
import sql_slips
from reasonenv import verifiers

SEEDS = range(15)
"""A row of each form; together more than 200 near misses."""


@pytest.mark.parametrize("seed", SEEDS)
def test_near_misses_fail_and_rewordings_pass(seed: int) -> None:
    (row,) = sql_rows.rows(range(seed, seed + 1))
    near, right = sql_proofs.told_apart(row)
    assert len(near) >= 4
    assert right == list(dict.fromkeys(row.right)), "a rewording is wrong"
    schema = sql_schemas.structure(row.schema) if seed % 3 == 0 else sql_proofs.shown(row.schema, seed)
    _judged(schema, row.reference, near, [row.reference, *right])


@pytest.mark.parametrize("at", range(len(sql_slips.ROWS)))
def test_slips_fail_and_rewordings_pass(at: int) -> None:
    schema, reference, near, right = sql_slips.ROWS[at]
    _judged(schema, reference, near, [reference, *right])


def _judged(schema: str, reference: str, near: list[str], right: list[str]) -> None:
    judge = verifiers.sql_result()
    row = {"schema": schema, "query": reference}
    verdicts = judge([*near, *right], [row] * len([*near, *right]))
    paid = [query for query, passed in zip(near, verdicts.passed[: len(near)], strict=True) if passed]
    refused = [
        (query, detail)
        for query, passed, detail in zip(
            right, verdicts.passed[len(near) :], verdicts.detail[len(near) :], strict=True
        )
        if not passed
    ]
    assert (paid, refused) == ([], []), reference
