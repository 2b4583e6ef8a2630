"""Environments by id, through Gymnasium. `_make.pyi`, which is generated, types the keywords of each."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from reasonenv import _checks, _native
from reasonenv._repeats import warn_of_repeats
from reasonenv.data._mixed import Mixture
from reasonenv.data._sources import TaskSource, count_of
from reasonenv.envs._dialogue import DialogueEnv
from reasonenv.envs._game import GameEnv
from reasonenv.envs._game_vector import GameVectorEnv
from reasonenv.envs._generators import TaskSampler
from reasonenv.envs._moves import MovesEnv
from reasonenv.envs._moves_vector import MovesVectorEnv
from reasonenv.envs._options import LARGEST_INDEX
from reasonenv.envs._proof import ProofEnv
from reasonenv.envs._solution import SolutionEnv
from reasonenv.envs._solution_vector import SolutionVectorEnv
from reasonenv.envs._step import StepEnv
from reasonenv.envs._tokens import TokenEnv
from reasonenv.envs._tools import ToolTaskEnv

AnyTaskEnv = SolutionEnv | StepEnv | TokenEnv | ToolTaskEnv | MovesEnv | DialogueEnv | ProofEnv

MODES: Mapping[str, type[AnyTaskEnv]] = {
    "solution": SolutionEnv,
    "step": StepEnv,
    "token": TokenEnv,
    "tools": ToolTaskEnv,
    "moves": MovesEnv,
    "dialogue": DialogueEnv,
    "proof": ProofEnv,
}
"""Ways to pose a task: answered at once, by steps, by the character, with tools, by moves
(numbers, or text in a dialogue), or by tactics."""

VECTORS: Mapping[str, type[SolutionVectorEnv | MovesVectorEnv]] = {
    "solution": SolutionVectorEnv,
    "moves": MovesVectorEnv,
}
"""Modes whose environments are stepped together in one call; those of other modes are stepped one by one."""

TEXT_MODES = ("solution", "step", "token", "tools")
"""Modes that work for any tasks, playable or not."""


def _arguments(*kinds: type) -> set[str]:
    """Names of the arguments of constructors."""
    taken = [inspect.signature(kind).parameters.values() for kind in kinds]
    return {
        one.name for each in taken for one in each if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    }


def check_task_keywords(mode: str, keywords: Mapping[str, Any], *kinds: type) -> None:
    """Refuse an argument that a family's environment does not take in a mode, and say what would work.

    Raises:
        UnknownName: There is such an argument.
    """
    known = _arguments(*kinds) | {"max_episode_steps"}
    for name in keywords.keys() - known:
        family = _native.family(keywords["family"])
        modes = [f'"{other}"' for other in MODES if name in _arguments(MODES[other])]
        if name in family.params_schema["properties"]:
            raise _checks.is_param(family.name, name, keywords[name])
        if modes:
            msg = f'no argument `{name}` in mode "{mode}"; it belongs to mode {" or ".join(modes)}'
            raise _native.UnknownName(msg)
        raise _checks.unknown("argument", name, sorted(known - {"family"}))


def check_items_keywords(mode: str, keywords: Mapping[str, Any]) -> None:
    """Refuse an argument that the environment of any tasks does not take in a mode.

    Raises:
        UnknownName: There is such an argument.
    """
    known = _arguments(MODES[mode])
    for name in keywords.keys() - known:
        raise _checks.unknown("argument", name, sorted(known - {"family"}))


def check_game_keywords(name: str, keywords: Mapping[str, Any], *kinds: type) -> None:
    """Refuse an argument that a game's environment does not take, and say what would work.

    Raises:
        UnknownName: There is such an argument.
    """
    known = _arguments(*kinds) | {"max_episode_steps"}
    for given in keywords.keys() - known:
        params = _native.game(name).params
        if given in params:
            raise _checks.is_param(name, given, keywords[given])
        if given == "level":
            msg = f"no argument `level`: a game has no levels; {name} has the params {', '.join(params)}"
            raise _native.UnknownName(f"{msg}, and `opponent` says how strong the other player is")
        raise _checks.unknown("argument", given, sorted(known - {"game"}))


def make(id: str, **keywords: Any) -> gymnasium.Env[Any, Any]:
    """`gymnasium.make` for the ids of this package, typed so that an editor knows their keywords and params.

    Args:
        id: One of `reasonenv.types.EnvId`.
        **keywords: Those of `SolutionEnv` or `GameEnv`, and of `gymnasium.make`.
    """
    return gymnasium.make(id, **keywords)


def make_vec(id: str, num_envs: int = 1, **keywords: Any) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """`gymnasium.make_vec` for the ids of this package: `num_envs` of them, stepped in one call into Rust.

    Args:
        id: One of `reasonenv.types.EnvId`.
        num_envs: Number of envs.
        **keywords: Those of `SolutionVectorEnv` or `GameVectorEnv`, and of `gymnasium.make_vec`. With
            `vectorization_mode="async"` or "sync", `autoreset_mode` goes to Gymnasium's vector environment.
    """
    if keywords.get("vectorization_mode") in ("async", "sync") and "autoreset_mode" in keywords:
        vector = {"autoreset_mode": keywords.pop("autoreset_mode")}
        keywords["vector_kwargs"] = vector | dict(keywords.get("vector_kwargs") or {})
    return gymnasium.make_vec(id, num_envs, **keywords)


def task_env(*, mode: str = "solution", **keywords: Any) -> AnyTaskEnv:
    """The environment of a family in a mode, one of `MODES`."""
    _checks.one_of("mode", mode, tuple(MODES))
    check_task_keywords(mode, keywords, MODES[mode])
    modes = [None, *MODES[mode].metadata["render_modes"]]
    if mode != "moves" and keywords.get("render_mode") not in modes:
        gymnasium.logger.warn(
            f'mode "{mode}" has no render mode {keywords["render_mode"]!r}, but {modes[1:]}'
        )
    return MODES[mode](**keywords)


def task_vector_env(
    num_envs: int = 1, *, mode: str = "solution", **keywords: Any
) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """The vector environment of a family in a mode, one of `MODES`."""
    _checks.one_of("mode", mode, tuple(MODES))
    check_task_keywords(mode, keywords, MODES[mode], VECTORS.get(mode, SyncVectorEnv))
    if mode in VECTORS:
        return VECTORS[mode](num_envs, **keywords)
    count = _checks.whole("num_envs", num_envs, 1)
    autoreset = keywords.pop("autoreset_mode", AutoresetMode.NEXT_STEP)
    limit = keywords.pop("max_episode_steps", None)
    single = partial(_limited, MODES[mode], limit, keywords)
    return SyncVectorEnv([single] * count, autoreset_mode=autoreset)


def game_env(*, game: str, **keywords: Any) -> GameEnv:
    """The environment of a game."""
    check_game_keywords(game, keywords, GameEnv)
    return GameEnv(game, **keywords)


def game_vector_env(num_envs: int = 1, *, game: str, **keywords: Any) -> GameVectorEnv:
    """The vector environment of a game."""
    check_game_keywords(game, keywords, GameEnv, GameVectorEnv)
    return GameVectorEnv(num_envs, game=game, **keywords)


def _limited(kind: type[AnyTaskEnv], limit: int | None, keywords: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    made: gymnasium.Env[Any, Any] = kind(**keywords)
    return made if limit is None else gymnasium.wrappers.TimeLimit(made, limit)


def mixture_env(
    *,
    mode: str = "solution",
    families: TaskSource | Iterable[Any] | None = None,
    weights: Sequence[float] | None = None,
    split: Any = "train",
    task_seed: int = 0,
    num_tasks: int | None = None,
    **keywords: Any,
) -> AnyTaskEnv:
    """The environment of several families in a mode, one of `TEXT_MODES`.

    Args:
        mode: How a task is posed.
        families: Names, or pairs of a name and a level, or a mapping of names to weights; or a `Mixture`, a
            `Source` or rows, which have weights, split and seed of their own. None: all families at level 0.
        weights: Relative frequency of each family. None: all equal.
        split: Split of the items.
        task_seed: Seed of the streams of items, and of the choice of families.
        num_tasks: Size of a finite set of items. None: 2**63 of them.
        **keywords: Those of the mode's environment that are not about a family.
    """
    _checks.one_of("mode", mode, TEXT_MODES)
    check_items_keywords(mode, keywords)
    given = _native.list_families() if families is None else families
    most = LARGEST_INDEX + 1
    if isinstance(given, TaskSource):
        own = {"weights": (weights, None), "split": (split, "train"), "task_seed": (task_seed, 0)}
        for name, (value, usual) in own.items():
            if value is not usual and value != usual:
                msg = f"`{name}` is {_checks.shown(value)}, but these tasks have their own; leave it out"
                raise _native.InvalidArgument(msg)
        mixture: Any = given
        split, most = getattr(given, "split", split), count_of(given) or most
    else:
        mixture = _mixture(given, weights, split, task_seed)
    count = most if num_tasks is None else _checks.whole("num_tasks", num_tasks, 1, most)
    if isinstance(mixture, _native.Mixture | _native.Source):
        warn_of_repeats(mixture, num_tasks)
    return MODES[mode](TaskSampler(mixture, count, split), **keywords)  # type: ignore[arg-type]  # a mode takes more than a source


def _mixture(given: object, weights: Sequence[float] | None, split: Any, seed: int) -> Any:
    """A mixture of families by their names."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = (
            f"`families` is {_checks.shown(given)}, but must be a mixture, several names, pairs of a name "
            "and a level, or a mapping of names to weights"
        )
        raise _native.InvalidArgument(msg)
    if isinstance(given, Mapping):
        if weights is not None:
            msg = f"`weights` is {_checks.shown(weights)}, but `families` has weights; leave one out"
            raise _native.InvalidArgument(msg)
        weights = list(given.values())
    # JSON, which carries specs, has no tuples.
    sources = [tuple(one) if isinstance(one, list) else one for one in _checks.listed("families", given)]
    return Mixture(sources, weights=weights, split=split, seed=seed)


def rows_env(
    *,
    mode: str = "solution",
    rows: Any,
    question: str = "question",
    answer: str | Sequence[str] = "answer",
    verifier: Any = "exact_match",
    group: str | None = None,
    instruction: str | None = None,
    **keywords: Any,
) -> AnyTaskEnv:
    """The environment of your own rows in a mode, one of `TEXT_MODES`.

    Args:
        mode: How a row is posed.
        rows: Rows from `reasonenv.from_rows`, or its input.
        question: As in `from_rows`, and so are the next four.
        answer: Column of reference answers.
        verifier: Verifier that checks answers against them.
        group: Column of a value that rows of a group share.
        instruction: Appended to each question.
        **keywords: Those of the mode's environment that are not about a family; `reading` is the verifier's.
    """
    from reasonenv.data._rows import Rows, from_rows  # noqa: PLC0415  few environments have rows

    _checks.one_of("mode", mode, TEXT_MODES)
    check_items_keywords(mode, keywords)
    if keywords.get("reading") is not None:
        given = _checks.shown(keywords["reading"])
        msg = f"`reading` is {given}, but is an option of `verifier`; give it there"
        raise _native.InvalidArgument(msg)
    if not isinstance(rows, Rows):
        rows = from_rows(
            rows, question=question, answer=answer, verifier=verifier, group=group, instruction=instruction
        )
    return MODES[mode](TaskSampler(rows, len(rows)), **keywords)  # type: ignore[arg-type]  # a mode takes more than a source


# Gymnasium reads the render modes from the function that makes an environment.
for _made, _kind in (
    (task_env, MovesEnv),
    (game_env, GameEnv),
    (mixture_env, SolutionEnv),
    (rows_env, SolutionEnv),
):
    _made.metadata = _kind.metadata  # type: ignore[union-attr]
