"""Every verifier, with answers and references for it."""

import pytest
from reasonenv import _native, verifiers
from reasonenv.verifiers import Verifier

ALL: dict[str, Verifier] = {
    **{name: Verifier(name) for name in _native.list_verifiers()},
    "exact_match, a function": verifiers.exact_match(normalize=str.lower),
    "exact_match, case+spacing": verifiers.exact_match(normalize="case+spacing"),
    "number_equal, tolerance": verifiers.number_equal(tolerance=0.01),
    "number_equal, auto": verifiers.number_equal(extract="auto", units=["km"], thousands=True),
    "math_equal, whole": verifiers.math_equal(tag=None, tolerance=0.01, require_units=True),
    "choice, texts": verifiers.choice(choices=["no", "yes"], extract="auto"),
    "json_schema, fixed": verifiers.json_schema(schema={"type": "integer", "maximum": 3}),
    "table_equal, near": verifiers.table_equal(tolerance=0.1, row_order=True, typed=True),
    "regex_match, search": verifiers.regex_match(search=True),
    "output_equal, lines": verifiers.output_equal(by="lines", tolerance=0.1),
    "ascii_tree, compat": verifiers.ascii_tree(scorer="compat"),
    "ascii_tree, structural": verifiers.ascii_tree(scorer="structural"),
}
JUDGES = pytest.mark.parametrize("judge", ALL.values(), ids=ALL)
LONE = "\ud800"


def answers(judge: Verifier, *texts: str) -> list[str]:
    """The texts as well-formed completions."""
    tag = judge.options["tag"]
    return [text if tag is None else f"<{tag}>{text}</{tag}>" for text in texts]


def reference_of(judge: Verifier) -> str:
    """A valid reference; SYNTHETIC-2's scorer never passes a tree of one line."""
    return "1\n `--1" if judge.options.get("scorer") == "compat" else judge.example["reference"]


def right_of(judge: Verifier) -> str:
    """Answer that passes for that reference."""
    return reference_of(judge) if judge.options.get("scorer") == "compat" else judge.example["right"]


def passes(judge: Verifier, answer: str, reference: str) -> bool:
    return bool(judge(answers(judge, answer), [reference]).passed[0])
