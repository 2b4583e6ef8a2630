"""Properties of an environment that matter to an algorithm, and the algorithms that fit it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import gymnasium
from gymnasium import spaces

from reasonenv import _checks, _native
from reasonenv._native import InvalidArgument
from reasonenv.envs._game import GameEnv
from reasonenv.envs._generators import TaskSampler
from reasonenv.envs._moves import MovesEnv
from reasonenv.envs._proof import ProofEnv
from reasonenv.envs._reason import ReasonEnv
from reasonenv.envs._scratchpad import TaskVerifier, family_steps
from reasonenv.envs._solution import SolutionEnv
from reasonenv.envs._tokens import TokenEnv


class Fit(NamedTuple):
    """A class of algorithms that fits an environment, and the reason."""

    algorithms: str
    why: str


@dataclass(frozen=True)
class Description:
    """Properties of an environment that matter to an algorithm."""

    name: str
    actions: Literal["text", "discrete", "other"]
    """Type of an action; "other" if the environment was given its own action space."""
    action_count: int | None
    """Number of actions; None for text."""
    masks: bool
    """True if `info["action_mask"]` marks the legal actions."""
    observations: Literal["text", "numbers"]
    horizon: int | None
    """Maximum number of steps of an episode; None if only the play itself limits them."""
    verifier: str
    """Verifier that decides if an episode passed."""
    groups: bool
    """True if the same start can be posed again, so that the episodes of a group are comparable."""
    process_scores: bool
    """True if reasoning steps are scored one by one; in a mixture, if those of any family are."""
    saves: bool
    """True if states can be cloned, saved and restored, as search and branching require."""
    fits: tuple[Fit, ...]
    """Algorithms that fit, best first."""

    def __repr__(self) -> str:
        actions = self.actions if self.action_count is None else f"{self.action_count} discrete"
        facts = {
            "actions": f"{actions}, masked" if self.masks else actions,
            "observations": self.observations,
            "horizon": "as the item has it" if self.horizon is None else f"{self.horizon}",
            "verifier": self.verifier,
            "groups": _said(self.groups),
            "process scores": _said(self.process_scores),
            "saved states": _said(self.saves),
        }
        lines = [self.name, *(f"  {name:<15}{fact}" for name, fact in facts.items()), "  fits"]
        return "\n".join([*lines, *(f"    {fit.algorithms}: {fit.why}" for fit in self.fits)])


def describe(env: gymnasium.Env[Any, Any]) -> Description:
    """Describe an environment of this package: its properties and the algorithms that fit it.

    >>> import gymnasium, reasonenv
    >>> about = reasonenv.envs.describe(gymnasium.make("reasonenv/ChainSum-v1", mode="step"))
    >>> about.actions, about.horizon, about.process_scores
    ('text', 8, True)

    Raises:
        InvalidArgument: It is another kind of environment, or a vector environment: describe a single one.
    """
    ours = getattr(env, "unwrapped", None)
    if not isinstance(ours, SolutionEnv | ReasonEnv | TokenEnv | MovesEnv | GameEnv):
        msg = f"`env` is {_checks.shown(env)}, but must be a single environment of reasonenv"
        raise InvalidArgument(msg)
    space = ours.action_space
    text, discrete = isinstance(space, spaces.Text), isinstance(space, spaces.Discrete)
    # Gymnasium's own time limits are in the spec.
    limit = env.spec.max_episode_steps if getattr(env, "spec", None) is not None and env.spec else None
    horizon = ours.horizon if limit is None else min(limit, ours.horizon or limit)
    facts: dict[str, Any] = {
        "actions": "text" if text else "discrete" if discrete else "other",
        "action_count": int(space.n) if isinstance(space, spaces.Discrete) else None,
        "masks": discrete and hasattr(ours, "action_masks"),
        "observations": "text" if isinstance(ours.observation_space, spaces.Text) else "numbers",
        "horizon": horizon,
        "verifier": _verifier(ours),
        "groups": True,
        "process_scores": _scores_steps(ours),
        "saves": True,
    }
    name = env.spec.id if env.spec is not None else type(ours).__name__
    return Description(name, **facts, fits=tuple(_fits(ours, facts)))


def _items(env: Any) -> Any:
    """Numbered tasks of an environment, or the other source of its tasks."""
    if isinstance(env, ReasonEnv):
        return env.generator.source if isinstance(env.generator, TaskSampler) else None
    return env.source


def _families(source: Any) -> list[_native.Family]:
    sources = getattr(source, "sources", [source])
    found = {one.family.name: one.family for one in sources if isinstance(one, _native.Source)}
    return list(found.values())


def _verifier(env: Any) -> str:
    if isinstance(env, GameEnv):
        return "the rules of the game"
    own = env.judge.verifier if isinstance(env, ReasonEnv) else None
    if own is not None and not isinstance(own, TaskVerifier):
        return f"a verifier of your own, {getattr(own, '__name__', type(own).__name__)}"
    source = _items(env)
    families = _families(source)
    if families:
        kinds = sorted({family.judged_by for family in families})
        named = families[0].name if len(families) == 1 else f"{len(families)} families"
        return f"the judge of {named} ({', '.join(kinds)})"
    judge = getattr(source, "verifier", None)
    return f"{judge!r}" if judge is not None else "the tasks' own judges"


def _scores_steps(env: Any) -> bool:
    if not isinstance(env, ReasonEnv):
        return False
    if isinstance(env, ProofEnv):
        return env.measures
    judge = getattr(env.transition, "process_judge", None)
    if judge is not family_steps:
        return judge is not None
    return any(family_steps(family.sample(), []) is not None for family in _families(_items(env)))


def _fits(env: Any, facts: dict[str, Any]) -> Iterator[Fit]:
    if facts["actions"] == "text":
        yield from _text_fits(facts)
    elif isinstance(env, TokenEnv):
        yield Fit(
            "PPO or A2C on single characters, of levels 0 and 1",
            f"few actions and numbers to see, but one reward after up to {env.max_chars} of them; "
            'reward="partial" pays what comes near',
        )
        yield Fit("evolution strategies, random search", "they need no intermediate rewards")
    elif facts["masks"]:
        yield Fit(
            "MaskablePPO, masked DQN",
            f"{facts['action_count']} actions, of which the mask leaves the legal ones",
        )
        yield Fit(
            "search with a learned value (MCTS, expert iteration)",
            "states can be cloned, and what the end is worth is exact",
        )
        yield Fit("behavioral cloning", "exact players and solutions give unlimited demonstrations")
    else:
        yield Fit("an algorithm for spaces of your own", "the environment was given its action space")


def _text_fits(facts: dict[str, Any]) -> Iterator[Fit]:
    if facts["horizon"] == 1:
        yield Fit(
            "group-relative policy gradients on a language model (GRPO, RLOO, REINFORCE with a baseline)",
            "one completion, one exact reward, and the mean of a group is its baseline: no critic is needed",
        )
        yield Fit(
            "best-of-n sampling, rejection-sampling fine-tuning, preference pairs (DPO)",
            "the verifier tells right from wrong: what passes is a demonstration, with what fails a pair",
        )
        return
    yield Fit(
        "group-relative policy gradients over whole episodes (GRPO over turns)",
        "the reward comes at the end; episodes of one start are compared with each other",
    )
    if facts["process_scores"]:
        yield Fit(
            "step advantages from process scores (PPO with a critic, process-supervised RL)",
            "each reasoning step is scored, so that credit need not wait for the end",
        )
    yield Fit(
        "Monte Carlo values of prefixes, tree search over steps (VinePPO, MCTS, beam search)",
        "states can be cloned, so that any prefix can be continued many times",
    )


def _said(fact: bool) -> str:
    return "yes" if fact else "no"
