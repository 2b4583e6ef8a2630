"""Runs reasoning-gym for cross_judging.py in a process of its own: some judges execute or hang on text.

Reads a request a line and writes an answer a line, both JSON: `{"make": [name, size, seed, config]}` gives
items, `{"score": [name, config, answer, entry]}` a score.
"""

import contextlib
import json
import sys
from typing import Any

import reasoning_gym
from reasoning_gym.algorithmic.word_sorting import TextTransformation

DATA: dict[str, Any] = {}


def data_set(name: str, config: dict[str, Any], size: int = 1, seed: int = 0) -> Any:
    """A data set, cached for its verifier."""
    key = json.dumps([name, config, size, seed])
    if key not in DATA:
        if "transformation" in config:
            config = {**config, "transformation": TextTransformation(config["transformation"])}
        DATA[key] = reasoning_gym.create_dataset(name, size=size, seed=seed, **config)
    return DATA[key]


def answer(request: dict[str, Any]) -> Any:
    """Answer to a request."""
    if "make" in request:
        name, size, seed, config = request["make"]
        return [dict(item) for item in data_set(name, config, size, seed)]
    name, config, text, entry = request["score"]
    return float(data_set(name, config).score_answer(text, entry))


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's."""
    return value.item() if hasattr(value, "item") else str(value)


if __name__ == "__main__":
    replies = sys.stdout
    # Output of the package must not mix with the replies.
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            try:
                reply = {"ok": answer(json.loads(line))}
            except Exception as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            replies.write(json.dumps(reply, default=plain) + "\n")
            replies.flush()
