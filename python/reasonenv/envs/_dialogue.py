"""A problem played move by move in text: the environment behind `mode="dialogue"`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from reasonenv import _checks, _native
from reasonenv._native import InvalidAction, Play, Unsupported, read_answers
from reasonenv._settings import settled, takes
from reasonenv.envs._costs import Costs
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._hints import NO_HINTS, Hints
from reasonenv.envs._move_hints import Asked, find_hint
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.envs.wrappers._dialogue import Dialogue
from reasonenv.parts import EpisodeState, Turn, replaced
from reasonenv.rewards._presets import RewardLike

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import DialogueKeywords

DialogueMode = Literal["dialogue"]

_RULES = (
    "You do not give the whole answer at once here, but play it move by move. Each of your messages makes "
    "one move, and each reply shows what has been played and the moves that are open. What has been played "
    "at the end is your answer. {mistakes}\n\n"
    "You may reason first; then give one move in <move> tags and nothing after it, such as "
    "<move>{example}</move>.{hints}"
)

_LONGEST = 200
"""Longest move in characters; names have a few dozen."""

_LISTED = 100
"""Most moves listed in a message; a large sudoku starts with more than a thousand."""

_MOST_STEPS = 10_000


@dataclass(frozen=True)
class PlayedTurn(Turn):
    """A turn and the play after it. In another process it is a plain turn, from which the play follows."""

    play: Play | None = None

    def __reduce__(self) -> tuple[type[Turn], tuple[Any, str]]:
        return Turn, (self.action, self.reply)


def play_of(state: EpisodeState) -> Play:
    """The play of an episode so far; don't apply a move to it."""
    last = state.history[-1] if state.history else None
    if isinstance(last, PlayedTurn) and last.play is not None:
        return last.play
    play = _begun(state.task)
    for move in state.memory.get("moves", ()):
        play.apply(move)
    return play


def move_of(play: Play, said: str) -> int | str:
    """The legal move that a message names, or what is wrong with it."""
    (named,) = read_answers([said], tag="move")
    if named is None:
        return "There is no move in <move> tags."
    if len(named) > _LONGEST:
        return "The text in <move> tags is too long for a move."
    try:
        action = play.read_action(named)
    except InvalidAction as error:
        return f"That was no move: {error}"
    return action if action in play.legal_actions() else f"{play.action_name(action)} is not legal now."


def position(play: Play) -> str:
    """Message with the play so far and the open moves."""
    if play.is_over:
        return play.text()
    legal = play.legal_actions()
    names = ", ".join(map(play.action_name, legal[:_LISTED]))
    more = f", and {len(legal) - _LISTED} more of this kind" if len(legal) > _LISTED else ""
    return f"{play.text()}\n\nOpen moves: {names}{more}\n\nYour turn."


@dataclass(frozen=True)
class ShowPosition:
    """The question, how to play it, and the reply to the last move."""

    mistakes: int
    hints: str = ""
    """Rule of hints, if they may be asked for."""

    def __call__(self, task: Any, history: Sequence[Turn]) -> str:
        play = _begun(task)
        example = play.action_name(play.legal_actions()[0])
        if self.mistakes == 1:
            mistakes = "A message without a legal move ends it, unpaid."
        else:
            mistakes = f"{self.mistakes} messages without a legal move end it, unpaid."
        hints = self.hints and f" {self.hints}"
        rules = _RULES.format(mistakes=mistakes, example=example, hints=hints)
        return f"{task.prompt}\n\n{rules}\n\n{history[-1].reply if history else position(play)}"


@dataclass(frozen=True)
class PlayMove:
    """Plays the move that a message names, or replies why it names none."""

    hints: Hints = NO_HINTS

    def __call__(self, state: EpisodeState, action: str) -> EpisodeState:
        play = play_of(state)
        hinted = self.hints.answered(state, action, self._hint)
        if hinted is not None:
            *before, turn = hinted.history
            shown = PlayedTurn(turn.action, f"{turn.reply}\n\n{position(play)}", play)
            return replaced(hinted, history=(*before, shown), memory={**hinted.memory, "refused": False})
        move = move_of(play, action)
        if isinstance(move, str):
            memory = {**state.memory, "refused": True, "invalid": state.memory.get("invalid", 0) + 1}
            turn = PlayedTurn(action, f"{move}\n\n{position(play)}", play)
            return replaced(state, history=(*state.history, turn), memory=memory)
        play = _moved(play, move)
        answer = play.answer() if play.is_over else None
        return replaced(
            state,
            history=(*state.history, PlayedTurn(action, position(play), play)),
            text="" if answer is None else state.task.wrap(answer),
            memory={**state.memory, "refused": False, "moves": (*state.memory.get("moves", ()), move)},
        )

    def _hint(self, state: EpisodeState) -> str | None:
        """The next hint; never the move that completes the answer."""
        texts = (turn.reply.partition("\n")[0] for turn in state.history)
        shown = tuple(text.removeprefix("Hint: ") for text in texts if text.startswith("Hint: "))
        asked = Asked(texts=shown, moves=tuple(state.memory.get("moves", ())))
        return find_hint(self.hints, state.task, play_of(state).clone(), asked)[0]


def _begun(task: Any) -> Play:
    """The play of a task from its start.

    Raises:
        Unsupported: The task can't be played.
    """
    if not hasattr(task, "moves"):
        msg = f"the task {_checks.shown(getattr(task, 'id', task))} can't be played move by move"
        raise Unsupported(msg)
    play: Play = task.moves()
    return play


def _moved(play: Play, action: int) -> Play:
    """The play after a legal move."""
    after = play.clone()
    after.apply(action)
    return after


@takes("source", "task", "episode", "hint", "cost")
class DialogueEnv(Dialogue):
    """Poses one problem per episode, to be played move by move in text, as a language model does.

    It is the counterpart of `mode="moves"`, whose actions are numbers.

    The observation is the question, how to play, and the reply to the last message: what has been played, and
    the moves that are open. The action is a message with one move in `<move>` tags. `messages` has the whole
    conversation. What has been played at the end is verified as an answer. A message without a legal move
    changes nothing, and the reply says what is wrong with it; after `mistakes` of them the episode ends,
    failed.

    No action raises; anything but a `str` is an empty message. `info` is that of `ReasonEnv` with `invalid`,
    whether the last message had no legal move, and `invalid_moves`, the number of those.

    Args:
        family: Name of a task family whose tasks offer `Task.moves()`.
        mode: "dialogue", one move per message.
        mistakes: Number of messages without a legal move that ends an episode.
        max_steps: Messages after which an episode is cut off. A play ends by itself.
        params: Params of the family that replace the level's.
        reward: Reward of the episode: the name of a preset, weights of parts (`invalid` is the number of
            messages without a legal move), or a `Reward`.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.
        **settings: `reasonenv.types.SourceSettings`, `TaskSettings`, `EpisodeSettings`, `HintSettings` and
            `CostSettings`.

    Raises:
        Unsupported: The family's problems can't be played, or have no hints of the kind that is asked for.
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: DialogueMode = "dialogue",
        mistakes: int = 3,
        max_steps: int = 1_000,
        params: dict[str, Any] | None = None,
        reward: RewardLike = "binary",
        render_mode: str | None = None,
        **settings: "Unpack[DialogueKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(DialogueMode))
        self.mistakes = _checks.whole("mistakes", mistakes, 1, 1000)
        _checks.whole("max_steps", max_steps, 1, _MOST_STEPS)
        known = settled(settings, "source", "task", "episode", "hint", "cost")
        items = items_of(family, params, known)
        if isinstance(family, str) and "moves" not in (modes := _native.family(family).modes):
            msg = f"the problems of {family} can't be played move by move; its modes are {', '.join(modes)}"
            raise Unsupported(msg)
        self._hints = Hints.of(known)
        self._hints.check(items)
        super().__init__(
            items,
            state_builder=ShowPosition(self.mistakes, self._hints.rule()),
            verifier=TaskVerifier(known["reading"]),
            transition=PlayMove(self._hints),
            stop=self._has_ended,
            reward=reward,
            gamma=known["gamma"],
            max_steps=max_steps,
            render_mode=render_mode,
            **Costs(known).settings,
        )

    def opening(self, state: EpisodeState) -> str:
        """The question, how to play it, and the first position."""
        return str(self.state_builder(state.task, ()))

    def turn_info(self, state: EpisodeState) -> dict[str, Any]:
        """Counts of messages without a legal move and of hints."""
        made = {
            "invalid": state.memory.get("refused", False),
            "invalid_moves": state.memory.get("invalid", 0),
        }
        return (made if state.history else {}) | self._hints.info(state)

    def _has_ended(self, state: EpisodeState) -> bool:
        return bool(state.text) or state.memory.get("invalid", 0) >= self.mistakes
