"""SkyRL: an environment of skyrl-gym for every row, of one turn or of several. Needs the extra `skyrl`.

    from reasonenv.integrations import skyrl

    skyrl.register()  # inside the entrypoint that Ray runs
    env = skyrl_gym.make("reasonenv", extras=row)

A row is one of `skyrl_rows`: its `env_class` names the environment, its `reward_spec` holds the problem.
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
"""What `env_class` of the rows names."""


class ReasonEnvironment(BaseTextEnv):
    """One trajectory: a completion that is judged, or the turns of a `Conversation`.

    Args:
        env_config: `reward`, `reading` and `stop_tokens` of what is judged at once, as `VerdictReward` of TRL
            takes them.
        extras: The row without its prompt; `max_turns` cuts conversations short.

    Raises:
        ReasonEnvError: The row holds no problem of ours, or the configuration is not what it must be.
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
        """Takes what the model says; observations are messages, as skyrl-gym has them."""
        self.turns += 1
        if self.talk is None:
            verdict = score(action, self.problem, self.reading, stop_tokens=self.stop_tokens)
            self.passed, self.failure = verdict.passed, next(iter(verdict.failures), "")
            return self._seen("", float(self.reward(verdict, action)), True)
        reply = self.talk.say(action)
        self.passed = self.talk.is_over and self.talk.passed
        return self._seen(reply, self.talk.turn_reward, self.talk.is_over or self.turns >= self.max_turns)

    def get_metrics(self) -> dict[str, Any]:
        """Whether it was solved, in how many turns."""
        return {"passed": float(self.passed), "turns": self.turns}

    def _seen(self, reply: str, reward: float, done: bool) -> Any:
        observations = [] if done else [{"role": "user", "content": reply}]
        told = {"passed": self.passed, "failure": self.failure}
        return BaseTextEnvStepOutput(observations=observations, reward=reward, done=done, metadata=told)


def register() -> None:
    """Makes `skyrl_gym.make("reasonenv")` known; a second call changes nothing."""
    if NAME not in skyrl_gym.registry:
        skyrl_gym.register(id=NAME, entry_point=f"{__name__}:{ReasonEnvironment.__name__}")


def skyrl_rows(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Iterator[dict[str, Any]]:
    """Rows in SkyRL's columns.

    Args:
        rows: What `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations` give.
        system: A system prompt of your own.
    """
    for row in verl_rows(rows, system):
        yield {
            "data_source": row["data_source"],
            "prompt": row["prompt"],
            "env_class": NAME,
            "reward_spec": {"method": "rule", "ground_truth": row["reward_model"]["ground_truth"]},
            "extra_info": row["extra_info"],
        }
