"""Verifiers for your own rows: each factory returns a function from (texts, references) to verdicts.

>>> from reasonenv import verifiers
>>> judge = verifiers.exact_match(tag="answer")
>>> judge(["so <answer>4</answer>", "<answer>5</answer>"], ["4", "4"]).passed.tolist()
[True, False]
>>> verifiers.number_equal(extract="auto")(["So the answer is 4.0."], ["4"]).passed.tolist()
[True]

Any text gets a verdict. Verifiers are stateless, pickle, and run in parallel without the GIL. All take

- `tag`: the tag around the answer; None takes the whole completion, trimmed.
- `extract`: place of the answer in a completion: "auto", "tag", "boxed", "hash", "formula", "last_number",
  "last_line" or "whole" (docs/verifiers.md).
- `reading`: "clean", "strict" or "lenient" (docs/verifier-safety.md).
- `stop_tokens`: end-of-turn marks of your model. At the end of a completion they count as white space, as do
  those of the common chat templates; in a whole completion only yours do.

`python_tests` runs programs against tests, and `sql_result` runs queries; both read code blocks, and
docs/code.md has their options. `synthetic2` verifies rows of that data set (docs/synthetic2.md).

`all_of`, `any_of`, `weighted` and `first_readable` combine several verifiers; `from_config` makes one from
plain data. `check(references)` finds all invalid references before a run.

A reference may be a number or other plain data, which counts as its JSON, or a list of accepted answers, as
in SQuAD's rows; the best of them counts:

>>> verifiers.text_f1(tag=None)(["The Nile"], [["Nile", "river Nile"]]).passed.tolist()
[True]

A text may be a list of chat messages, of which the last one is checked. A bad option raises InvalidParams. A
call raises InvalidArgument unless there are as many references as texts, and InvalidReference for the first
reference that no answer can be compared with.
"""

from reasonenv._native import (
    common_failures,
    list_readings,
    read_answers,
    tree_compat,
)
from reasonenv.verifiers._code._rows import read_tests
from reasonenv.verifiers._code._tests import CodeTests
from reasonenv.verifiers._combined import (
    Judge,
    Reference,
    all_of,
    any_of,
    config_of,
    first_readable,
    from_config,
    weighted,
)
from reasonenv.verifiers._defined import PythonVerifier, Verifier, list_verifiers
from reasonenv.verifiers._factories import (
    Extract,
    Normalize,
    ascii_tree,
    choice,
    difflib_ratio,
    edit_ratio,
    exact_match,
    instructions,
    json_equal,
    json_schema,
    lcs_ratio,
    length,
    list_equal,
    number_equal,
    output_equal,
    regex_match,
    rouge_l,
    set_equal,
    table_equal,
    tags,
    text_f1,
    think,
)
from reasonenv.verifiers._maths import math_equal
from reasonenv.verifiers._python_tests import python_tests
from reasonenv.verifiers._sql_result import sql_result
from reasonenv.verifiers._synthetic2._verifier import synthetic2

__all__ = [
    "CodeTests",
    "Extract",
    "Judge",
    "Normalize",
    "PythonVerifier",
    "Reference",
    "Verifier",
    "all_of",
    "any_of",
    "ascii_tree",
    "choice",
    "common_failures",
    "config_of",
    "difflib_ratio",
    "edit_ratio",
    "exact_match",
    "first_readable",
    "from_config",
    "instructions",
    "json_equal",
    "json_schema",
    "lcs_ratio",
    "length",
    "list_equal",
    "list_readings",
    "list_verifiers",
    "math_equal",
    "number_equal",
    "output_equal",
    "python_tests",
    "read_answers",
    "read_tests",
    "regex_match",
    "rouge_l",
    "set_equal",
    "sql_result",
    "synthetic2",
    "table_equal",
    "tags",
    "text_f1",
    "think",
    "tree_compat",
    "weighted",
]
