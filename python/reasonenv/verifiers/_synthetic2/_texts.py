"""Kinds whose answers are texts: formatted passages, sentences in order, reversed texts, trees and diffs."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from reasonenv._native import Verdict, Verifier, tree_compat
from reasonenv.verifiers._code._extract import fenced_blocks
from reasonenv.verifiers._reasoning import without_reasoning
from reasonenv.verifiers._synthetic2._kind import Kind, over_budget, scored, text_of, verdict_of
from reasonenv.verifiers._synthetic2._ratio import OverBudgetError, ratio
from reasonenv.verifiers._synthetic2._reading import LONGEST, after_think, between_thinks, blocks, tagged


def _strict(tag: str) -> Verifier:
    return Verifier("exact_match", tag=tag)


def _with_ratio(verdict: Verdict, score: Callable[..., float], *given: Any) -> Verdict:
    try:
        return scored(verdict, score(*given))
    except OverBudgetError:
        return over_budget(verdict)


class Trees(Kind):
    """Drawings of directory trees."""

    marks: ClassVar = ("<ascii_formatted>\n", "\n</ascii_formatted>")

    def read(self, info: Mapping[str, Any]) -> str:
        """Read the drawing, which must be a tree."""
        reference = text_of(info, "ground_truth")
        for _, reason in Verifier("ascii_tree", tag="ascii_formatted", reading="strict").check([reference]):
            raise ValueError(f"`ground_truth` is not a tree: {reason}")
        return reference

    def judge(self, texts: Sequence[str], references: Sequence[str]) -> list[Verdict]:
        """Compare drawings letter by letter."""
        verdicts = Verifier("ascii_tree", tag="ascii_formatted", reading="strict")(texts, references)
        compats = tree_compat(texts, references)
        return [scored(one, float(compat)) for one, compat in zip(verdicts, compats, strict=True)]


class Passages(Kind):
    """`formatask`: one passage or two, in the format that the prompt asks for."""

    marks: ClassVar = ("<extracted_formatted>", "</extracted_formatted>")

    def read(self, info: Mapping[str, Any]) -> tuple[str, ...]:
        """Read one passage or two."""
        is_dual = "ground_truth1" in info and "ground_truth2" in info
        names = ["ground_truth1", "ground_truth2"] if is_dual else ["ground_truth"]
        return tuple(text_of(info, name) for name in names)

    def judge(self, texts: Sequence[str], references: Sequence[tuple[str, ...]]) -> list[Verdict]:
        """Compare passages; two must follow each other in their tags."""
        found = []
        for text, passages in zip(texts, references, strict=True):
            tags = ["extracted_formatted"] if len(passages) == 1 else [_tag(1), _tag(2)]
            verdict = _strict(tags[-1])([text], [passages[-1]])[0]
            if len(passages) == 2 and verdict.passed:
                first = text[: text.rfind(f"<{tags[1]}>")]
                verdict = _strict(tags[0])([first], [passages[0]])[0]
            found.append(_with_ratio(verdict, _passages, text, passages, tags))
        return found


def _tag(number: int) -> str:
    return f"extracted_formatted{number}"


def _passages(text: str, passages: tuple[str, ...], tags: list[str]) -> float:
    """The data set's score: the mean of the similarities, 0 if one is 0."""
    tail = after_think(text)
    tail = text if tail is None else tail
    scores = [_passage(tagged(tail, tag), passage) for tag, passage in zip(tags, passages, strict=True)]
    if len(scores) == 1:
        return scores[0]
    return 0.0 if 0 in scores else (scores[0] + scores[1]) / 2.0


def _passage(answer: str | None, passage: str) -> float:
    if answer is None:
        return 0.0
    similarity = ratio(answer, passage)
    wanted = _signature(passage)
    return similarity * 0.1 if wanted and wanted != _signature(answer) else similarity


_ASTERISKS = (("***", "***"), ("**", "**"), ("*", "*"))
_WRAPPERS = (('"', '"'), ("[", "]"), ("(", ")"), ("-", "-"), ("<", ">"))


def _signature(text: str) -> tuple[str, ...]:
    """The formats of a passage, from the outside in."""
    found: list[str] = []
    for marks in (_ASTERISKS, (("```\n", "\n```"),), _WRAPPERS):
        for opening, closing in marks:
            # Fences may overlap, as in the data set's rule, since their length is not compared.
            longer = len(text) > len(opening + closing) or opening == "```\n"
            if longer and text.startswith(opening) and text.endswith(closing):
                found.append(opening)
                text = text[len(opening) : -len(closing)]
                break
    return (*found, "uppercase") if text.isupper() else tuple(found)


@dataclass(frozen=True)
class _Sentences:
    text: str
    sentences: tuple[str, ...]


class Sentences(Kind):
    """`unscramble_sentence`: numbered sentences in the right order."""

    marks: ClassVar = ("<unscrambled_text>\n", "\n</unscrambled_text>")

    def read(self, info: Mapping[str, Any]) -> _Sentences:
        """Read the numbered sentences."""
        text = text_of(info, "ground_truth")
        sentences = _sentences(text)
        if len(sentences) < 2:
            raise ValueError("`ground_truth` has fewer than two numbered sentences")
        return _Sentences(text, tuple(sentences))

    def judge(self, texts: Sequence[str], references: Sequence[_Sentences]) -> list[Verdict]:
        """Compare all sentences in order, whatever their numbers."""
        tag = "unscrambled_text"
        # Only what the verifier reads counts, so any reference serves.
        readings = _strict(tag)(texts, [""] * len(texts))
        found = []
        for text, reading, reference in zip(texts, readings, references, strict=True):
            block = tagged(text, tag)
            compat = 0.0 if block is None or len(block) > LONGEST else _longest_run(block, reference)
            if reading.answer is None or reading.failures[:1] not in ((), ("wrong_answer",)):
                found.append(scored(reading, compat))
                continue
            sentences = _sentences(reading.answer)
            wrong = "" if tuple(sentences) == reference.sentences else "wrong_answer"
            told = f"the sentences are not the {len(reference.sentences)} of the reference in order"
            if not sentences:
                wrong, told = "malformed_answer", "no line has a number and a sentence"
            found.append(verdict_of(compat, wrong, told, reading.answer))
        return found


def _sentences(text: str) -> list[str]:
    lines = (re.search(r"\d\*?[.:]\s+(.+)", line.strip()) for line in text.strip().split("\n"))
    return [line[1].strip() for line in lines if line]


def _longest_run(block: str, reference: _Sentences) -> float:
    """The share of the reference that its longest run in an answer has; 0 for a run of one."""
    before: dict[int, int] = {}
    longest = 0
    places: dict[str, list[int]] = {}
    for at, sentence in enumerate(reference.sentences):
        places.setdefault(sentence, []).append(at)
    for sentence in _sentences(block):
        before = {at: before.get(at - 1, 0) + 1 for at in places.get(sentence, ())}
        longest = max([longest, *before.values()])
    return longest / len(reference.sentences) if longest > 1 else 0.0


@dataclass(frozen=True)
class _Reversed:
    text: str
    tag: str


class ReversedText(Kind):
    """`reverse_text`: a reversed text, in one of two published versions."""

    marks: ClassVar = ("<answer>", "</answer>")

    def read(self, info: Mapping[str, Any]) -> _Reversed:
        """Read the reversed text (`ground_truth`), or the text to reverse (`text`)."""
        if info.get("ground_truth") is not None:
            return _Reversed(text_of(info, "ground_truth"), "answer")
        return _Reversed(text_of(info, "text")[::-1], "reversed_text")

    def marks_of(self, reference: _Reversed) -> tuple[str, str]:
        """Return the tag of the row's version."""
        return f"<{reference.tag}>", f"</{reference.tag}>"

    def judge(self, texts: Sequence[str], references: Sequence[_Reversed]) -> list[Verdict]:
        """Compare texts."""
        found = []
        for text, reference in zip(texts, references, strict=True):
            verdict = _strict(reference.tag)([text], [reference.text])[0]
            found.append(_with_ratio(verdict, _reversed, text, reference))
        return found


def _reversed(text: str, reference: _Reversed) -> float:
    """The data set's score: what one version calls the LCS ratio is difflib's, too."""
    block = tagged(text, reference.tag)
    return 0.0 if block is None else ratio(block.strip(), reference.text)


_CONTEXT = re.compile(r"(?m)^(@@[^@]*@@).*")


class Diffs(Kind):
    """`git_diff`: a patch, compared as text."""

    marks: ClassVar = ("```diff\n", "\n```")

    def read(self, info: Mapping[str, Any]) -> str:
        """Read the patch."""
        return text_of(info, "golden_diff" if "golden_diff" in info else "diff")

    def judge(self, texts: Sequence[str], references: Sequence[str]) -> list[Verdict]:
        """Compare patches up to their index lines and the functions that they name."""
        found = []
        for text, reference in zip(texts, references, strict=True):
            verdict = _diff_verdict(text, reference)
            found.append(_with_ratio(verdict, _diff_ratio, text, reference))
        return found


def _diff_verdict(text: str, reference: str) -> Verdict:
    found = [block for block in fenced_blocks(without_reasoning(text)) if block.language == "diff"]
    if not found:
        return verdict_of(0.0, "no_answer", "no fenced code block holds a diff")
    if not found[-1].closed:
        return verdict_of(0.0, "truncated", "the last code block is not closed")
    if len(found[-1].text.encode()) > LONGEST:
        return verdict_of(0.0, "answer_too_long", "the diff is longer than 64 KiB")
    answers = {_plain_diff(block.text) for block in found}
    if len(answers) > 1:
        return verdict_of(0.0, "hedged", "the text has different diffs")
    wrong = "" if answers == {_plain_diff(reference)} else "wrong_answer"
    return verdict_of(0.0, wrong, "the diff differs from the reference" if wrong else "", found[-1].text)


def _plain_diff(diff: str) -> str:
    lines = re.sub(r"(?m)^index [^\n]*\n", "", _CONTEXT.sub(r"\1", diff)).strip().split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _diff_ratio(text: str, reference: str) -> float:
    """The data set's score: the last block, without its first index line and without function names."""
    tail = between_thinks(text)
    found = blocks(text if tail is None else tail, "```diff")
    diff = found[-1] if found else ""
    if diff.startswith("index ") and "\n" in diff:
        diff = diff.partition("\n")[2]
    diff = _CONTEXT.sub(r"\1", diff).strip() + "\n"
    return ratio(diff, reference, autojunk=False) if diff.strip() else 0.0
