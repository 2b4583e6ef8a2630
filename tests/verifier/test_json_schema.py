"""Reasons for our own JSON Schema verifier: `jsonschema` compares floats and does not bound its work."""

import json
import time
from typing import Any

import jsonschema
import pytest
from reasonenv import verifiers

OURS = verifiers.json_schema(tag=None)


def ours(schema: dict[str, Any], text: str) -> bool:
    return bool(OURS([text], [json.dumps(schema)])[0].passed)


def theirs(schema: dict[str, Any], text: str) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(json.loads(text)))


@pytest.mark.parametrize(
    ("schema", "text", "allowed"),
    [
        ({"multipleOf": 0.1}, "0.3", True),
        ({"multipleOf": 0.01}, "1.13", True),
        ({"type": "integer"}, "1.0000000000000000001", False),
        ({"maximum": 1}, "1.00000000000000000001", False),
        ({"exclusiveMinimum": 0}, "1e-400", True),
        ({"const": 9007199254740993}, "9007199254740993.0", True),
        ({"uniqueItems": True}, "[1, 1.00000000000000000001]", True),
    ],
)
def test_numbers_are_exact_and_not_floats(schema: dict[str, Any], text: str, *, allowed: bool) -> None:
    assert ours(schema, text) is allowed
    assert theirs(schema, text) is not allowed


def nested(depth: int) -> str:
    return '{"x":' * depth + "1" + "}" * depth


BRANCH = {"type": "object", "required": ["x"], "properties": {"x": {"$ref": "#/$defs/tree"}}}
TREE = {"$defs": {"tree": {"anyOf": [BRANCH, BRANCH]}}, "$ref": "#/$defs/tree"}
PATTERN = {"pattern": "^(a+)+$"}


@pytest.mark.parametrize(
    ("schema", "short", "longer", "long"),
    [
        (TREE, nested(4), nested(7), nested(30)),
        (PATTERN, f'"{"a" * 12}b"', f'"{"a" * 17}b"', f'"{"a" * 60_000}b"'),
    ],
    ids=["branches", "pattern"],
)
def test_work_is_bounded(schema: dict[str, Any], short: str, longer: str, long: str) -> None:
    """A few more levels or letters multiply the time of `jsonschema`; ours is bounded."""

    def seconds(text: str) -> float:
        start = time.thread_time()
        assert not theirs(schema, text)
        return time.thread_time() - start

    assert seconds(longer) > 4 * min(seconds(short) for _ in range(3))
    start = time.thread_time()
    assert not ours(schema, long)
    assert time.thread_time() - start < 0.2
