"""SYNTHETIC-2's published rules in plain Python: slow, short, and independent of the package.

Models are run by Pydantic itself, so only models of these tests may come here. `prime_rl_code` has the rule by
which a program is found; whether it passes is said by the row.
"""

from __future__ import annotations

import difflib
import json
import re
from typing import Any


def after(text: str) -> str | None:
    """Text after the first `</think>`."""
    parts = text.split("</think>", 1)
    return parts[1] if len(parts) > 1 else None


def second(text: str) -> str | None:
    """Text between the first two `</think>`."""
    parts = text.split("</think>")
    return parts[1] if len(parts) > 1 else None


def last_json(text: str) -> Any:
    tail = after(text)
    if tail is None:
        return None
    tail = tail.strip()
    fences = re.findall(r"```(?:json)?\s*([\s\S]*?)\s*```", tail, re.IGNORECASE)
    if fences:
        found = fences[-1].strip()
    else:
        end, depth, found = tail.rfind("}"), 0, None
        for at in range(end, -1, -1):
            depth += (tail[at] == "}") - (tail[at] == "{")
            if depth == 0:
                found = tail[at : end + 1]
                break
    try:
        return None if found is None else json.loads(found)
    except json.JSONDecodeError:
        return None


def code_output_prediction(text: str, info: dict[str, Any]) -> float:
    value = last_json(text)
    return float(isinstance(value, dict) and value.get("code_output") == info["code_output"])


def complex_json_output(text: str, info: dict[str, Any]) -> float:
    value = last_json(text)
    return float(bool(value) and info["ground_truth"] == value)


def pydantic_adherance(text: str, info: dict[str, Any]) -> float:
    value = last_json(text)
    if value is None:
        return 0.0
    return float(validates(info["pydantic_config"], info["model_name"], value))


def validates(source: str, name: str, value: Any) -> bool:
    """True if Pydantic accepts a value for a model of these tests."""
    space: dict[str, Any] = {"__name__": "model"}
    exec(compile(source, name, "exec", dont_inherit=True), space)
    try:
        space[name].model_validate(value)
    except ValueError:
        return False
    return True


def unscramble_sentence(text: str, info: dict[str, Any]) -> float:
    block = re.search(r"<unscrambled_text>(.*?)</unscrambled_text>", text, re.DOTALL)
    if block is None:
        return 0.0

    def sentences(lines: str) -> list[str]:
        found = [re.search(r"(?:\d+)(?:\*)?[.:]\s+(.+)", line.strip()) for line in lines.strip().split("\n")]
        return [one[1].strip() for one in found if one]

    ours, truth = sentences(block[1]), sentences(info["ground_truth"])
    longest = 0
    for i in range(len(ours)):
        for j in range(len(truth)):
            run = 0
            while i + run < len(ours) and j + run < len(truth) and ours[i + run] == truth[j + run]:
                run += 1
            longest = max(longest, run)
    return longest / len(truth) if longest > 1 else 0.0


def formatask(text: str, info: dict[str, Any]) -> float:
    tail = after(text)
    tail = text if tail is None else tail
    if "ground_truth1" in info:
        one, two = (passage(tail, f"extracted_formatted{n}", info[f"ground_truth{n}"]) for n in (1, 2))
        return 0.0 if one == 0 or two == 0 else (one + two) / 2.0
    return passage(tail, "extracted_formatted", info["ground_truth"])


def passage(text: str, tag: str, truth: str) -> float:
    block = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    if block is None:
        return 0.0
    ratio = difflib.SequenceMatcher(None, block[1], truth).ratio()
    wanted = signature(truth)
    return ratio * 0.1 if wanted != ["none"] and wanted != signature(block[1]) else ratio


def signature(text: str) -> list[str]:
    found = []
    for mark in ("***", "**", "*"):
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
            found.append(mark)
            text = text[len(mark) : -len(mark)]
            break
    if text.startswith("```\n") and text.endswith("\n```"):
        found.append("code")
        text = text[4:-4]
    for start, end in ('""', "[]", "()", "--", "<>"):
        if text.startswith(start) and text.endswith(end) and len(text) > 2:
            found.append(start)
            text = text[1:-1]
            break
    if text.isupper():
        found.append("upper")
    return found or ["none"]


def reverse_text(text: str, info: dict[str, Any]) -> float:
    tag = "answer" if "ground_truth" in info else "reversed_text"
    truth = info.get("ground_truth") or info["text"][::-1]
    block = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return difflib.SequenceMatcher(None, block[1].strip(), truth).ratio() if block else 0.0


def git_diff(text: str, info: dict[str, Any]) -> float:
    tail = second(text)
    blocks = re.findall(r"```diff\s*(.*?)\s*```", text if tail is None else tail, re.DOTALL)
    diff = re.sub(r"^index [^\n]*\n", "", blocks[-1].strip() if blocks else "")
    diff = re.sub(r"(?m)^(@@[^@]*@@).*", r"\1", diff).strip() + "\n"
    if not diff.strip():
        return 0.0
    truth = info.get("golden_diff") or info["diff"]
    return difflib.SequenceMatcher(None, diff, truth, autojunk=False).ratio()


def verifiable_math(text: str, info: dict[str, Any]) -> float:
    """Equal numbers and equal texts alone: the rows have no others."""
    boxes = re.findall(r"\\boxed\{([^{}]*)\}", second(text) or "")
    truths = info["ground_truth"] if isinstance(info["ground_truth"], list) else [info["ground_truth"]]
    return float(bool(boxes) and any(number(boxes[-1]) == number(str(truth)) for truth in truths))


def number(text: str) -> float | str:
    boxed = re.search(r"\\boxed\{([^{}]*)\}", text)
    text = boxed[1] if boxed else text
    try:
        above, _, below = text.partition("/")
        return float(above) / float(below or 1)
    except ValueError:
        return text


def prime_rl_code(text: str, info: dict[str, Any]) -> str | None:
    """The program that the rule finds."""
    blocks = re.findall(r"```python\n(.*?)\n```", second(text) or "", re.DOTALL)
    return blocks[-1] if blocks else None


def reasoning_gym(text: str, info: dict[str, Any]) -> float:
    name, entry = info["reasoning_gym_dataset"], info["reasoning_gym_entry"]
    fields = {"maze": "num_steps", "quantum_lock": "sequence"}
    if name in ("arc_agi", "rearc", "binary_matrix"):
        tail = after(text)
        if tail is None or "Final Answer:" not in tail:
            return 0.0
        given = tail.strip().rsplit("Final Answer:", 1)[1].strip()
    else:
        value = last_json(text)
        if not isinstance(value, dict):
            return 0.0
        given = str(value.get(fields.get(name, "answer")))
    if name in ("arc_agi", "rearc"):
        try:
            rows = [[int(cell) for cell in line.strip().split(" ")] for line in given.split("\n")]
        except ValueError:
            return 0.0
        return float(rows == entry["metadata"]["output"])
    if name == "bitwise_arithmetic":
        try:
            return float(int(given, 0) == int(entry["answer"], 0))
        except ValueError:
            return 0.0
    if name == "quantum_lock":
        pressed = re.findall("[A-C]", given.upper())
        state, color = entry["metadata"]["initial_value"], entry["metadata"]["initial_state"]
        for name in pressed:
            button = next(one for one in entry["metadata"]["buttons"] if one["name"] == name)
            if button["active_state"] in (color, "any"):
                by = button["value"]
                state = {"add": state + by, "subtract": state - by, "multiply": state * by}[button["type"]]
                color = "green" if color == "red" else "red"
        shortest = len(re.findall("[A-C]", entry["answer"]))
        return float(state == entry["metadata"]["target_value"] and len(pressed) == shortest)
    return float(given == entry["answer"])


def ifeval(text: str, info: dict[str, Any]) -> float:
    """AllenAI's functions, as far as the rows use them."""
    text = text.rsplit("</think>", maxsplit=1)[-1].strip()
    count: Any = info.get("N")

    def near(found: int, slack: int) -> bool:
        bounds = {
            "at least": found >= count,
            "at most": found <= count,
            "around": abs(found - count) <= slack,
        }
        return bool(bounds[info["quantifier"]])

    match info["func_name"]:
        case "verify_keywords":
            found = all(word.lower() in text.lower() for word in info["keyword_list"])
        case "verify_keyword_frequency":
            found = (
                sum(word == info["word"].lower() for word in re.findall(r"\b\w+\b", text.lower())) == count
            )
        case "validate_forbidden_words":
            found = not any(word.lower() in text.lower() for word in info["forbidden_words"])
        case "verify_letter_frequency":
            found = text.count(info["letter"]) == count
        case "verify_paragraph_count":
            parts = "\n".join(line.strip() for line in text.splitlines()).strip().split("* * *")
            found = len(parts) == count and all(part.strip() for part in parts)
        case "validate_word_constraint":
            found = near(len(text.split()), max(round(count * 0.1), 1))
        case "verify_sentence_constraint":
            found = near(len(re.split(r"(?<!\w\.\w.)(?<![A-Z][a-z]\.)(?<=\.|\?)\s", text)), 1)
        case "validate_paragraphs":
            parts = text.split("\n\n")
            found = len(parts) == count and parts[info["i"] - 1].strip().startswith(info["first_word"])
        case "verify_postscript":
            at = text.find(info["postscript_marker"])
            found = at >= 0 and len(text[at:].strip()) > len(info["postscript_marker"])
        case "validate_placeholders":
            found = len(re.findall(r"\[(.*?)\]", text)) >= count
        case "verify_bullet_points":
            found = sum(line.strip().startswith(("*", "-")) for line in text.split("\n")) == count
        case "validate_title":
            found = bool(re.findall(r"<<(.*?)>>", text))
        case "validate_choice":
            found = any(text in option for option in info["options"])
        case "validate_highlighted_sections":
            found = len(re.findall(r"\*(.*?)\*", text)) >= count
        case "validate_sections":
            parts = text.split(info["section_splitter"])
            found = len(parts[1:] if parts[0] == "" else parts) == count
        case "validate_json_format":
            try:
                json.loads(text)
                found = True
            except ValueError:
                found = False
        case "validate_repeat_prompt":
            found = text.startswith(info["original_prompt"])
        case "validate_two_responses":
            parts = text.split("******")
            found = len(parts) == 2 and parts[0].strip() != parts[1].strip()
        case "validate_uppercase":
            found = text == text.upper()
        case "validate_lowercase":
            found = text == text.lower()
        case "validate_frequency_capital_words":
            found = near(len(re.findall(r"\b[A-Z]+\b", text)), 0)
        case "validate_end":
            found = text.endswith(info["end_phrase"])
        case "validate_quotation":
            found = text.startswith('"') and text.endswith('"')
        case _:
            found = "," not in text
    return float(found)
