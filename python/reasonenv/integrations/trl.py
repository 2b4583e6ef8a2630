"""TRL: a batched reward function, rows for its trainers, and environments whose moves are tools.

    from trl import GRPOTrainer
    from reasonenv.integrations import rows, trl

    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        reward_funcs=trl.VerdictReward(),
        train_dataset=trl.dataset(rows("countdown", 10_000, level=2)),
    )

Only `dataset` needs a package, `datasets`, which the extra `trl` brings.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reasonenv._native import InvalidArgument
from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import is_problem, needs, score_all, text_of
from reasonenv.rewards._presets import RewardLike, every_part, resolve_judged
from reasonenv.types import ReadingName

__all__ = ["GameEnvironment", "RetryEnvironment", "VerdictReward", "as_messages", "dataset"]


class VerdictReward:
    """A reward function for TRL: verifies a batch of completions in one call, in parallel without the GIL.

    It reads the column `problem` and returns None for rows of other data sets, so that it can be combined
    with other rewards. It also logs the pass rate and the failure of each completion. It can be pickled, as
    trainers that spawn processes require.

    Args:
        reward: The name of a preset or of a part, weights of parts, or a `Reward`.
        reading: Reading of the answers; None uses the default of each family.
        stop_tokens: End-of-turn marks of the model.
        name: Name in metrics.

    Raises:
        ReasonEnvError: An argument is invalid.
    """

    def __init__(
        self,
        reward: RewardLike = "binary",
        *,
        reading: ReadingName | None = None,
        stop_tokens: Sequence[str] | None = None,
        name: str = "reasonenv",
    ) -> None:
        self.reward = resolve_judged(reward, every_part())
        self.reading, self.stop_tokens, self.__name__ = reading, stop_tokens, name
        score_all([], [], reading, stop_tokens=stop_tokens)  # raises for a bad argument before a run starts

    def __call__(
        self,
        completions: Sequence[Any],
        *,
        problem: Sequence[Any] | None = None,
        log_extra: Callable[[str, list[Any]], Any] | None = None,
        log_metric: Callable[[str, float], Any] | None = None,
        **columns: Any,  # noqa: ARG002  TRL passes every column of the data set, and more with each release
    ) -> list[float | None]:
        """Return the reward of each completion, a text or messages; None for rows of other data sets.

        Raises:
            InvalidProblem: A problem of this package is damaged.
        """
        given = [None] * len(completions) if problem is None else problem
        ours = [at for at, one in enumerate(given) if is_problem(one)]
        texts = [text_of(completions[at]) for at in ours]
        verdicts = score_all(
            texts, [str(given[at]) for at in ours], self.reading, stop_tokens=self.stop_tokens
        )
        rewards: list[float | None] = [None] * len(completions)
        said = [""] * len(completions)
        paid = self.reward(verdicts, texts).tolist()
        for at, verdict, worth in zip(ours, verdicts, paid, strict=True):
            rewards[at] = worth
            said[at] = "passed" if verdict.passed else next(iter(verdict.failures), "failed")
        if log_extra is not None:
            log_extra(f"{self.__name__}_verdict", said)
        if log_metric is not None and ours:
            log_metric(f"{self.__name__}/pass_rate", float(verdicts.passed.mean()))
        return rewards


def as_messages(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield rows with a list of messages as `prompt`, for TRL's trainers.

    Args:
        rows: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
        system: System prompt to add.
    """
    first = [] if system is None else [{"role": "system", "content": system}]
    for row in rows:
        yield {**row, "prompt": [*first, {"role": "user", "content": row["prompt"]}]}


def dataset(rows: Iterable[Mapping[str, Any]], system: str | None = None) -> Any:
    """Make a `datasets.Dataset` of `as_messages`.

    Raises:
        ModuleNotFoundError: The package `datasets` is not installed.
    """
    with needs("trl", "datasets"):
        from datasets import Dataset  # noqa: PLC0415  an extra
    return Dataset.from_list(list(as_messages(rows, system)))


class _Environment:
    """Base of environments for TRL's `environment_factory`; many rollouts reuse and reset one of them."""

    _told = ""
    _episode: Conversation | None = None

    def reset(self, **row: Any) -> str:
        """Start the episode of a row; return the text to append to its prompt."""
        self._episode = Conversation(row.get("problem", ""))
        return f"\n\n{self._told}"

    def get_reward(self) -> float:
        """Return the reward of the episode so far."""
        return self._begun().reward

    # Not a property, since TRL reads every attribute when it looks for tools.
    def _begun(self) -> Conversation:
        if self._episode is None:
            raise InvalidArgument("no episode has begun; call reset with a row first")
        return self._episode

    def _say(self, answer: str) -> str:
        talk, said = self._begun(), str(answer)
        if talk.is_over:
            # TRL shows the model the message of an exception in a tool.
            raise ValueError("it is over; nothing more can be done")
        # The task asks for tags, so some models write them here, too.
        closing = talk.wrap("\0").partition("\0")[2]
        reply = talk.say(said if closing in said else talk.wrap(said))
        if talk.is_over:
            return "It is over, and you succeeded." if talk.passed else "It is over."
        return reply


class GameEnvironment(_Environment):
    """Games of `game_rows`, or `conversation_rows(…, turns="moves")`, with moves by the tool `move`."""

    _told = "Make each move by calling the tool `move`, without any tags."

    def move(self, move: str) -> str:
        """Makes your next move.

        Args:
            move: The move, written as the rules say, without tags.

        Returns:
            The position at your next turn, or how it ended.
        """
        return self._say(move)


class RetryEnvironment(_Environment):
    """Tasks of `conversation_rows` in several turns, with answers by the tool `answer`."""

    _told = "Give each answer by calling the tool `answer`, without any tags."

    def answer(self, answer: str) -> str:
        """Gives an answer to the task.

        Args:
            answer: The answer alone, in the form that the task asks for, without tags.

        Returns:
            What is said of it, or how it ended.
        """
        return self._say(answer)
