"""Many one-task episodes in parallel: one call into Rust makes all items, another verifies all answers."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from reasonenv import _native
from reasonenv.envs._costs import Costs
from reasonenv.envs._options import checked_options
from reasonenv.envs._render import check_render_mode, judged_text
from reasonenv.envs._solution import SolutionEnv
from reasonenv.envs._state import checked_seed, reading_state, rng_from, rng_state, same_items, write_state
from reasonenv.envs._task_env import as_text
from reasonenv.envs._vector import Bools, Floats, LanesEnv, Seeds, objects, put, put_where

Prompts = tuple[str, ...]


class SolutionVectorEnv(LanesEnv[Prompts, Sequence[str]]):
    """`num_envs` environments that each pose one task per episode, as `SolutionEnv` does.

    Observations are a tuple of `num_envs` prompts and actions a sequence of as many completions. Rewards are
    float64, terminations and truncations bool, all of shape (num_envs,). Infos are those of `SyncVectorEnv`:
    for each key of a single env's info an array of shape (num_envs,) and, under "_" + key, the mask of the
    envs that have it; dicts are nested.

    Environment `i` behaves like a separate `SolutionEnv`: after `reset(seed=s)` the one reset with `seed=s +
    i`, after `reset(seed=[...])` the one reset with the seed at `i`.

    Args:
        num_envs: Number of envs.
        autoreset_mode: Time of the reset after an env is over, an `AutoresetMode` or its value. "NextStep":
            in the next step, which ignores its action and rewards it with 0. "SameStep": in the step that
            ended it; the answered prompt is in `infos["final_obs"]`, the verdict in `infos["final_info"]`.
            "Disabled": only by `reset(options={"reset_mask": ...})`.
        max_episode_steps: As in `gymnasium.make`: 1 truncates each episode besides terminating it.
        render_mode: "ansi" makes `render` return a tuple of str.
        **kwargs: Those of `SolutionEnv`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
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
        self._single = SolutionEnv(**kwargs)
        fps = self._single.metadata["render_fps"]
        super().__init__(num_envs, autoreset_mode, render_mode, ["ansi"], fps)
        self.single_observation_space = self._single.observation_space
        self.single_action_space = self._single.action_space
        self._truncates = max_episode_steps == 1
        self._indices = np.zeros(self.num_envs, np.int64)
        self._batch: _native.Batch | None = None
        self._prompts: Prompts = ()
        self._over = np.zeros(self.num_envs, np.bool_)
        self._completions = [""] * self.num_envs

    # Gymnasium copies a space num_envs times, a millisecond each, so this waits until it is needed.
    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """A Tuple of `num_envs` Text spaces."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """A Tuple of `num_envs` Text spaces."""
        return batch_space(self.single_action_space, self.num_envs)

    @property
    def tasks(self) -> tuple[_native.Task, ...]:
        """The items in play, with their solutions and verifiers.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        return tuple(self._posed())

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Prompts, dict[str, Any]]:
        """Pose other items.

        Args:
            seed: An int seeds env `i` with `seed + i`; a sequence gives each env its own seed, or None to
                continue its stream.
            options: `{"index": i}` poses item `i` in every env, and a sequence of `num_envs` one in each.
                `{"reset_mask": mask}`, a bool array of shape (num_envs,), resets only where it is True.

        Returns:
            All prompts, and the infos of the envs that were reset.
        """
        given = checked_options(options, "index", "reset_mask")
        mask, seeds = self._checked_mask(given), self._checked_seeds(seed)
        chosen = self._checked_indices(given.get("index"))
        for i, own in enumerate(seeds):
            if own is not None and mask[i]:
                self._rngs[i], self._seeds[i] = seeding.np_random(own)
        self._pose(mask, chosen)
        return self._prompts, self._task_infos(mask)

    def step(self, actions: Sequence[str]) -> tuple[Prompts, Floats, Bools, Bools, dict[str, Any]]:
        """Verify a completion of each prompt.

        Args:
            actions: One completion per env. None of them raises; see `SolutionEnv`.

        Returns:
            Prompts, rewards, terminations, truncations and infos.

        Raises:
            ResetNeeded: Before the first `reset`, or with "Disabled" while some env is over; names those
                envs.
            InvalidArgument: There are not `num_envs` actions.
        """
        batch, acts, resets = self._posed(), ~self._over, self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and resets.any():
            self._refuse_over(resets)
        completions = self._checked_completions(actions)
        rewards, judgements = np.zeros(self.num_envs), {}
        if acts.any():
            verdicts = batch.verify(completions, self._single.reading)
            parts = self._single.reward.parts(verdicts, completions)
            rewards[acts] = sum(parts.values(), np.zeros(self.num_envs))[acts]
            judgements = _judgements(acts, verdicts, parts, self._single.costs)
        self._completions, self._over = completions, acts.copy()
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            ends: dict[str, Any] = {}
            put_where(ends, acts, "final_obs", objects(self._prompts), None)
            put(ends, acts, "final_info", self._task_infos(acts) | judgements)
            self._pose(acts)
            infos = ends | self._task_infos(acts)
        else:
            if resets.any():
                self._pose(resets)
            infos = self._task_infos(self._all()) | judgements
        truncations = acts.copy() if self._truncates else np.zeros_like(acts)
        return self._prompts, rewards, acts, truncations, infos

    def render(self) -> tuple[str, ...] | None:
        """Output of `SolutionEnv.render` in render mode "ansi", for each env."""
        batch = self._posed()
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        verdicts = batch.verify(self._completions, self._single.reading)
        judged = [verdict if over else None for verdict, over in zip(verdicts, self._over, strict=True)]
        return tuple(map(judged_text, self._prompts, self._completions, judged))

    def get_state(self) -> bytes:
        """Full state of these envs, as JSON."""
        posed = self._batch is not None
        return write_state(
            task_ids=self._ids.tolist() if posed else None,
            indices=self._indices.tolist() if posed else None,
            over=self._over.tolist(),
            completions=self._completions,
            np_randoms=[rng and rng_state(rng) for rng in self._rngs],
            np_random_seeds=self._seeds,
        )

    def set_state(self, state: bytes) -> None:
        """Continue from the output of `get_state`, of these envs or of ones made with the same arguments.

        Raises:
            ReasonEnvError: The state is damaged, or of envs that pose other items; these are unchanged.
        """
        with reading_state(state) as fields:
            rngs = [rng and rng_from(rng) for rng in fields["np_randoms"]]
            over = np.array(fields["over"], np.bool_)
            completions = list(map(as_text, fields["completions"]))
            seeds = list(map(checked_seed, fields["np_random_seeds"]))
            self._check_count(rngs, over, completions, seeds)
            batch = None if fields["indices"] is None else self._single.source.tasks(fields["indices"])
            same_items(batch and batch.ids, fields["task_ids"])
        self._rngs, self._seeds = rngs, seeds
        self._hold(batch, fields["indices"])
        self._over, self._completions = over, completions

    @property
    def _has_begun(self) -> bool:
        return self._batch is not None

    def _posed(self) -> _native.Batch:
        self._must_have_begun()
        assert self._batch is not None, "begun means posed"
        return self._batch

    def _checked_completions(self, actions: Sequence[str]) -> list[str]:
        if isinstance(actions, str):
            msg = f"`actions` is one str, but must be a sequence of {self.num_envs}"
            raise _native.InvalidArgument(msg)
        actions = list(actions)
        if len(actions) != self.num_envs:
            msg = f"{len(actions)} actions for {self.num_envs} envs; give one for each"
            raise _native.InvalidArgument(msg)
        # Actions for envs that are over are ignored, so they needn't be read.
        pairs = zip(actions, self._over.tolist(), strict=True)
        return ["" if over else as_text(action) for action, over in pairs]

    def _checked_indices(self, given: Any) -> list[int] | None:
        """Item for each env to pose, if the caller chose them."""
        if given is None:
            return None
        if not isinstance(given, Sequence | np.ndarray):
            return [self._single.checked_index(given)] * self.num_envs
        if len(given) != self.num_envs:
            msg = f'`options["index"]` holds {len(given)} indices for {self.num_envs} envs; give one for each'
            raise _native.InvalidArgument(msg)
        return list(map(self._single.checked_index, given))

    def _pose(self, mask: Bools, chosen: list[int] | None = None) -> None:
        """Pose other items where `mask` is True: drawn, or the `chosen` ones."""
        single = self._single
        if chosen is None:
            pairs = zip(self.np_random, mask.tolist(), strict=True)
            chosen = [single.items.draw(rng) if new else 0 for rng, new in pairs]
        # Items outside the mask are made again. There are some only if a caller reset only part of the envs,
        # which then take turns with the others.
        indices = np.where(mask, np.array(chosen, np.int64), self._indices).tolist()
        self._hold(single.source.tasks(indices), indices)
        self._over = self._over & ~mask

    def _hold(self, batch: _native.Batch | None, indices: list[int] | None) -> None:
        self._batch = batch
        if batch is not None:
            self._indices = np.array(indices, np.int64)
            self._prompts = tuple(batch.prompts)
            self._ids = objects(batch.ids)
            self._difficulties = batch.difficulty.astype(np.float64)

    def _task_infos(self, mask: Bools) -> dict[str, Any]:
        """Task entries of a single env's info, as columns."""
        infos: dict[str, Any] = {}
        level = self._single.source.level
        put_where(infos, mask, "task_id", self._ids, None)
        put_where(infos, mask, "level", level, None if level is None else 0)
        put_where(infos, mask, "difficulty", self._difficulties, 0.0)
        put_where(infos, mask, "index", self._indices, 0)
        return infos


def _judgements(
    mask: Bools, verdicts: _native.Verdicts, rewarded: Mapping[str, NDArray[np.float64]], costs: Costs
) -> dict[str, Any]:
    """Completion entries of a single env's info: `Verdict.to_dict()`, one column per field."""
    parts: dict[str, Any] = {}
    for name, values in verdicts.parts.items():
        put_where(parts, mask, name, values.astype(np.float64), 0.0)
    reward_parts: dict[str, Any] = {}
    for name, paid in rewarded.items():
        put_where(reward_parts, mask, name, paid, 0.0)
    infos: dict[str, Any] = {}
    failures = verdicts.failures
    cost = costs.of_answers(failures)
    for key in ("cost", "episode_cost"):
        put_where(infos, mask, key, cost, 0.0)
    verdict: dict[str, Any] = {}
    for into in (infos, verdict):
        put_where(into, mask, "passed", verdicts.passed, False)
        put_where(into, mask, "score", verdicts.score.astype(np.float64), 0.0)
    put(verdict, mask, "parts", parts)
    put_where(verdict, mask, "failures", objects(map(list, failures)), None)
    put_where(verdict, mask, "detail", objects(verdicts.detail), None)
    put_where(verdict, mask, "answer", objects(verdicts.answers), None)
    put_where(verdict, mask, "respelled", verdicts.respelled, False)
    put(infos, mask, "reward_parts", reward_parts)
    put(infos, mask, "verdict", verdict)
    return infos
