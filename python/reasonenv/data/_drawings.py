"""Trees as the `ascii_tree` family takes them, wherever they come from."""

import hashlib
import json

FAMILY = "ascii_tree"

DrawnLines = list[tuple[int, str]]
"""Depth and name of each directory, depth first, the root at depth 0."""


def problem_of(rows: DrawnLines) -> str:
    """The problem of a tree, as JSON."""
    return json.dumps({"rows": rows}, ensure_ascii=False, separators=(",", ":"))


def digest_of(*parts: object) -> bytes:
    """A digest of several things; the same on any machine."""
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
