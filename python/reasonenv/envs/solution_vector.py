"""Many one-task episodes at once: items are made and completions judged in one call into Rust each."""

import copy
import operator
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from reasonenv import _native
from reasonenv.envs.solution import (
    SolutionEnv,
    as_text,
    check_render_mode,
    reading_state,
    rng_from,
    rng_state,
    same_items,
    show,
    write_state,
)

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Prompts = tuple[str, ...]


class SolutionVectorEnv(VectorEnv[Prompts, Sequence[str], NDArray[Any]]):
    """`num_envs` environments that each pose one task per episode, as `SolutionEnv` does.

    Observations are a tuple of `num_envs` prompts and actions a sequence of as many completions. Rewards are
    float64, terminations and truncations bool, all of shape (num_envs,). Infos are those of `SyncVectorEnv`:
    for each key of a single env's info an array of shape (num_envs,) and, under "_" + key, the mask of the
    envs that have it; dicts are nested.

    Environment `i` equals a `SolutionEnv` of its own: after `reset(seed=s)` the one reset with `seed=s + i`,
    after `reset(seed=[...])` the one reset with the seed at `i`.

    Args:
        num_envs: How many.
        autoreset_mode: When an env that is over is reset, an `AutoresetMode` or its value. "NextStep": by the
            next step, which ignores its action and rewards it with 0. "SameStep": by the step that ended it;
            the answered prompt is in `infos["final_obs"]`, the verdict in `infos["final_info"]`. "Disabled":
            only by `reset(options={"reset_mask": ...})`.
        max_episode_steps: As in `gymnasium.make`: 1 truncates each episode besides terminating it.
        render_mode: "ansi" makes `render` return a tuple of str.
        **kwargs: Those of `SolutionEnv`.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        if num_envs < 1:
            raise _native.ReasonEnvError(f"num_envs is {num_envs}, but must be at least 1")
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(repr(mode.value) for mode in AutoresetMode)
            raise _native.UnknownName(
                f"autoreset_mode is {autoreset_mode!r}, but must be one of {modes}"
            ) from None
        self._single = SolutionEnv(**kwargs)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": ["ansi"],
            "render_fps": self._single.metadata["render_fps"],
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = self._single.observation_space
        self.single_action_space = self._single.action_space
        self._truncates = max_episode_steps == 1
        made = [seeding.np_random() for _ in range(num_envs)]
        self._rngs, self._seeds = [rng for rng, _ in made], [seed for _, seed in made]
        self._indices = np.zeros(num_envs, np.int64)
        self._batch: _native.Batch | None = None
        self._prompts: Prompts = ()
        self._over = np.zeros(num_envs, np.bool_)
        self._completions = [""] * num_envs

    # Gymnasium copies a space num_envs times, at a millisecond each: not before someone asks.
    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """A Tuple of `num_envs` Text spaces."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """A Tuple of `num_envs` Text spaces."""
        return batch_space(self.single_action_space, self.num_envs)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each env, as in `SyncVectorEnv`."""
        return tuple(self._rngs)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each env's generator, as in `SyncVectorEnv`."""
        return tuple(self._seeds)

    @property
    def tasks(self) -> tuple[_native.Task, ...]:
        """The items in play, with their solutions and judges.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        return tuple(self._posed())

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Prompts, dict[str, Any]]:
        """Poses other items.

        Args:
            seed: An int seeds env `i` with `seed + i`; a sequence gives each env its own, or None to go on
                with its stream.
            options: `{"index": i}` poses item `i` in every env, and a sequence of `num_envs` one in each.
                `{"reset_mask": mask}`, a bool array of shape (num_envs,), resets only where it is True.

        Returns:
            All prompts, and the infos of the envs that were reset.
        """
        options = options or {}
        mask = np.ones(self.num_envs, np.bool_)
        if "reset_mask" in options:
            mask = self._checked_mask(options["reset_mask"])
        if seed is not None:
            self._seed(seed, mask)
        self._pose(mask, options.get("index"))
        return self._prompts, self._facts(mask)

    def step(self, actions: Sequence[str]) -> tuple[Prompts, Floats, Bools, Bools, dict[str, Any]]:
        """Judges a completion of each prompt.

        Args:
            actions: One completion per env. None of them raises; see `SolutionEnv`.

        Returns:
            Prompts, rewards, terminations, truncations and infos.

        Raises:
            ResetNeeded: Before the first `reset`, or with "Disabled" while some env is over; names those.
            ValueError: There are not `num_envs` actions.
        """
        batch, acts, resets = self._posed(), ~self._over, self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and resets.any():
            over = ", ".join(map(str, np.flatnonzero(resets)))
            remedy = 'call reset(options={"reset_mask": terminations | truncations}) before the next step()'
            raise ResetNeeded(f"episodes are over in envs {over}; {remedy}")
        completions = self._checked_completions(actions)
        rewards, judgements = np.zeros(self.num_envs), {}
        if acts.any():
            verdicts = batch.verify(completions, self._single.reading)
            rewards[acts] = getattr(verdicts, self._single.reward)[acts]
            judgements = _judgements(acts, verdicts)
        self._completions, self._over = completions, acts.copy()
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ends: dict[str, Any] = {}
            _put(ends, acts, "final_obs", _objects(self._prompts), None)
            ends["final_info"], ends["_final_info"] = self._facts(acts) | judgements, acts.copy()
            self._pose(acts)
            infos = ends | self._facts(acts)
        else:
            if resets.any():
                self._pose(resets)
            infos = self._facts(np.ones_like(acts)) | judgements
        truncations = acts.copy() if self._truncates else np.zeros_like(acts)
        return self._prompts, rewards, acts, truncations, infos

    def render(self) -> tuple[str, ...] | None:
        """What `SolutionEnv.render` returns in render mode "ansi", for each env."""
        batch = self._posed()
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        verdicts = batch.verify(self._completions, self._single.reading)
        shown = zip(self._prompts, self._completions, verdicts, self._over.tolist(), strict=True)
        return tuple(show(prompt, said, verdict if over else None) for prompt, said, verdict, over in shown)

    def get_state(self) -> bytes:
        """All that decides what these envs do next, as JSON."""
        posed = self._batch is not None
        return write_state(
            task_ids=self._ids.tolist() if posed else None,
            indices=self._indices.tolist() if posed else None,
            over=self._over.tolist(),
            completions=self._completions,
            np_randoms=[rng_state(rng) for rng in self._rngs],
            np_random_seeds=self._seeds,
        )

    def set_state(self, state: bytes) -> None:
        """Continues from what `get_state` returned, of these envs or of ones made with the same arguments.

        Raises:
            ReasonEnvError: The state is damaged, or of envs that pose other items; these are unchanged.
        """
        with reading_state(state) as fields:
            rngs = [rng_from(rng) for rng in fields["np_randoms"]]
            over = np.array(fields["over"], np.bool_)
            completions, seeds = list(map(as_text, fields["completions"])), list(fields["np_random_seeds"])
            if any(len(column) != self.num_envs for column in (rngs, over, completions, seeds)):
                raise ValueError(f"it is of {len(rngs)} envs, where these are {self.num_envs}")
            batch = None if fields["indices"] is None else self._single.source.tasks(fields["indices"])
            same_items(batch and batch.ids, fields["task_ids"])
        self._rngs, self._seeds = rngs, seeds
        self._hold(batch, fields["indices"])
        self._over, self._completions = over, completions

    def clone(self) -> Self:
        """Independent envs in the same state."""
        return copy.deepcopy(self)

    def _posed(self) -> _native.Batch:
        if self._batch is None:
            raise ResetNeeded("no tasks are in play yet; call reset() first")
        return self._batch

    def _checked_mask(self, mask: Any) -> Bools:
        name, n = 'options["reset_mask"]', self.num_envs
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (n,):
            raise TypeError(f"{name} is {mask!r}, but must be a bool array of shape ({n},)")
        if not mask.any():
            raise ValueError(f"{name} is False everywhere, but must be True for one env at least")
        if self._batch is None and not mask.all():
            raise ResetNeeded(f"{name} leaves out envs that have no task yet; call reset() without it first")
        return mask

    def _checked_completions(self, actions: Sequence[str]) -> list[str]:
        if isinstance(actions, str):
            raise TypeError(f"actions is one str, but must be a sequence of {self.num_envs}")
        actions = list(actions)
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} envs; give one for each")
        # What is said by an env that is over is ignored, so it need not be read.
        pairs = zip(actions, self._over.tolist(), strict=True)
        return ["" if over else as_text(action) for action, over in pairs]

    def _seed(self, seed: int | Sequence[int | None], mask: Bools) -> None:
        each = range(self.num_envs)
        seeds = seed if isinstance(seed, Sequence) else [operator.index(seed) + i for i in each]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} envs; give one for each, or one int")
        for i, own in enumerate(seeds):
            if own is not None and mask[i]:
                self._rngs[i], self._seeds[i] = seeding.np_random(operator.index(own))

    def _pose(self, mask: Bools, chosen: Any = None) -> None:
        """Poses other items where `mask` is True: drawn, or the `chosen` ones."""
        single = self._single
        if chosen is None:
            pairs = zip(self._rngs, mask.tolist(), strict=True)
            given = [single.draw(rng) if new else 0 for rng, new in pairs]
        elif isinstance(chosen, Sequence | np.ndarray):
            given = [single.checked_index(index) for index in chosen]
            if len(given) != self.num_envs:
                raise ValueError(f'options["index"] holds {len(given)} indices for {self.num_envs} envs')
        else:
            given = [single.checked_index(chosen)] * self.num_envs
        # Items outside the mask are made again. There are none, unless a caller reset only some envs: these
        # take turns with the others from then on.
        indices = np.where(mask, np.array(given, np.int64), self._indices).tolist()
        self._hold(single.source.tasks(indices), indices)
        self._over = self._over & ~mask

    def _hold(self, batch: _native.Batch | None, indices: list[int] | None) -> None:
        self._batch = batch
        if batch is not None:
            self._indices = np.array(indices, np.int64)
            self._prompts = tuple(batch.prompts)
            self._ids = _objects(batch.ids)
            self._difficulties = batch.difficulty.astype(np.float64)

    def _facts(self, mask: Bools) -> dict[str, Any]:
        """What a single env's info says of its task."""
        infos: dict[str, Any] = {}
        level = self._single.source.level
        _put(infos, mask, "task_id", self._ids, None)
        _put(infos, mask, "level", level, None if level is None else 0)
        _put(infos, mask, "difficulty", self._difficulties, 0.0)
        _put(infos, mask, "index", self._indices, 0)
        return infos


def _judgements(mask: Bools, verdicts: _native.Verdicts) -> dict[str, Any]:
    """What a single env's info says of its completion."""
    parts: dict[str, Any] = {}
    for name, values in verdicts.parts.items():
        _put(parts, mask, name, values.astype(np.float64), 0.0)
    infos: dict[str, Any] = {}
    verdict: dict[str, Any] = {}
    for into in (infos, verdict):
        _put(into, mask, "passed", verdicts.passed, False)
        _put(into, mask, "score", verdicts.score.astype(np.float64), 0.0)
    _put(verdict, mask, "failures", _objects(verdicts.failures), None)
    _put(verdict, mask, "detail", _objects(verdicts.detail), None)
    verdict["parts"], verdict["_parts"] = parts, mask.copy()
    infos["verdict"], infos["_verdict"] = verdict, mask.copy()
    return infos


def _put(infos: dict[str, Any], mask: Bools, key: str, values: Any, missing: Any) -> None:
    """Adds a column as Gymnasium's vector envs do: `missing` outside the mask, and the mask itself."""
    infos[key], infos[f"_{key}"] = np.where(mask, values, missing), mask.copy()


def _objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """An array of Python objects; NumPy would take tuples apart."""
    return np.fromiter(values, np.object_)
