"""A run described by a file: each part by its name and arguments, in YAML, TOML or JSON.

    generator: {name: countdown, level: 2}
    policy: {name: openai, model: gpt-5-mini, max_tokens: 2048}
    verifier: strict
    reward: {name: shaped, format: 0.1}
    n: 200
    group_size: 8
    sampling: {on_flat: drop}
    saving: runs/first

`PARTS` lists the names. A name may also be `package.module:attribute`, for parts of your own.
"""

import functools
import json
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, ReasonEnvError, list_families, list_readings
from reasonenv._records import InvalidRun
from reasonenv.rewards._presets import PRESETS, resolve
from reasonenv.rollouts import _places
from reasonenv.rollouts._engine import rollout
from reasonenv.rollouts._policies import named_policy
from reasonenv.rollouts._result import Rollouts
from reasonenv.rollouts._settings import Sampling, Saving, saving_of
from reasonenv.rollouts._tree import Tree

_BY_NAME = "reasonenv.rollouts._by_name:"

PARTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "generator": {
            "family": f"{_BY_NAME}source",
            "mixture": f"{_BY_NAME}mixture",
            "tasks": f"{_BY_NAME}tasks",
            "rows": f"{_BY_NAME}rows",
            "environment": f"{_BY_NAME}environment",
        },
        "environment": {
            "reasoning": "reasonenv.envs:ReasonEnv",
            "step": "reasonenv.envs:StepEnv",
            "dialogue": "reasonenv.envs:DialogueEnv",
            "double_check": "reasonenv.envs.wrappers:double_check",
            "retry": "reasonenv.envs.wrappers:retry",
            "tools": "reasonenv.envs.wrappers:tools",
        },
        "state_builder": {"scratchpad": "reasonenv.envs._scratchpad:ShowScratchpad"},
        "transition": {"scratchpad": "reasonenv.envs._scratchpad:AppendStep"},
        "stop": {},
        "process_judge": {},
        "policy": {
            "noisy": "reasonenv.rollouts._policies:Noisy",
            "probe": "reasonenv.rollouts._policies:Probe",
            "best-constant": "reasonenv.rollouts._policies:BestConstant",
            "game": "reasonenv.rollouts._policies:Player",
            "openai": "reasonenv.rollouts._endpoint:Endpoint",
            "hf": "reasonenv.rollouts._local:LocalModel",
            "vllm": "reasonenv.rollouts._local:vllm_model",
        },
        "verifier": {},
        "reward": {
            "weights": "reasonenv.rewards:Reward",
            "shaped": "reasonenv.rewards:Reward.shaped",
        },
        "curriculum": {},
        "logger": {
            "jsonl": f"{_BY_NAME}JsonLines",
            "print": f"{_BY_NAME}Lines",
            "tensorboard": "reasonenv.rollouts._loggers:TensorBoard",
            "wandb": "reasonenv.rollouts._loggers:WandB",
        },
    }
)
"""Parts by name, each with its import path. Families, presets, readings and schedulers have other tables."""

_COMPOSED = ("state_builder", "transition", "stop", "process_judge")
"""Parts that only a composed environment has."""

_PLAIN = ("n", "group_size", "seed", "sampling", "saving")
"""Arguments of `rollout` that are plain values."""


def read_run_file(path: str | Path) -> "RunFile":
    """Read a run file.

    Raises:
        InvalidArgument: It isn't YAML, TOML or JSON of this form, or has an unknown key; names it.
        OSError: It cannot be read; names it.
    """
    path = _checks.path("path", path)
    text = path.read_text(encoding="utf-8-sig")
    try:
        content = _parsed(path, text)
    except (ValueError, RecursionError) as error:
        msg = f"{path} cannot be read as {path.suffix[1:] or 'YAML'}: {' '.join(str(error).split())}; mend it"
        raise InvalidArgument(msg) from None
    if not isinstance(content, Mapping) or not all(isinstance(key, str) for key in content):
        msg = f"{path} is {_checks.shown(content)}, but must hold keys with values, such as `policy: oracle`"
        raise InvalidArgument(msg)
    known = [*PARTS, *_PLAIN]
    for key in content:
        if key not in known:
            msg = f"{path}: {_checks.unknown('key', key, known)}"
            raise InvalidArgument(msg)
    if "policy" not in content:
        msg = f"{path} has no `policy`; name one, such as `policy: noisy:0.5`"
        raise InvalidArgument(msg)
    if ("generator" in content) == ("curriculum" in content and not _composes(content)):
        msg = f"{path} must have either a `generator` or a `curriculum`; both only in an `environment`"
        raise InvalidArgument(msg)
    return RunFile(path, text, dict(content))


def _parsed(path: Path, text: str) -> Any:
    if path.suffix == ".json":
        return json.loads(text, object_pairs_hook=_unrepeated)
    if path.suffix == ".toml":
        return tomllib.loads(text)
    import yaml  # noqa: PLC0415, only this format needs it

    class Loader(yaml.SafeLoader):
        """Refuses repeated keys."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            _unrepeated([(key.value, None) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"])
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _unrepeated(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """Mapping of these keys and values; refuses repeated keys."""
    found: dict[Any, Any] = {}
    for key, value in pairs:
        if str(key) in found:
            msg = f"`{key}` is there twice"
            raise ValueError(msg)
        found[str(key)] = value
    return found


def _composes(content: Mapping[str, Any]) -> bool:
    """True if the parts of a file make an environment."""
    return any(content.get(name) is not None for name in ("environment", *_COMPOSED))


@dataclass(frozen=True)
class RunFile:
    """A run, as a file describes it."""

    path: Path
    text: str
    """The file, verbatim."""
    content: dict[str, Any]

    def start(self, saving: str | Path | Saving | None = None) -> Rollouts:
        """Make the parts and run the policy; the file is stored with the run.

        Args:
            saving: The run's folder, or a `Saving`, instead of the folder in the file; by default `runs/` and
                the name of the file.

        Raises:
            ReasonEnvError: A part is invalid; names the file and the key. Also as for `rollout`.
            InvalidRun: The folder holds a run of another file; names the key that differs.
        """
        asked = {name: self.content[name] for name in _PLAIN if name in self.content}
        with _at(self.path):
            named = saving_of(asked.pop("saving", None)).folder
            parts = self._made() | {"sampling": _sampling(asked.pop("sampling", None))}
        place = saving_of(saving)
        folder = Path(place.folder or named or Path("runs") / self.path.stem)
        place = replace(place, folder=folder, logger=parts.pop("logger", place.logger))
        fresh = [one for one in (folder, *folder.parents) if not one.exists()]
        stored = self._store(folder, overwrite=place.overwrite)
        try:
            return rollout(**parts, **asked, saving=place)
        finally:
            if not (folder / "config.json").exists():  # it was refused before it began
                stored.unlink(missing_ok=True)
                with suppress(OSError):
                    for one in fresh:
                        one.rmdir()

    def _made(self) -> dict[str, Any]:
        """Parts, as arguments of `rollout`."""
        content = self.content
        parts: dict[str, Any] = {"policies": self._policies()}
        if content.get("logger") is not None:
            parts["logger"] = made("logger", content["logger"])
        reward = content.get("reward")
        if reward is not None:
            parts["reward"] = made("reward", reward)
        curriculum, generator = (
            None if content.get(name) is None else made(name, content[name])
            for name in ("curriculum", "generator")
        )
        if _composes(content):
            own = {name: made(name, content[name]) for name in _COMPOSED if content.get(name) is not None}
            if curriculum is not None:
                own["curriculum"] = curriculum
            if "reward" in parts:
                own["reward"] = parts.pop("reward")
            if content.get("verifier") is not None:
                own["verifier"] = _verifier(content["verifier"])
            return parts | {"tasks": _composed(content.get("environment") or "reasoning", generator, own)}
        if content.get("verifier") is not None:
            parts["reading"] = _reading(content["verifier"])
        return parts | {"tasks": curriculum if generator is None else generator}

    def _policies(self) -> Any:
        given, seed = self.content["policy"], _checks.seed("seed", self.content.get("seed", 0))
        if isinstance(given, list):
            return [made(f"policy[{i}]", one, seed=seed) for i, one in enumerate(given)]
        return made("policy", given, seed=seed)

    def _store(self, folder: Path, *, overwrite: bool) -> Path:
        """Store the file next to the traces and return its path; a file already there must be equal."""
        stored = folder / f"run{self.path.suffix or '.yaml'}"
        if stored.exists() and (folder / "config.json").exists() and not overwrite:
            there = read_run_file(stored).content
            for key in sorted({*there, *self.content} - {"saving"}):
                had, asks = (_deciding(key, content.get(key)) for content in (there, self.content))
                if had != asks:
                    msg = (
                        f"{folder} was made by another file: `{key}` is {_checks.shown(had)} there and "
                        f"{_checks.shown(asks)} here; name another folder, or start over with `--overwrite`"
                    )
                    raise InvalidRun(msg)
            return stored
        folder.mkdir(parents=True, exist_ok=True)
        with writing(stored) as file:
            file.write(self.text)
        return stored


def _sampling(given: Any) -> Sampling:
    """Sampling settings of a file."""
    settings = _checks.mapping("sampling", given) or {}
    known = [one.name for one in fields(Sampling) if one.name != "style"]
    for name in settings:
        if name not in known:
            raise _checks.unknown("setting of `sampling`", name, known)
    tree = _checks.mapping("sampling.tree", settings.get("tree"))
    for name in tree or ():
        if name not in Tree.__dataclass_fields__:
            raise _checks.unknown("setting of `sampling.tree`", name, Tree.__dataclass_fields__)
    return Sampling(**settings | {"tree": None if tree is None else Tree(**tree)})


def _deciding(key: str, value: Any) -> Any:
    """A value without the settings that don't affect results."""
    if key != "sampling" or not isinstance(value, Mapping):
        return value
    return {name: one for name, one in value.items() if name not in ("batch_size", "concurrency")} or None


class _at:  # noqa: N801, a context manager that reads as a word
    """Adds the file's name to errors."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ReasonEnvError):
            raise type(error)(f"{self.path}: {error}") from None


def made(key: str, given: Any, **more: Any) -> Any:
    """Part that a value of a file describes.

    Args:
        key: Place in the file; the word before a bracket is the kind of part.
        given: A name, or a mapping with `name` and the arguments.
        **more: Arguments that the part gets if it accepts them.

    Raises:
        ReasonEnvError: There is no such part, or it doesn't accept an argument; names the key.
    """
    kind = key.partition("[")[0]
    name, arguments = _named(key, given)
    make = _maker(kind, name)
    if make is None:
        if arguments and kind != "curriculum":
            msg = f"`{key}` is `{name}`, which takes no arguments; leave out `{next(iter(arguments))}`"
            raise InvalidArgument(msg)
        try:
            return _by_own_table(kind, name, arguments, more)
        except ReasonEnvError as error:
            raise type(error)(f"`{key}`: {error}") from None
    return _places.built(key, name, make, arguments, more)


def _named(key: str, given: Any) -> tuple[str, dict[str, Any]]:
    """Name of a part, and its arguments."""
    if isinstance(given, str):
        return given, {}
    if isinstance(given, Mapping) and isinstance(given.get("name"), str):
        arguments = {str(name): value for name, value in given.items() if name != "name"}
        return given["name"], arguments
    msg = f"`{key}` is {_checks.shown(given)}, but must be a name, or have a `name` beside its arguments"
    raise InvalidArgument(msg)


def _maker(kind: str, name: str) -> Any:
    """Maker of a part; None if the part's kind resolves its own names."""
    if name in PARTS[kind]:
        return _places.found(PARTS[kind][name])
    if kind == "generator" and name in list_families():
        return functools.partial(_places.found(PARTS[kind]["family"]), name)
    if _places.is_place(name) and name.partition(":")[0] not in PARTS[kind]:
        return _places.imported(kind, name)
    return None


def _by_own_table(kind: str, name: str, arguments: dict[str, Any], more: Mapping[str, Any]) -> Any:
    """A part with a name from another table."""
    if kind == "policy":
        return named_policy(name, seed=more.get("seed", 0))
    if kind == "reward":
        # The parts of a verifier are known once the tasks are.
        return name if name not in PRESETS else resolve(name)
    if kind == "curriculum":
        from reasonenv.curriculum import make  # noqa: PLC0415, which imports much

        return make(name, arguments.pop("space", None), **arguments)
    known = [*PARTS[kind], *(list_families() if kind == "generator" else ())]
    if not known:
        msg = f"it is `{name}`, but must be the place of a part of your own, such as my_package.parts:mine"
        raise InvalidArgument(msg)
    raise _checks.unknown(kind, name, known)


def _reading(given: Any) -> str:
    """Reading of answers by the tasks' own verifiers."""
    name, arguments = _named("verifier", given)
    if name not in list_readings() or arguments:
        msg = (
            f"`verifier` is {_checks.shown(given)}, but tasks judge by themselves: it must be a reading, "
            f"{' or '.join(list_readings())}; name an `environment` to bring a verifier of your own"
        )
        raise InvalidArgument(msg)
    return name


def _verifier(given: Any) -> Any:
    """Verifier of a composed environment: a reading for the tasks' own verifiers, or one of your own."""
    name, arguments = _named("verifier", given)
    if name in list_readings() and not arguments:
        return functools.partial(_verified, name)
    return made("verifier", given)


def _verified(reading: Any, task: Any, text: str) -> Any:
    return task.verify(text, reading)


def _composed(given: Any, generator: Any, parts: dict[str, Any]) -> Any:
    """An environment composed of parts."""
    name, arguments = _named("environment", given)
    make = _maker("environment", name)
    if make is None:
        raise _checks.unknown("environment", name, PARTS["environment"])
    if "state_builder" in parts and hasattr(parts["state_builder"], "max_steps"):
        arguments.setdefault("max_steps", parts["state_builder"].max_steps)
    return _places.built("environment", name, functools.partial(make, generator), arguments | parts)
