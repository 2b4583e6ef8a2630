"""Tracks: settings ordered by difficulty, along levels, one argument, or hints."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

from reasonenv import _checks
from reasonenv._native import InvalidArgument, family
from reasonenv.curriculum._refs import Setting
from reasonenv.curriculum._rows import setting_of
from reasonenv.data._rows import Rows


@dataclass(frozen=True)
class Track(Sequence[Setting]):
    """Settings from the easiest to the hardest.

    Raises:
        InvalidArgument: The track is empty, or a setting appears twice.
    """

    name: str
    settings: tuple[Setting, ...]

    def __post_init__(self) -> None:
        _checks.text("name", self.name)
        settings = tuple(_checks.listed("settings", self.settings))
        for setting in settings:
            if not isinstance(setting, Setting):
                msg = f"track `{self.name}` has {_checks.shown(setting)}, but must have settings alone"
                raise InvalidArgument(msg)
        if not settings or len(set(settings)) < len(settings):
            what = "no settings" if not settings else "a setting twice"
            msg = f"track `{self.name}` has {what}, but must have one or more, each once"
            raise InvalidArgument(msg)
        object.__setattr__(self, "settings", settings)

    def __len__(self) -> int:
        return len(self.settings)

    @overload
    def __getitem__(self, index: int) -> Setting: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Setting, ...]: ...
    def __getitem__(self, index: int | slice) -> Setting | tuple[Setting, ...]:
        return self.settings[index]

    def __repr__(self) -> str:
        return f"<Track {self.name}: {len(self)} settings>"


Space: TypeAlias = str | Setting | Track | Rows | Iterable["str | Setting | Track | Rows"]
"""Space of a scheduler: one or several tracks, settings, names of families (all their levels), or rows."""


def levels(
    name: str,
    first: int = 0,
    last: int | None = None,
    *,
    style: Mapping[str, Any] | None = None,
    split: str = "train",
) -> Track:
    """Make a track of the levels of a family, up to and including `last`.

    Raises:
        ReasonEnvError: The family or level does not exist.
    """
    top = family(_checks.text("name", name)).top_level
    first = _checks.whole("first", first, 0, top)
    last = top if last is None else _checks.whole("last", last, first, top)
    settings = (Setting.of(name, level=at, style=style, split=split) for at in range(first, last + 1))
    return Track(name, tuple(settings))


def sweep(
    name: str,
    argument: str,
    values: Iterable[Any],
    *,
    level: int | None = None,
    params: Mapping[str, Any] | None = None,
    style: Mapping[str, Any] | None = None,
    split: str = "train",
) -> Track:
    """Make a track along one argument: a param of a family, or an argument of a game's environment.

    Args:
        name: Name of a family or a game.
        argument: Argument that varies, such as "terms" of chain_sum or "random_move_prob" of a game.
        values: Its values, from the easiest to the hardest.
        level: Level of a family that fixes the other params.
        params: Other params or arguments, all fixed.
        style: Style of a family's wording.
        split: Split of a family's tasks.

    Raises:
        ReasonEnvError: A value is invalid for the argument.
    """
    argument = _checks.text("argument", argument)
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        msg = f"`values` is {_checks.shown(values)}, but must be several values of `{argument}`"
        raise InvalidArgument(msg)
    held = _checks.mapping("params", params) or {}
    settings = (
        Setting.of(name, level=level, params={**held, argument: value}, style=style, split=split)
        for value in _checks.listed("values", values)
    )
    return Track(f"{name}.{argument}", tuple(settings))


RUNGS = (0.75, 0.5, 0.25, 0.0)
"""Shares of a solution that hints show; showing all of it would leave nothing to learn."""


def hints(setting: Setting, rungs: Iterable[float] = RUNGS) -> Track:
    """Make a track of one setting with less and less of the solution shown.

    Args:
        setting: Setting of a family.
        rungs: Shares of the solution's steps to show, from most to least.

    Raises:
        InvalidArgument: A share is not between 0 and 1.
    """
    settings = tuple(setting.with_hint(rung) for rung in _checks.listed("rungs", rungs))
    return Track(f"{setting.key}/hints", settings)


def as_tracks(space: Space) -> tuple[Track, ...]:
    """Return the tracks of a space. A single setting is a track of one.

    Raises:
        InvalidArgument: The space is invalid or empty, or repeats the name of a track or a setting.
    """
    given = [space] if isinstance(space, str | Setting | Track | Rows) else space
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        msg = f"`space` is {_checks.shown(space)}, but must be families by name, settings or tracks"
        raise InvalidArgument(msg)
    tracks = tuple(_track(one) for one in _checks.listed("space", given))
    names = [track.name for track in tracks]
    keys = [setting.key for track in tracks for setting in track]
    for what, listed in (("tracks", names), ("settings", keys)):
        called, times = Counter(listed).most_common(1)[0] if listed else ("", 0)
        if times > 1:
            msg = f"`space` has {times} {what} called `{called}`; leave the others out"
            raise InvalidArgument(msg)
    if not tracks:
        msg = "`space` is empty, but must have at least one family, setting or track"
        raise InvalidArgument(msg)
    return tracks


def _track(one: object) -> Track:
    if isinstance(one, Track):
        return one
    if isinstance(one, Setting):
        return Track(one.key, (one,))
    if isinstance(one, str):
        return levels(one)
    if isinstance(one, Rows):
        return _track(setting_of(one))
    msg = f"`space` has {_checks.shown(one)}, but must have families by name, settings, tracks or rows"
    raise InvalidArgument(msg)
