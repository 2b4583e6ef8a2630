"""`ifeval`: one instruction for the text of an answer, by AllenAI's functions."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from reasonenv import _checks
from reasonenv._native import Verdict, Verifier
from reasonenv.verifiers._reasoning import without_reasoning
from reasonenv.verifiers._synthetic2._kind import Kind, attempt, scored, text_of, verdict_of

_QUANTIFIERS = ("at least", "at most", "around")


@dataclass(frozen=True)
class _Instruction:
    published: Callable[[str], bool]
    constraints: str | None
    """The same for our verifier `instructions`, which must hold, too; None if it has no such constraint."""
    name: str


class Instructions(Kind):
    """`ifeval`: a text that follows an instruction."""

    marks: ClassVar = ("", "")

    def read(self, info: Mapping[str, Any]) -> _Instruction:
        """Read a function's name and arguments."""
        name = text_of(info, "func_name")
        if name == "validate_response_language":
            raise ValueError(f"`func_name` is {name}, which guesses languages by a model")
        if name not in _FUNCTIONS:
            raise ValueError(f"`func_name` is {name!r}, which is not one of the {len(_FUNCTIONS)} known")
        function, constraint = _FUNCTIONS[name]
        arguments = _Arguments({key: value for key, value in info.items() if value is not None})
        ours = [constraint(arguments)] if constraint is not None else None
        function("", arguments)
        if ours is None:
            return _Instruction(lambda text: function(text, arguments), None, name)
        told = json.dumps(ours, ensure_ascii=False)
        for _, reason in Verifier("instructions", tag=None).check([told]):
            raise ValueError(f"`verification_info` says {told}: {reason}")
        return _Instruction(lambda text: function(text, arguments), told, name)

    def judge(self, texts: Sequence[str], references: Sequence[_Instruction]) -> list[Verdict]:
        """Check the text behind the reasoning."""
        found = []
        for text, instruction in zip(texts, references, strict=True):
            published = text.rpartition("</think>")[2].strip()
            compat = attempt(instruction.published, published)
            answer = without_reasoning(text).strip()
            if not answer:
                found.append(verdict_of(compat, "no_answer", "there is no text behind the reasoning"))
                continue
            right = attempt(instruction.published, answer)
            label = "" if right else "constraint_violated"
            verdict = verdict_of(compat, label, label and f"{instruction.name} fails", answer)
            if instruction.constraints is not None:
                ours = Verifier("instructions", tag=None)([answer], [instruction.constraints])[0]
                verdict = scored(ours, compat) if right or not ours.passed else verdict
            found.append(verdict)
        return found


class _Arguments:
    """Arguments of a function, checked on access."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def number(self, name: str = "N") -> int:
        value = self._given.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
            raise ValueError(f"`{name}` is {_checks.shown(value)}, but must be a whole number")
        return value

    def text(self, name: str) -> str:
        return text_of(self._given, name)

    def texts(self, name: str) -> list[str]:
        return list(_checks.texts(name, self._given.get(name)))

    def letter(self) -> str:
        letter = self.text("letter")
        if len(letter) != 1:
            raise ValueError(f"`letter` is {letter!r}, but must be one letter")
        return letter

    def options(self) -> list[str]:
        given = self._given.get("options")
        given = [one.strip() for one in given.split(",")] if isinstance(given, str) else given
        return list(_checks.texts("options", given))

    def quantifier(self) -> Any:
        quantifier = self._given.get("quantifier")
        _checks.one_of("quantifier", quantifier, _QUANTIFIERS)
        return quantifier

    def within(self, count: int, tolerance: int) -> bool:
        quantifier, wanted = self.quantifier(), self.number()
        if quantifier == "around":
            return abs(count - wanted) <= tolerance
        return count >= wanted if quantifier == "at least" else count <= wanted

    def bounds(self, tolerance: int) -> dict[str, int]:
        """The same as bounds of one of our constraints."""
        quantifier, wanted = self.quantifier(), self.number()
        low = {"min": wanted} if quantifier == "at least" else {}
        high = {"max": wanted} if quantifier == "at most" else {}
        near = {"min": max(wanted - tolerance, 0), "max": wanted + tolerance}
        return near if quantifier == "around" else low | high

    def exactly(self) -> dict[str, int]:
        return {"min": self.number(), "max": self.number()}


def _tolerance(arguments: _Arguments) -> int:
    return max(round(arguments.number() * 0.1), 1)


def _paragraph_count(text: str, arguments: _Arguments) -> bool:
    cleaned = "\n".join(line.strip() for line in text.splitlines()).strip()
    paragraphs = cleaned.split("* * *")
    return len(paragraphs) == arguments.number() and all(map(str.strip, paragraphs))


def _sentences(text: str, arguments: _Arguments) -> bool:
    sentences = re.split(r"(?<!\w\.\w.)(?<![A-Z][a-z]\.)(?<=\.|\?)\s", text)
    return arguments.within(len(sentences), 1)


def _paragraphs(text: str, arguments: _Arguments) -> bool:
    wanted, first, at = arguments.number(), arguments.text("first_word"), arguments.number("i")
    paragraphs = text.split("\n\n")
    return len(paragraphs) == wanted and paragraphs[at - 1].strip().startswith(first)


def _postscript(text: str, arguments: _Arguments) -> bool:
    marker = arguments.text("postscript_marker")
    return marker in text and len(text[text.find(marker) :].strip()) > len(marker)


def _pairs(text: str, opening: str, closing: str) -> int:
    """Number of matches of `opening(.*?)closing`, none of which spans lines."""
    count = 0
    for line in text.split("\n"):
        at = line.find(opening)
        while at >= 0 and (end := line.find(closing, at + len(opening))) >= 0:
            count += 1
            at = line.find(opening, end + len(closing))
    return count


def _sections(text: str, arguments: _Arguments) -> bool:
    sections = text.split(arguments.text("section_splitter"))
    if sections[0] == "":
        sections.pop(0)
    return len(sections) == arguments.number()


def _two_responses(text: str, _: _Arguments) -> bool:
    first, mark, second = text.partition("******")
    return text.count("******") == 1 and bool(mark) and first.strip() != second.strip()


def _is_json(text: str, _: _Arguments) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _bullets(text: str, arguments: _Arguments) -> bool:
    marked = sum(line.strip().startswith(("*", "-")) for line in text.split("\n"))
    return marked == arguments.number()


def _capitals(text: str, arguments: _Arguments) -> bool:
    return arguments.within(len(re.findall(r"\b[A-Z]+\b", text)), 0)


_Function = Callable[[str, _Arguments], bool]
_Constraint = Callable[[_Arguments], dict[str, Any]]

_FUNCTIONS: dict[str, tuple[_Function, _Constraint | None]] = {
    "verify_keywords": (
        lambda text, of: all(word.lower() in text.lower() for word in of.texts("keyword_list")),
        lambda of: {"kind": "keywords", "words": of.texts("keyword_list")},
    ),
    "verify_keyword_frequency": (
        lambda text, of: re.findall(r"\b\w+\b", text.lower()).count(of.text("word").lower()) == of.number(),
        lambda of: {"kind": "keyword_count", "word": of.text("word"), **of.exactly()},
    ),
    "validate_forbidden_words": (
        lambda text, of: not any(word.lower() in text.lower() for word in of.texts("forbidden_words")),
        lambda of: {"kind": "forbidden_words", "words": of.texts("forbidden_words")},
    ),
    "verify_letter_frequency": (
        lambda text, of: text.count(of.letter()) == of.number(),
        None,
    ),
    "verify_paragraph_count": (_paragraph_count, None),
    "validate_word_constraint": (
        lambda text, of: of.within(len(text.split()), _tolerance(of)),
        lambda of: {"kind": "words", **of.bounds(_tolerance(of))},
    ),
    "verify_sentence_constraint": (_sentences, lambda of: {"kind": "sentences", **of.bounds(1)}),
    "validate_paragraphs": (_paragraphs, None),
    "verify_postscript": (
        _postscript,
        lambda of: {"kind": "postscript", "marker": of.text("postscript_marker")},
    ),
    "validate_placeholders": (
        lambda text, of: _pairs(text, "[", "]") >= of.number(),
        lambda of: {"kind": "placeholders", "min": of.number()},
    ),
    "verify_bullet_points": (_bullets, lambda of: {"kind": "bullets", **of.exactly()}),
    "validate_title": (lambda text, _: _pairs(text, "<<", ">>") > 0, lambda _: {"kind": "title"}),
    "validate_choice": (lambda text, of: any(text in option for option in of.options()), None),
    "validate_highlighted_sections": (
        lambda text, of: _pairs(text, "*", "*") >= of.number(),
        lambda of: {"kind": "highlights", "min": of.number()},
    ),
    "validate_sections": (_sections, None),
    "validate_json_format": (_is_json, lambda _: {"kind": "json_only"}),
    "validate_repeat_prompt": (
        lambda text, of: text.startswith(of.text("original_prompt")),
        lambda of: {"kind": "starts_with", "text": of.text("original_prompt")},
    ),
    "validate_two_responses": (_two_responses, None),
    "validate_uppercase": (
        lambda text, _: text == text.upper(),
        lambda _: {"kind": "case", "case": "upper"},
    ),
    "validate_lowercase": (
        lambda text, _: text == text.lower(),
        lambda _: {"kind": "case", "case": "lower"},
    ),
    "validate_frequency_capital_words": (
        _capitals,
        lambda of: {"kind": "capital_words", **of.bounds(0)},
    ),
    "validate_end": (
        lambda text, of: text.endswith(of.text("end_phrase")),
        lambda of: {"kind": "ends_with", "text": of.text("end_phrase")},
    ),
    "validate_quotation": (
        lambda text, _: text.startswith('"') and text.endswith('"'),
        lambda _: {"kind": "quoted"},
    ),
    "validate_no_commas": (lambda text, _: "," not in text, lambda _: {"kind": "no_commas"}),
}
