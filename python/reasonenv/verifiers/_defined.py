"""Base class and registry of verifiers written in Python."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

from reasonenv import _checks, _native
from reasonenv._native import InvalidArgument, InvalidParams, InvalidReference, Verdict, Verdicts


class PythonVerifier(ABC):
    """A verifier written in Python: a frozen dataclass whose fields are its options.

    It works wherever a native `Verifier` does: it has the same name, options and methods, it pickles, and
    `from_config` creates it.
    """

    name: ClassVar[str]
    """Name in configurations and on the command line."""
    summary: ClassVar[str]
    """One-line description of an answer that passes."""
    example: ClassVar[dict[str, str]]
    """A row for the default options: its `reference`, a `right` answer and a `wrong` one."""
    instruction: ClassVar[str]
    """Sentence of the prompt that asks for an answer in the required form."""
    fence: ClassVar[str]
    """Language of the fenced code block that the instruction asks for."""
    columns: ClassVar[tuple[str, ...]] = ("answer",)
    """Columns of a row that hold its reference, unless others are named."""

    @property
    def options(self) -> dict[str, Any]:
        """All options, including those left at their defaults."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @abstractmethod
    def read_reference(self, reference: Any) -> Any:
        """Parse a reference into the form that answers are checked against.

        Raises:
            ValueError: No answer could be checked against the reference; the message says why.
        """

    def marks(self, reference: Any) -> tuple[str, str]:  # noqa: ARG002 - marks may differ from row to row
        """Return the text before and after an answer in a well-formed completion."""
        return f"```{self.fence}\n", "\n```"

    @abstractmethod
    def judge(self, texts: Sequence[str], references: Sequence[Any]) -> list[Verdict]:
        """Verify completions against references parsed by `read_reference`."""

    def check(self, references: Sequence[Any]) -> list[tuple[int, str]]:
        """Return the row and the reason of every reference that no answer could be checked against."""
        found = []
        for row, reference in enumerate(references):
            try:
                self.read_reference(reference)
            except ValueError as error:
                found.append((row, f"`references[{row}]` is {_checks.shown(reference)}: {error}"))
        return found

    def __call__(self, texts: Sequence[Any], references: Sequence[Any]) -> Verdicts:
        """Verify one completion per reference, in order."""
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            msg = f"`texts` is {_checks.shown(texts)}, but must be a list of completions"
            raise InvalidArgument(msg)
        if (
            isinstance(references, str)
            or not isinstance(references, Sequence)
            or len(texts) != len(references)
        ):
            given = len(references) if hasattr(references, "__len__") else _checks.shown(references)
            msg = f"`references` has {given} items, but must have one for each of {len(texts)} texts"
            raise InvalidArgument(msg)
        read = []
        for row, reference in enumerate(references):
            try:
                read.append(self.read_reference(reference))
            except ValueError as error:
                msg = f"`references[{row}]` is {_checks.shown(reference)}: {error}"
                raise InvalidReference(msg) from None
        read_texts = [_native._completion(f"texts[{row}]", text) for row, text in enumerate(texts)]
        return Verdicts(self.judge(read_texts, read))

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.name}({told})"


_REGISTRY: dict[str, type[PythonVerifier]] = {}


def register(kind: type[PythonVerifier]) -> type[PythonVerifier]:
    """Register a verifier class under its name; a class decorator."""
    _REGISTRY[kind.name] = kind
    return kind


def list_verifiers() -> list[str]:
    """Return the names of all verifiers."""
    return [*_native.list_verifiers(), *_REGISTRY]


class Verifier(_native.Verifier):
    __doc__ = _native.Verifier.__doc__
    __slots__ = ()

    def __new__(cls, name: str, **options: Any) -> "Verifier":
        """Create a verifier by name; one that is written in Python is a `PythonVerifier`."""
        if cls is Verifier and isinstance(name, str) and name in _REGISTRY:
            return make(name, options)  # type: ignore[return-value]  # it has the same methods
        return super().__new__(cls, name, **options)  # type: ignore[arg-type]  # rejects unknown names


def make(name: str, options: Mapping[str, Any]) -> Verifier | PythonVerifier:
    """Create a verifier by name.

    Raises:
        InvalidParams: The verifier or one of its options does not exist.
    """
    kind = _REGISTRY.get(name)
    if kind is None:
        return Verifier(name, **options)
    build: Callable[..., PythonVerifier] = kind
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            told = ", ".join(f"`{one}`" for one in known)
            raise InvalidParams(f"{name}: no param `{option}`; it takes {told}")
    return build(**options)
