"""Rows of each kind of SYNTHETIC-2 with expected scores; run it to write tests/golden/synthetic2.

`compat` comes from the published rules in `synthetic2_reference`. Whether a row passes is said here, by the
fragment of an answer that it contains.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import synthetic2_reference as published
from ascii_tree_reference import compat as tree_compat

GOLDEN = Path(__file__).parents[1] / "golden/synthetic2"
THINK = "<think>so</think>"


class Case(NamedTuple):
    """A row: its reference, an answer that passes, wrong ones, and a kind's own completions."""

    info: dict[str, Any]
    right: str
    wrong: tuple[str, ...]
    own: tuple[tuple[str, bool], ...] = ()


def completions(kind: str, case: Case) -> Iterator[tuple[str, bool]]:
    """Completions, each with whether it passes."""
    right, wrong = case.right, case.wrong[0]
    if kind == "ifeval":  # any text may follow an instruction
        yield from (
            (THINK + right, True),
            (right, True),
            (THINK + wrong, False),
            (f"<think>{right}</think>", False),
        )
        return
    yield THINK + right, True
    yield right, True
    yield f"so</think>\n{right}\n", True
    yield from ((THINK + one, False) for one in case.wrong)
    yield f"<think>{right}</think>", False
    yield f"<think>{right}", False
    yield f"<think>{wrong}</think>so</think>{right}", True
    yield f"<think>so</think>{right}</think>{wrong}", False
    yield THINK, False
    yield "", False
    yield THINK + right[: len(right) * 2 // 3], False
    yield THINK + right.translate(str.maketrans("<`{:", "['(;")), False
    yield f"{THINK}{wrong}\n\n{right}", kind == "prime_rl_code"  # of several programs the last counts
    yield f"{THINK}{right}\n\n{wrong}", False
    yield THINK + "```" * 50 + " " * 50 + "{" * 50 + "[" * 50 + "<" * 50, False
    yield "\0" + THINK + "\ud800\0", False
    yield from case.own


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


TREE = "main\n +--java\n |   `--org\n `--webapp"
MODEL = '''from enum import Enum
from typing import Dict, List, Literal, Optional
from pydantic import BaseModel, ConfigDict, Field

class Kind(str, Enum):
    INDOOR = "indoor"
    OPEN_AIR = "open air"

class Stage(BaseModel):
    """A stage."""
    model_config = ConfigDict(extra="forbid")
    name: str = Field(..., min_length=1, max_length=20)
    seats: int = Field(ge=1, description="places")

class Festival(BaseModel):
    title: str
    kind: Kind
    stages: List[Stage] = Field(..., min_length=1)
    prices: Dict[str, float] = Field(default_factory=dict)
    status: Literal["planned", "over"] = "planned"
    rating: Optional[float] = Field(None, ge=0, le=5)
'''
FESTIVAL = (
    '{"title": "May", "kind": "indoor", "stages": [{"name": "Main", "seats": 5}], "prices": {"day": 12}}'
)
LOCK = {
    "initial_value": 0, "initial_state": "red", "target_value": 6,
    "buttons": [
        {"name": "A", "type": "add", "value": 3, "active_state": "any"},
        {"name": "B", "type": "multiply", "value": 2, "active_state": "green"},
        {"name": "C", "type": "subtract", "value": 1, "active_state": "red"},
    ],
}  # fmt: skip
DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
SENTENCES = "1. The door opens.\n2. A cat enters.\n3. It sleeps.\n4. The door closes."
ECHO = {"style": "stdin", "test_cases": json.dumps({"inputs": ["1\n", "5\n"], "outputs": ["2\n", "6\n"]})}


def tagged(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>"


def _json(value: Any) -> str:
    return fenced("json", json.dumps(value))


def _puzzle(name: str, answer: str, right: str, wrong: tuple[str, ...], **metadata: Any) -> Case:
    entry = {"question": "", "answer": answer, "metadata": metadata}
    return Case(
        {"ground_truth": answer, "reasoning_gym_dataset": name, "reasoning_gym_entry": entry}, right, wrong
    )


def _instruction(func_name: str, right: str, wrong: str, **arguments: Any) -> Case:
    nothing = {"quantifier": None, "N": None}
    return Case({"func_name": func_name, **nothing, **arguments}, right, (wrong,))


CASES: dict[str, list[Case]] = {
    "ascii_tree_formatting": [
        Case(
            {"description": "main …", "ground_truth": TREE},
            tagged("ascii_formatted", f"\n{TREE}\n"),
            (
                tagged("ascii_formatted", TREE.replace("org", "com")),
                tagged("ascii_formatted", TREE.replace("`--org", "+--org")),
                tagged("ascii_formatted", "main\n +--java"),
            ),
            ((tagged("ascii", TREE), False), (tagged("ascii_formatted", fenced("", "main")), False)),
        )
    ],
    "verifiable_math": [
        Case(
            {"ground_truth": "3/4"}, r"So it is \boxed{0.75}", (r"\boxed{0.74}", r"\boxed{4/3}", r"\boxed{}")
        ),
        Case({"ground_truth": ["7", r"thus \boxed{-7}"]}, r"\boxed{-7}", (r"\boxed{-8}",)),
    ],
    "code_output_prediction": [
        Case(
            {"code_output": "[1, 2]"},
            _json({"code_output": "[1, 2]"}),
            (
                _json({"code_output": "[1,2]"}),
                _json({"output": "[1, 2]"}),
                _json(["[1, 2]"]),
                _json("[1, 2]"),
            ),
            (
                ('</think>{"code_output": "[1, 2]"}', True),
                ('</think>{"code_output": "[1, 2]", "x": {}}', True),
            ),
        ),
        Case(
            {"code_output": 1},
            _json({"code_output": 1}),
            (_json({"code_output": True}), _json({"code_output": 2})),
        ),
    ],
    "complex_json_output": [
        Case(
            {"ground_truth": {"a": [1, {"b": None}], "é": "x"}},
            _json({"é": "x", "a": [1.0, {"b": None}]}),
            (
                _json({"a": [1, {"b": None}]}),
                _json({"a": [True, {"b": None}], "é": "x"}),
                _json({"a": [{"b": None}, 1], "é": "x"}),
                _json({}),
            ),
            (
                ('</think>as asked: {"a": [1, {"b": null}], "é": "x"}.', True),
                ('</think>{"a": [1, {"b": null}], "é": "x"', False),
            ),
        )
    ],
    "pydantic_adherance": [
        Case(
            {"pydantic_config": MODEL, "model_name": "Festival"},
            fenced("json", FESTIVAL),
            (
                fenced("json", FESTIVAL.replace("5}", "0}")),
                fenced("json", FESTIVAL.replace("5}", '"5"}')),
                fenced("json", FESTIVAL.replace("5}", '5, "x": 1}')),
                fenced("json", FESTIVAL.replace("indoor", "outdoor")),
                fenced("json", FESTIVAL.replace("12}", '12}, "rating": 5.5')),
                fenced("json", "[]"),
            ),
            ((f"</think>{FESTIVAL}", True), (f'</think>{FESTIVAL[:-1]}, "more": [1]}}', True)),
        )
    ],
    "unscramble_sentence": [
        Case(
            {"ground_truth": SENTENCES, "scrambled": ""},
            tagged("unscrambled_text", f"\n{SENTENCES}\n"),
            (
                tagged("unscrambled_text", "\n".join(reversed(SENTENCES.split("\n")))),
                tagged("unscrambled_text", SENTENCES.replace("sleeps", "leaves")),
                tagged("unscrambled_text", SENTENCES.rpartition("\n")[0]),
                tagged("unscrambled_text", "The door opens. A cat enters."),
            ),
            (
                (tagged("unscrambled_text", SENTENCES.replace(". ", "*: ", 1)), True),
                (tagged("text", SENTENCES), False),
            ),
        )
    ],
    "formatask": [
        Case(
            {"ground_truth": "**the old mill**"},
            tagged("extracted_formatted", "**the old mill**"),
            (
                tagged("extracted_formatted", "*the old mill*"),
                tagged("extracted_formatted", "**THE OLD MILL**"),
                tagged("extracted_formatted", ""),
            ),
        ),
        Case(
            {"ground_truth1": "[river]", "ground_truth2": "```\nthe lamp\n```"},
            tagged("extracted_formatted1", "[river]")
            + "\n"
            + tagged("extracted_formatted2", "```\nthe lamp\n```"),
            (
                tagged("extracted_formatted1", "(river)")
                + tagged("extracted_formatted2", "```\nthe lamp\n```"),
                tagged("extracted_formatted1", "[river]") + tagged("extracted_formatted2", "the lamp"),
                tagged("extracted_formatted1", "[river]"),
            ),
        ),
    ],
    "reverse_text": [
        Case(
            {"ground_truth": "olleh"},
            tagged("answer", " olleh "),
            (tagged("answer", "ollhe"), tagged("answer", "")),
        ),
        Case(
            {"text": "the sea"},
            tagged("reversed_text", "aes eht"),
            (tagged("reversed_text", "the sea"), tagged("answer", "aes eht")),
        ),
    ],
    "git_diff": [
        Case(
            {"golden_diff": DIFF},
            fenced("diff", DIFF.replace("@@\n", "@@ class A:\n").replace("---", "index 12..34\n---", 1)),
            (
                fenced("diff", DIFF.replace("return 2", "return 3")),
                fenced("diff", ""),
                fenced("diff", DIFF.replace("1,2", "1,3")),
            ),
            (
                (fenced("python", DIFF), False),
                (fenced("diff", "index 1..2\n" + DIFF), True),
                (THINK + "```diff" + " " * 200, False),
            ),
        )
    ],
    "ifeval": [
        _instruction("verify_keywords", "The Mill by the river", "the river", keyword_list=["mill", "river"]),
        _instruction("verify_keyword_frequency", "No, no", "No, no, no", word="no", N=2),
        _instruction("validate_forbidden_words", "a lake", "a river", forbidden_words=["river"]),
        _instruction("verify_letter_frequency", "banana", "bananas a", letter="a", N=3),
        _instruction("verify_paragraph_count", "a\n* * *\nb", "a\n\nb", N=2),
        _instruction("validate_word_constraint", "one two three", "one two", N=3, quantifier="at least"),
        _instruction(
            "verify_sentence_constraint", "One. Two.", "One. Two. Three. Four.", N=2, quantifier="at most"
        ),
        _instruction("validate_paragraphs", "a\n\nSo it is", "So\n\nit is", N=2, first_word="So", i=2),
        _instruction("verify_postscript", "x\nP.S. y", "x\nP.S.", postscript_marker="P.S."),
        _instruction("validate_placeholders", "[name], [city]", "[name]", N=2),
        _instruction("verify_bullet_points", "* a\n- b", "* a\n* b\n* c", N=2),
        _instruction("validate_title", "<<Song>>\nla", "Song\nla"),
        _instruction(
            "validate_choice",
            "My answer is yes.",
            "perhaps",
            options=["My answer is yes.", "My answer is no."],
        ),
        _instruction("validate_highlighted_sections", "*a* and *b*", "*a* and b", N=2),
        _instruction(
            "validate_sections", "SECTION a\nSECTION b", "SECTION a", section_splitter="SECTION", N=2
        ),
        _instruction("validate_json_format", '{"a": 1}', "{'a': 1}"),
        _instruction("validate_repeat_prompt", "Why? Because.", "Because.", original_prompt="Why?"),
        _instruction("validate_two_responses", "a\n******\nb", "a\n******\na"),
        _instruction("validate_uppercase", "LOUD 1", "LOUd"),
        _instruction("validate_lowercase", "quiet 1", "quieT"),
        _instruction(
            "validate_frequency_capital_words", "AN OLD mill", "AN old mill", N=2, quantifier="around"
        ),
        _instruction("validate_end", "That is all.", "That is all. Bye", end_phrase="That is all."),
        _instruction("validate_quotation", '"so it is"', '"so" it is'),
        _instruction("validate_no_commas", "a b", "a, b"),
    ],
    "reasoning_gym": [
        _puzzle("maze", "7", _json({"num_steps": 7}), (_json({"num_steps": 8}), _json({"steps": 7}))),
        _puzzle(
            "arc_agi",
            "",
            "Final Answer: 1 2\n3 4",
            ("Final Answer: 1 2\n3 5", "Final Answer:"),
            output=[[1, 2], [3, 4]],
        ),
        _puzzle(
            "quantum_lock",
            "A → B",
            _json({"sequence": "A B"}),
            (_json({"sequence": "A A C"}), _json({"sequence": "B A"})),
            **LOCK,
        ),
    ],
    "prime_rl_code": [
        Case(
            ECHO,
            fenced("python", "print(int(input()) + 1)"),
            (
                fenced("python", "print(2)"),
                fenced("python", "print(int(input()) + 1"),
                fenced("js", "print(2)"),
            ),
            (
                ("</think>" + fenced("py", "print(int(input()) + 1)"), True),
                ("</think>print(int(input()) + 1)", False),
                (
                    "</think>"
                    + fenced("python", "import os\nprint(int(input()) + 1)").replace("\n```", "```"),
                    False,
                ),
            ),
        )
    ],
}


def compat(kind: str, text: str, info: dict[str, Any], right: str) -> float:
    if kind == "ascii_tree_formatting":
        return tree_compat(text, info["ground_truth"])
    if kind == "prime_rl_code":
        return float(f"```python\n{published.prime_rl_code(text, info)}\n```" == right)
    return float(getattr(published, kind)(text, info))


def rows(kind: str) -> list[dict[str, Any]]:
    """The rows of a kind; each kind has twenty or more."""
    return [
        {
            "verification_info": case.info,
            "completion": text,
            "passed": passes,
            "compat": compat(kind, text, case.info, case.right),
        }
        for case in CASES[kind]
        for text, passes in completions(kind, case)
    ]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in CASES:
        lines = [json.dumps(row) + "\n" for row in rows(name)]
        (GOLDEN / f"{name}.jsonl").write_text("".join(lines))
