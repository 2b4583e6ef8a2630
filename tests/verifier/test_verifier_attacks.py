"""Wrong answers written to be passed, with right ones to compare, for every verifier of rows."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from reasonenv.verifiers import Verifier

PAIRS = Path(__file__).parents[1] / "golden/attacks.jsonl"


def test_attacks_fail_and_right_answers_pass() -> None:
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows[row["verifier"], json.dumps(row.get("options", {}), sort_keys=True)].append(row)
    assert sum(map(len, rows.values())) >= 1_000
    misjudged = []
    for (name, options), group in rows.items():
        given = json.loads(options)
        judge = Verifier(name, tag="answer" if "extract" in given else None, **given)
        verdicts = judge([row["answer"] for row in group], [row["reference"] for row in group])
        for row, verdict in zip(group, verdicts, strict=True):
            if verdict.passed != row["passes"]:
                misjudged.append((name, row["reference"], row["answer"], verdict.failures))
    assert not misjudged
