"""The mistakes that a family's verifier looks for, as a text for a policy."""

from typing import Any

from reasonenv._native import Family, common_failures

_INTRODUCTION = "Check your answer for these mistakes before you give it:"


def checklist_of(family: Family[Any] | None) -> str:
    """Checklist of a family, or of the mistakes that any answer can have."""
    mistakes = (family.failures if family is not None else {}) or common_failures()
    return "\n".join([_INTRODUCTION, *(f"- {meaning}" for meaning in mistakes.values())])
