"""Trees in the form that the `ascii_tree` family needs."""

import hashlib
import json

FAMILY = "ascii_tree"

DrawnLines = list[tuple[int, str]]
"""Depth and name of each directory, depth first, the root at depth 0."""


def problem_of(rows: DrawnLines) -> str:
    """Make the problem of a tree, as JSON."""
    return json.dumps({"rows": rows}, ensure_ascii=False, separators=(",", ":"))


def digest_of(*parts: object) -> bytes:
    """Digest of several values; the same on any machine."""
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
