"""Findings of a check, reported all at once."""

from collections.abc import Callable

from reasonenv._native import FamilyError, GameError, ReasonEnvError

_MOST = 3
"""Most examples reported for one broken contract."""


class BrokenContract(AssertionError):
    """A family or a game breaks contracts; the message names each one, with examples and fixes."""

    def __init__(self, unit: str, broken: dict[str, list[str]]) -> None:
        self.broken = {contract: tuple(examples) for contract, examples in broken.items()}
        """Examples of each broken contract, by its name."""
        lines = [f"{unit} breaks {len(broken)} contract{'s' if len(broken) > 1 else ''}:"]
        lines += [f"- {contract}: {'; '.join(examples)}" for contract, examples in self.broken.items()]
        super().__init__("\n".join(lines))


class Findings:
    """Broken contracts of one family or game, with a few examples each."""

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self._broken: dict[str, list[str]] = {}

    def expect(self, holds: bool, contract: str, example: str) -> None:
        """Note an example of a broken contract unless it holds."""
        if not holds:
            examples = self._broken.setdefault(contract, [])
            if len(examples) < _MOST and example not in examples:
                examples.append(example)

    def run(self, contract: str, check: Callable[[], None]) -> None:
        """Run a check; an exception in the unit's code breaks a contract, too."""
        try:
            check()
        except (FamilyError, GameError) as error:
            self.expect(False, "raises", f"{error} (while checking {contract})")
        except ReasonEnvError as error:
            self.expect(False, contract, str(error))

    def close(self) -> None:
        """Raise BrokenContract if any contract is broken."""
        if self._broken:
            raise BrokenContract(self.unit, self._broken)
