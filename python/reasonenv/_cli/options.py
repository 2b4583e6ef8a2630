"""Options that several commands share, and the parsing of their values."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

import reasonenv
from reasonenv import _checks, verifiers
from reasonenv._ids import env_id
from reasonenv._native import Family
from reasonenv._settings import fields
from reasonenv.data import FORMATS
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import _policies
from reasonenv.rollouts._settings import LARGEST_BATCH, LARGEST_CONCURRENCY, LARGEST_GROUP

# Typer parses plain text: the core refuses unknown names and suggests the nearest one.
if TYPE_CHECKING:
    from reasonenv.types import OpponentName as OpponentText
    from reasonenv.types import ReadingName as ReadingText
    from reasonenv.types import SplitName as SplitText
else:
    OpponentText = ReadingText = SplitText = str

_MOST_BRACKETS = 100
"""Brackets in one value beyond which it is nested more deeply than any param."""


def complete_family(incomplete: str) -> list[str]:
    """Families whose names begin with a text, and 'all'."""
    return [name for name in ["all", *reasonenv.list_families()] if name.startswith(incomplete)]


def complete_policy(incomplete: str) -> list[str]:
    """Built-in policies whose names begin with a text."""
    return [name for name in _policies.BUILT_IN if name.startswith(incomplete)]


def complete_game(incomplete: str) -> list[str]:
    """Games whose names begin with a text."""
    return [name for name in reasonenv.list_games() if name.startswith(incomplete)]


def complete_opponent(incomplete: str) -> list[str]:
    """Opponents whose names begin with a text."""
    return [name for name in reasonenv.arena.list_opponents() if name.startswith(incomplete)]


def complete_verifier(incomplete: str) -> list[str]:
    """Verifiers whose names begin with a text."""
    return [name for name in verifiers.list_verifiers() if name.startswith(incomplete)]


def complete_format(incomplete: str) -> list[str]:
    """Formats of rows whose names begin with a text."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def setting(name: str, *flags: str, metavar: str = "N") -> Any:
    """Option for a setting of games, with its bounds and docs."""
    field = fields("game")[name]
    help_ = " ".join(field["description"].replace("`", "").split())
    bounds = {"min": field.get("minimum"), "max": field.get("maximum", _checks.LARGEST_COUNT)}
    if field["type"] == "number":  # the core refuses it, in its own words
        bounds = {}
    option = f"--{name.replace('_', '-')}"
    return typer.Option(option, *flags, metavar=metavar, help=help_, **bounds)


Shard = Annotated[
    str | None, typer.Option("--shard", metavar="I/N", help="Makes the I-th of N parts, from 0.")
]
FamilyArgument = Annotated[
    str, typer.Argument(metavar="FAMILY", help="A family by name.", autocompletion=complete_family)
]
Count = Annotated[
    int,
    typer.Option("-n", metavar="N", min=1, max=_checks.LARGEST_COUNT, help="Items of each family and level."),
]
GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="A game by name.", autocompletion=complete_game)
]
GameParams = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="NAME=VALUE", help="Sets one of the game's params; may be repeated."
    ),
]
OpponentOption = Annotated[
    OpponentText | None,
    typer.Option(
        "--opponent",
        "-o",
        metavar="NAME",
        help="random, minimax, heuristic, first_best, last_best, equilibrium or mcts; by default the "
        "strongest.",
        autocompletion=complete_opponent,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help=f"Of rows, in one word: {', '.join(FORMATS)}.",
        autocompletion=complete_format,
    ),
]
VerifierName = Annotated[
    str | None,
    typer.Option("--verifier", "-v", metavar="NAME", help="By name.", autocompletion=complete_verifier),
]
VerifierOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="Sets one of the verifier's options; may be repeated."
    ),
]
Families = Annotated[
    list[str],
    typer.Argument(
        metavar="FAMILY",
        help="Families by name, or 'all'.",
        autocompletion=complete_family,
        show_default=False,
    ),
]
AnyFamilies = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FAMILY",
        help="Families by name; all of them by default.",
        autocompletion=complete_family,
        show_default=False,
    ),
]
Level = Annotated[
    int, typer.Option("--level", "-l", metavar="LEVEL", min=0, help="Difficulty; 0 is the easiest.")
]
Levels = Annotated[
    str,
    typer.Option(
        "--level", "-l", metavar="LEVELS", help="Difficulty: a level, or several as in 0-3 or 0,2,5."
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", "-s", metavar="SEED", min=0, help="Decides the items and everything that is random."
    ),
]
Split = Annotated[
    SplitText,
    typer.Option("--split", metavar="SPLIT", help="train, eval or test; no two of them share an instance."),
]
ParamsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="NAME=VALUE", help="Overrides one of the level's params; may be repeated."
    ),
]
TemplateOption = Annotated[
    str | None,
    typer.Option(
        "--template", metavar="NAME", help="The wording, by name; by default it is drawn for each item."
    ),
]
Wrapper = Annotated[
    str | None,
    typer.Option(
        "--wrapper",
        metavar="NAME",
        help="Text around the prompt: bare, contract, chat, think, reasonrl, or yours with {prompt} in it.",
    ),
]
AnswerStyle = Annotated[
    str | None,
    typer.Option(
        "--answer",
        metavar="NAME",
        help="What the prompt asks to put the answer in: tag, the default, or boxed.",
    ),
]
Reading = Annotated[
    ReadingText | None,
    typer.Option(
        "--reading",
        metavar="NAME",
        help="How answers are read: clean, strict or lenient; by default each family's own.",
    ),
]
GroupSize = Annotated[
    int,
    typer.Option(
        "--group-size", "--rollouts", metavar="K", min=1, max=LARGEST_GROUP, help="Rollouts of each task."
    ),
]
BatchSize = Annotated[
    int,
    typer.Option(
        "--batch-size", metavar="N", min=1, max=LARGEST_BATCH, help="Items a policy is given at once."
    ),
]
Concurrency = Annotated[
    int,
    typer.Option(
        "--concurrency",
        metavar="N",
        min=1,
        max=LARGEST_CONCURRENCY,
        help="Requests to a model that are under way at once.",
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option("--temperature", metavar="T", help="Sampling temperature of models; 0 is greedy."),
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", metavar="N", help="Maximum number of tokens of a model's answer."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script instead of a table.")]


def names(given: Sequence[str] | None) -> list[str]:
    """Families by name, each once, checked before any work is done."""
    names = list(dict.fromkeys(given or ["all"]))
    if "all" in names:
        return [*reasonenv.list_families()]
    for name in names:
        if name in reasonenv.list_games():
            msg = (
                f"`{name}` is a game: `reasonenv arena {name} POLICY…` plays policies against each other, "
                f"and a run file of `generator: {{name: environment, id: {env_id(name)}}}` evaluates models"
            )
            raise InvalidArgument(msg)
    return [reasonenv.family(name).name for name in names]


def pairs(given: Sequence[str] | None, level: str) -> list[tuple[Family, int]]:
    """Families with each of the requested levels that they have; reports the omitted ones."""
    families = [reasonenv.family(name) for name in names(given)]
    wanted = levels(level)
    found = [(family, one) for family in families for one in wanted if one <= family.top_level]
    lower = [family for family in families if family.top_level < max(wanted)]
    if not found:
        top = max(families, key=lambda family: family.top_level)
        msg = f"`--level` is {_quoted(level)}, but {top.name} has levels 0 to {top.top_level}"
        raise InvalidArgument(msg)
    if lower:
        which = ", ".join(f"{family.name} 0-{family.top_level}" for family in lower[:4])
        more = f" and {len(lower) - 4} more" if len(lower) > 4 else ""
        told = f"levels that a family does not have are left out: {which}{more}"
        Console(stderr=True).print(told, style="dim", soft_wrap=True, highlight=False)
    return found


def _quoted(text: str) -> str:
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


def levels(text: str) -> list[int]:
    """Read `2`, `0-3`, `0,2,5`."""
    found: list[int] = []
    top = max(reasonenv.family(name).top_level for name in reasonenv.list_families())
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = (low, high) if dash else (low, low)
        if not all(end.isdecimal() for end in ends):
            msg = f"`--level` is {_quoted(text)}, but must be a level, or several as in 0-3 or 0,2,5"
            raise InvalidArgument(msg)
        # Length first: Python can't parse numbers of more than 4300 digits.
        if any(len(end) > 9 or int(end) > top for end in ends):
            msg = f"`--level` is {_quoted(text)}, but levels are between 0 and {top}"
            raise InvalidArgument(msg)
        found += range(int(ends[0]), int(ends[1]) + 1)
    if not found:
        msg = f"`--level` is {_quoted(text)}, which is empty; write the lower level first"
        raise InvalidArgument(msg)
    return list(dict.fromkeys(found))


def params(given: Sequence[str] | None, option: str = "--param") -> dict[str, Any] | None:
    """Read `name=value` pairs; a value is JSON if possible, else text."""
    found: dict[str, Any] = {}
    for pair in given or ():
        _checks.text(option, pair)
        name, equals, value = pair.partition("=")
        if not equals or not name:
            msg = f"`{option}` is {_quoted(pair)}, but must be NAME=VALUE"
            raise InvalidArgument(msg)
        if value.count("[") + value.count("{") > _MOST_BRACKETS:
            msg = f"`{option}` is {_quoted(pair)}, but must be a plain value or a list of some"
            raise InvalidArgument(msg)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found or None


def style(template: str | None, wrapper: str | None, answer: str | None) -> dict[str, Any] | None:
    """Style of a source, with the settings that were given."""
    given = {"template": template, "wrapper": wrapper, "answer": answer}
    return {
        name: _checks.text(f"--{name}", value) for name, value in given.items() if value is not None
    } or None


def probabilities(text: str) -> list[float]:
    """Read `1,0.45,0`."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        given = _quoted(text)
        msg = f"`--random-move-prob` is {given}, but must be a number, or several as in 1,0.45,0.125,0"
        raise InvalidArgument(msg) from None
