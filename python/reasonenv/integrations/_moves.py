"""Problems played move by move in text, the counterpart of `mode="moves"` of the environments."""

from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv._native import InvalidAction, InvalidArgument, Play, Task, family, read_answers
from reasonenv.envs._spaces import AnyText
from reasonenv.envs._task_env import verdict_info
from reasonenv.rewards._presets import RewardLike, resolve_judged
from reasonenv.types import ReadingName

_RULES = (
    "You do not give the whole answer at once here, but play it move by move. Each of your messages makes "
    "one move, and each reply shows what has been played and the moves that are open. What has been played "
    "at the end is your answer. {mistakes}\n\n"
    "You may reason first; then give one move in <move> tags and nothing after it, such as "
    "<move>{example}</move>."
)

_LONGEST = 200
"""Longest move in characters; names have a few dozen."""

_LISTED = 100
"""Most moves listed in a message; a large sudoku starts with more than a thousand."""


class TextMoves(gymnasium.Env[str, str]):
    """One task, played with one move per message; the result is verified as an answer at the end.

    A message without a legal move changes nothing and counts as a mistake; too many mistakes end the episode
    with a reward of 0.

    Args:
        task: A task whose family supports `Task.moves()`.
        reward: Reward of the result, as for `SolutionEnv`.
        reading: Reading of the result.
        mistakes: Number of mistakes that end the episode.

    Raises:
        Unsupported: The problems of the family cannot be played.
        InvalidArgument: The task is a row, or an option is invalid.
    """

    observation_space = AnyText()
    action_space = AnyText()

    def __init__(
        self,
        task: Any,
        *,
        reward: RewardLike = "binary",
        reading: ReadingName | None = None,
        mistakes: int = 3,
    ) -> None:
        if not isinstance(task, Task):
            msg = f"`task` is {_checks.shown(task)}, but only tasks of families are played move by move"
            raise InvalidArgument(msg)
        self.task, self.reading = task, reading
        self.reward = resolve_judged(reward, family(task.family).parts)
        self.mistakes = _checks.whole("mistakes", mistakes, 1, 1000)
        self._begin()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Return the task, how to play it, and the first position, all deterministic."""
        super().reset(seed=seed, options=options)
        self._begin()
        example = self._play.action_name(self._play.legal_actions()[0])
        if self.mistakes == 1:
            mistakes = "A message without a legal move ends it, unpaid."
        else:
            mistakes = f"{self.mistakes} messages without a legal move end it, unpaid."
        rules = _RULES.format(mistakes=mistakes, example=example)
        return f"{self.task.prompt}\n\n{rules}\n\n{self._position()}", {"task_id": self.task.id}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play the move that a message names."""
        fault = self._move(action)
        info: dict[str, Any] = {"invalid": fault is not None, "invalid_moves": self._made}
        answer = self._play.answer() if self._play.is_over else None
        if answer is not None:
            text = self.task.wrap(answer)
            verdict = self.task.verify(text, self.reading)
            parts = self.reward.parts_of_one(verdict, text)
            return "", float(sum(parts.values())), True, False, info | verdict_info(verdict, parts)
        if self._made >= self.mistakes:
            return "", 0.0, True, False, info | {"passed": False, "score": 0.0}
        return f"{fault}\n\n{self._position()}" if fault else self._position(), 0.0, False, False, info

    def _begin(self) -> None:
        self._play: Play = self.task.moves()
        self._made = 0

    def _move(self, said: str) -> str | None:
        """Play a move; return None, or what is wrong with it."""
        (named,) = read_answers([said], tag="move")
        if named is None:
            fault = "There is no move in <move> tags."
        elif len(named) > _LONGEST:
            fault = "The text in <move> tags is too long for a move."
        else:
            try:
                action = self._play.read_action(named)
            except InvalidAction as error:
                fault = f"That was no move: {error}"
            else:
                if action in self._play.legal_actions():
                    self._play.apply(action)
                    return None
                fault = f"{self._play.action_name(action)} is not legal now."
        self._made += 1
        return fault

    def _position(self) -> str:
        legal = self._play.legal_actions()
        names = ", ".join(map(self._play.action_name, legal[:_LISTED]))
        more = f", and {len(legal) - _LISTED} more of this kind" if len(legal) > _LISTED else ""
        return f"{self._play.text()}\n\nOpen moves: {names}{more}\n\nYour turn."
