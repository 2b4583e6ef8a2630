"""SkyRL: a skyrl-gym environment for each row, of one or several turns. Needs the `skyrl` extra.

    from reasonenv.integrations import skyrl

    skyrl.register()  # inside the entrypoint that Ray runs
    env = skyrl_gym.make("reasonenv", extras=row)

Rows come from `skyrl_rows`: `env_class` names the environment, and `reward_spec` has the problem.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import needs
from reasonenv.integrations.verl import verl_rows

with needs("skyrl", "skyrl-gym"):
    import skyrl_gym
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

__all__ = ["ReasonEnvironment", "register", "skyrl_rows"]

NAME = "reasonenv"
"""Name of the environment in the column `env_class`."""


class ReasonEnvironment(BaseTextEnv):
    """One trajectory: the turns of a `Conversation`.

    Args:
        env_config: `reward` and `reading`, in place of the row's.
        extras: The row without its prompt; `max_turns` limits the turns.

    Raises:
        ReasonEnvError: The row has no problem of this package, or the configuration is invalid.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        config, row = dict(env_config or {}), dict(extras or {})
        problem, pay = row["reward_spec"]["ground_truth"], {"reward", "reading"} & config.keys()
        self.talk = Conversation(problem, **{name: config[name] for name in pay})
        self.max_turns = int(row.get("max_turns") or 10_000)

    def step(self, action: str) -> Any:
        """Take the model's text; observations are messages, as in skyrl-gym."""
        self.turns += 1
        self.talk.say(action)
        done = self.talk.is_over or self.turns >= self.max_turns
        told = {"passed": self.talk.is_over and self.talk.passed, "failure": self.talk.failure}
        return BaseTextEnvStepOutput(
            observations=[] if done else self.talk.replies,
            reward=self.talk.turn_reward,
            done=done,
            metadata=told,
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return the metrics of the conversation, and its number of turns."""
        passed = float(self.talk.is_over and self.talk.passed)
        return {"passed": passed, **self.talk.metrics, "turns": self.turns}


def register() -> None:
    """Register the environment for `skyrl_gym.make("reasonenv")`; a second call changes nothing."""
    if NAME not in skyrl_gym.registry:
        skyrl_gym.register(id=NAME, entry_point=f"{__name__}:{ReasonEnvironment.__name__}")


def skyrl_rows(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield rows in SkyRL's columns.

    Args:
        rows: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
        system: System prompt, in place of the rows'.
    """
    for row in verl_rows(rows, system):
        yield {
            "data_source": row["data_source"],
            "prompt": row["prompt"],
            "env_class": NAME,
            "reward_spec": {"method": "rule", "ground_truth": row["reward_model"]["ground_truth"]},
            "extra_info": row["extra_info"],
        }
