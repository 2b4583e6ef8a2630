"""SkyRL: a skyrl-gym environment for each row, of one or several turns. Needs the `skyrl` extra.

    from reasonenv.integrations import skyrl

    skyrl.register()  # inside the entrypoint that Ray runs
    env = skyrl_gym.make("reasonenv", extras=row)

Rows come from `skyrl_rows`: `env_class` names the environment, and `reward_spec` has the problem.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reasonenv.integrations._conversations import Conversation, is_conversation
from reasonenv.integrations._items import needs, score
from reasonenv.integrations.verl import verl_rows
from reasonenv.rewards._presets import every_part, resolve_judged

with needs("skyrl", "skyrl-gym"):
    import skyrl_gym
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

__all__ = ["ReasonEnvironment", "register", "skyrl_rows"]

NAME = "reasonenv"
"""Name of the environment in the column `env_class`."""


class ReasonEnvironment(BaseTextEnv):
    """One trajectory: a completion that is verified, or the turns of a `Conversation`.

    Args:
        env_config: `reward`, `reading` and `stop_tokens` for problems of one turn, as for `VerdictReward` of
            the TRL adapter.
        extras: The row without its prompt; `max_turns` limits conversations.

    Raises:
        ReasonEnvError: The row has no problem of this package, or the configuration is invalid.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        config, row = dict(env_config or {}), dict(extras or {})
        self.problem = row["reward_spec"]["ground_truth"]
        self.reward = resolve_judged(config.get("reward", "binary"), every_part())
        self.reading, self.stop_tokens = config.get("reading"), config.get("stop_tokens")
        self.talk = Conversation(self.problem) if is_conversation(self.problem) else None
        self.max_turns = int(row.get("max_turns") or (10_000 if self.talk else 1))
        self.passed = False
        self.failure = ""

    def step(self, action: str) -> Any:
        """Take the model's text; observations are messages, as in skyrl-gym."""
        self.turns += 1
        if self.talk is None:
            verdict = score(action, self.problem, self.reading, stop_tokens=self.stop_tokens)
            self.passed, self.failure = verdict.passed, next(iter(verdict.failures), "")
            return self._seen("", float(self.reward(verdict, action)), True)
        reply = self.talk.say(action)
        self.passed = self.talk.is_over and self.talk.passed
        return self._seen(reply, self.talk.turn_reward, self.talk.is_over or self.turns >= self.max_turns)

    def get_metrics(self) -> dict[str, Any]:
        """Return whether the problem was solved, and the number of turns."""
        return {"passed": float(self.passed), "turns": self.turns}

    def _seen(self, reply: str, reward: float, done: bool) -> Any:
        observations = [] if done else [{"role": "user", "content": reply}]
        told = {"passed": self.passed, "failure": self.failure}
        return BaseTextEnvStepOutput(observations=observations, reward=reward, done=done, metadata=told)


def register() -> None:
    """Register the environment for `skyrl_gym.make("reasonenv")`; a second call changes nothing."""
    if NAME not in skyrl_gym.registry:
        skyrl_gym.register(id=NAME, entry_point=f"{__name__}:{ReasonEnvironment.__name__}")


def skyrl_rows(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield rows in SkyRL's columns.

    Args:
        rows: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
        system: System prompt to add.
    """
    for row in verl_rows(rows, system):
        yield {
            "data_source": row["data_source"],
            "prompt": row["prompt"],
            "env_class": NAME,
            "reward_spec": {"method": "rule", "ground_truth": row["reward_model"]["ground_truth"]},
            "extra_info": row["extra_info"],
        }
