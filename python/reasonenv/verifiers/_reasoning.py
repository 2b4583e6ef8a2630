"""The part of a completion after its reasoning."""

import re

from reasonenv import _native

_TOKEN = re.compile(r"(?:<\|[\w ]{1,40}\|>|</s>)\s*\Z")


def without_reasoning(text: str) -> str:
    """Return a completion without its reasoning, however the model marked that (docs/verifier-safety.md)."""
    return _native._without_reasoning(text)


def without_tokens(text: str) -> str:
    """Return a completion without the special tokens of a chat template at its end."""
    while found := _TOKEN.search(text.rstrip()[-64:]):
        text = text.rstrip()[: found.start() - len(found.string)]
    return text
