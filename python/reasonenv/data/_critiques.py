"""Critiques: verified rollouts as conversations about a problem, a solution, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from typing import Any

from reasonenv.data._traces import Traces, completion_of, is_judged, read_traces

_REQUEST = """\
Here is a problem:

{prompt}

Here is a solution:

{solution}

Is the solution right? If not, say what is wrong with it. End with "Verdict: right" or "Verdict: wrong"."""


def critiques(traces: Traces) -> Iterator[dict[str, Any]]:
    """Yield a conversation for each verified rollout: a problem, its solution, and a critique of it.

    The critique says what the verifier found: the first wrong step, if the family checks steps, and why the
    answer fails. Its last line is "Verdict: right" or "Verdict: wrong". Rollouts of several turns, with hints
    or without a verdict are left out.

    Args:
        traces: A file, the folder of a run, or records.

    Yields:
        `task_id`, `passed`, `failures` and `messages`: the user's question and the assistant's critique.

    Raises:
        InvalidRun: A line is not a record; names the file, the line and the field.
    """
    for record in read_traces(traces):
        if not is_judged(record) or record.get("hint") or len(record.get("turns") or ()) > 1:
            continue
        question = _REQUEST.format(prompt=record["prompt"], solution=completion_of(record))
        verdict = record["verdict"]
        yield {
            "task_id": record["task_id"],
            "passed": verdict["passed"],
            "failures": list(verdict["failures"]),
            "messages": [
                {"role": "user", "content": question},
                {"role": "assistant", "content": _critique(record)},
            ],
        }


def _critique(record: Mapping[str, Any]) -> str:
    verdict = record["verdict"]
    scores = record.get("process_scores") or []
    lines = []
    wrong = next((at for at, score in enumerate(scores, 1) if score <= 0), None)
    if wrong is not None:
        lines.append(f"Step {wrong} is wrong.")
    elif scores:
        lines.append("Every step is right.")
    if verdict["passed"]:
        return "\n".join([*lines, "The answer is right.", "Verdict: right"])
    reason = (verdict.get("detail") or "").strip() or ", ".join(verdict["failures"]).replace("_", " ")
    lines.append(f"The answer is wrong: {reason}." if reason else "The answer is wrong.")
    return "\n".join([*lines, "Verdict: wrong"])
