"""The composed environment: each of its parts can be replaced separately."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidState, Verdict
from reasonenv._settings import settled, takes
from reasonenv.envs._costs import Costs, Counts, answer_counts, larger, over_cost, turn_counts
from reasonenv.envs._generators import generator_of, load_task, save_task
from reasonenv.envs._hints import price_of_bought
from reasonenv.envs._options import checked_options
from reasonenv.envs._posing import Assigned, checked_curriculum, chosen_task, posed, reported
from reasonenv.envs._reason_parts import NamedVerifier, labelled, paid_by_step, part_of, paying, payment
from reasonenv.envs._render import check_render_mode, judged_text, print_frame
from reasonenv.envs._scratchpad import (
    AppendStep,
    ShowScratchpad,
    TaskVerifier,
    family_steps,
    says_final_answer,
)
from reasonenv.envs._spaces import AnyText, CompletionSpace
from reasonenv.envs._state import checked_text, reading_state, rng_from, rng_state, write_state
from reasonenv.envs._task_env import as_text, task_info, verdict_info
from reasonenv.parts import (
    Curriculum,
    EpisodeState,
    FinishedEpisode,
    Logger,
    ProcessJudge,
    RewardFunction,
    StateBuilder,
    Stop,
    Transition,
    Turn,
    VerifierFunction,
    as_verdict,
    blame,
    named,
)
from reasonenv.rewards._presets import RewardLike
from reasonenv.rewards.groups import discounted_return

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import ReasonKeywords
    from reasonenv.rewards._process import Process


@takes("episode", "cost")
class ReasonEnv(gymnasium.Env[Any, Any]):
    """An environment made of parts: source of tasks, observations, effects of actions, rewards.

    Each part has a default and can be replaced separately by a callable or an object; `reasonenv.parts` has
    their signatures. By default an action is a reasoning step, which is appended to a scratchpad. The episode
    terminates with a step that says "final answer:" (or holds the answer in the task's own form) and is then
    verified; it is truncated with reward 0 once `max_steps` are spent.

    The observation is what the state builder returns. `info` holds `task_id`, `level`, `difficulty`, `index`
    and `steps_left`; after a step `cost` and `episode_cost`; if steps are scored also `process_scores`, the
    share of the way to the end after each; at the end `passed`, `score`, `reward_parts`, `verdict` (as
    `Verdict.to_dict()`), `text` (as verified) and `return`, the sum of gamma**t times the reward of step t.

    An exception in a part propagates with a note that names the part and the task. No action of an agent
    raises. Clones and copies share the parts with the original; they don't report to its
    curriculum until they are reset, and what they log stays in its logger.

    Args:
        generator: Source of the tasks: a family or its name, a `Mixture`, a `Source`, tasks, rows from
            `reasonenv.from_rows`, the path of a file of tasks (a line of `Task.to_json()` each), an object
            with `sample(rng, assignment)`, or such a callable. None: all families, at level 0.
        state_builder: `(task, history) -> observation`.
        verifier: `(task, text) -> Verdict`. None: the task's own verifier, which allows reasoning before the
            answer.
        reward: `(verdict, trace) -> float or parts`, the name of a preset, weights of parts, or a `Reward`.
            `process` is what the setting of that name says, `true_steps` the share of true steps; both are 0
            if steps aren't scored. `invalid`, `cost` and `search` are what a transition counts in
            `State.memory`.
        curriculum: `ask(n)` and `tell(results)`; its assignments are passed to the generator.
        logger: `(trajectory)`, called at the end of each episode.
        transition: `(state, action) -> state`.
        stop: `(state) -> bool`.
        process_judge: `(task, steps) -> scores` of the reasoning steps. None: the families that check steps.
            The default transition calls it.
        observation_space: Space of the output of `state_builder`. None: text.
        action_space: Space of the input of `transition`. None: text; anything else counts as empty text.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return the observation as a
            str.
        **settings: `reasonenv.types.EpisodeSettings` and `CostSettings`.

    Raises:
        ReasonEnvError: An argument is unknown or invalid; names it.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012, as Env has it

    def __init__(
        self,
        generator: object = None,
        *,
        state_builder: StateBuilder | None = None,
        verifier: VerifierFunction | None = None,
        reward: RewardLike | RewardFunction = "binary",
        curriculum: Curriculum | None = None,
        logger: Logger | None = None,
        transition: Transition | None = None,
        stop: Stop | None = None,
        process_judge: ProcessJudge | None = None,
        observation_space: spaces.Space[Any] | None = None,
        action_space: spaces.Space[Any] | None = None,
        render_mode: str | None = None,
        **settings: "Unpack[ReasonKeywords]",
    ) -> None:
        known = settled(settings, "episode", "cost", taker=ReasonEnv)
        self.costs = Costs(known)
        self.generator = generator_of(generator)
        self.max_steps: int = known["max_steps"]
        self.gamma: float = known["gamma"]
        self.process: Process = known["process"]
        if transition is not None and process_judge is not None:
            msg = "`process_judge` is what the default transition asks; call yours in your own `transition`"
            raise InvalidArgument(msg)
        self.judge = NamedVerifier(part_of("verifier", verifier, TaskVerifier("strict")))
        self.transition: Transition = part_of(
            "transition", transition, AppendStep(part_of("process_judge", process_judge, family_steps))
        )
        self.state_builder: StateBuilder = part_of(
            "state_builder", state_builder, ShowScratchpad(self.max_steps)
        )
        self.stop: Stop = part_of("stop", stop, says_final_answer)
        self.logger: Logger | None = None if logger is None else part_of("logger", logger, None)
        self.curriculum = checked_curriculum(curriculum)
        self.reward = paying(reward)
        self.render_mode = render_mode
        self._takes_text = action_space is None
        self.observation_space = AnyText() if observation_space is None else observation_space
        self.action_space = CompletionSpace() if action_space is None else action_space
        self._state: EpisodeState | None = None
        self._observation: Any = None
        self._turns: tuple[dict[str, Any], ...] = ()
        self._verdict: Verdict | None = None
        self._over = False
        self._cost = 0.0
        self._assigned: Assigned | None = None
        self._counts = False
        self._told: tuple[Any, dict[str, Any]] | None = None
        """A task, and its entries of `info`."""
        self.policy_version = 0
        """Number of updates of the policy. The trainer counts them; the curriculum receives the count."""

    @property
    def state(self) -> EpisodeState:
        """The episode in progress.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if self._state is None:
            raise ResetNeeded("no task is in play yet; call reset() first")
        return self._state

    @property
    def task(self) -> Any:
        """The task in play, with its verifier.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        return self.state.task

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Messages for a chat model's next turn, in the form of OpenAI's API.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        self.state  # noqa: B018, raises before the first reset
        return [{"role": "user", "content": self._observation}]

    @property
    def horizon(self) -> int:
        """Maximum number of steps of an episode."""
        return self.max_steps

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Pose another task.

        Args:
            seed: Determines this task and, as long as no other seed is given, all that follow.
            options: `{"index": i}` poses the task at an index, if the generator's tasks are numbered;
                `{"task": task}` poses this task. Neither asks the curriculum. `{"start": share}` begins after
                the first share of the solution's steps, which take one step together; the default transition
                offers it.

        Returns:
            Observation, and an info dict as the class describes.
        """
        task, assigned, start = None, self._assigned, 0.0
        if options is not None:
            chosen = checked_options(options, "index", "task", "start")
            task, start = chosen_task(self.generator, chosen), chosen.get("start", 0.0)
        super().reset(seed=seed)
        counts = task is None and self.curriculum is not None
        if task is None:
            task, assigned = posed(self.generator, self.curriculum, assigned, self.np_random)
        state = self._started(EpisodeState(task, self.max_steps), start)
        observation = self._built(state)
        self._state, self._observation, self._assigned, self._counts = state, observation, assigned, counts
        self._turns, self._verdict, self._over, self._cost = (), None, False, 0.0
        if self.render_mode == "human":
            self.render()
        return observation, self._info(state)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action; at the end the text is verified.

        Returns:
            Observation, reward (0 before the end, unless `process` pays steps when they are taken), whether
            the episode came to its end (also by its costs), whether its steps ran out, and an info dict as
            the class describes.

        Raises:
            ResetNeeded: The episode is over or has not begun.
        """
        if self._over:
            raise ResetNeeded("the episode is over; call reset() to be posed another task")
        before = self.state
        said = self.read_action(action) if self._takes_text else _plain(action)
        state, terminated = self._after(before, said)
        verdict, parts = None, {}
        if terminated:
            verdict = self.judge(state.task, state.text)
            parts = payment(self.reward, self.process, verdict, state)
            parts |= price_of_bought(state, parts)
        if hints := state.memory.get("hints", 0) - before.memory.get("hints", 0):
            parts["hints"] = -hints * state.memory.get("hint_cost", 0.0)
        early = paid_by_step(self.reward, self.process, before)
        if early is not None:
            # What earlier steps were paid is not paid again.
            parts["process"] = (
                parts.get("process", paid_by_step(self.reward, self.process, state) or 0.0) - early
            )
        cost = self._cost_of(before, state, said, verdict)
        total = self._cost + cost
        if verdict is None and self._costs_end(state, cost, total):
            terminated, verdict = True, over_cost(total)
        truncated = not terminated and state.steps_left <= 0
        if truncated:
            detail = f"the {self.max_steps} steps were spent without an answer"
            verdict = Verdict(False, 0.0, failures=["truncated"], detail=detail)
        if verdict is not None:
            verdict = labelled(verdict, self.labels(state, verdict))
        observation, reward, info = self._built(state), float(sum(parts.values())), self._info(state)
        info["cost"], info["episode_cost"] = cost, total
        if verdict is not None:
            rewards = [*(turn["reward"] for turn in self._turns), reward]
            info |= verdict_info(verdict, parts)
            info["text"], info["return"] = state.text, discounted_return(rewards, self.gamma)
            info |= self.outcome_info(state, verdict)
        turn = {"observation": self._observation, "action": said, "reward": reward, "info": info}
        turns = (*self._turns, turn)
        if verdict is not None:
            self._finish(state, verdict, turns, terminated)
        self._state, self._observation, self._turns = state, observation, turns
        self._verdict, self._over, self._cost = verdict, verdict is not None, total
        if self.render_mode == "human":
            self.render()
        return observation, reward, terminated, truncated, info.copy()

    def _after(self, before: EpisodeState, said: Any) -> tuple[EpisodeState, bool]:
        """The state after an action, and whether the episode stops there."""
        try:
            state = self.transition(before, said)
        except Exception as error:
            blame(error, "transition", before.task)
            raise
        if not isinstance(state, EpisodeState) or len(state.history) != len(before.history) + 1:
            msg = f"`transition` gave {_checks.shown(state)}, but must give the state with one turn more"
            raise InvalidArgument(msg)
        try:
            return state, bool(self.stop(state))
        except Exception as error:
            blame(error, "stop", state.task)
            raise

    def render(self) -> str | None:
        """Observation and, at the end, the verified text and the verdict, in ASCII.

        Returns:
            The text in render mode "ansi"; None in "human", which prints it, and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        frame = judged_text(str(self._observation), self.state.text, self._verdict)
        frame = frame.encode("ascii", "backslashreplace").decode()
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def get_state(self) -> bytes:
        """Full state of this env, as JSON: task, actions, random generator.

        Parts are not included: neither the curriculum, to which the episode in play no longer belongs, nor
        the state of a generator of yours. A task that isn't a `reasonenv.Task` is saved as its number, or as
        the output of `save_task`.

        Raises:
            InvalidState: The task cannot be saved, or an action or a transition's memory isn't plain data.
        """
        state = self._state
        fields = state and {
            "task": save_task(self.generator, state.task),
            "history": [[turn.action, turn.reply] for turn in state.history],
            "text": state.text,
            "process_scores": state.process_scores,
            "memory": dict(state.memory),
            "turns": [[turn["action"], turn["reward"], turn["info"]] for turn in self._turns],
            "over": self._over,
            "cost": self._cost,
            "judged": self._verdict and self._verdict.to_dict(),
        }
        try:
            return write_state(
                episode=fields, np_random=rng_state(self.np_random), np_random_seed=self.np_random_seed
            )
        except TypeError as error:
            msg = f"the state is not plain data: {error}; keep numbers, text, lists and dicts in it"
            raise InvalidState(msg) from None

    def set_state(self, state: bytes) -> None:
        """Continue from the output of `get_state`, of this env or of one made with the same arguments.

        Raises:
            InvalidState: The state is damaged, or of an env that poses other items; this one is unchanged.
        """
        with reading_state(state) as fields:
            rng, seed = rng_from(fields["np_random"]), fields["np_random_seed"]
            episode, found, verdict, cost = fields["episode"], None, None, 0.0
            turns: tuple[dict[str, Any], ...] = ()
            if episode is not None:
                scores = episode["process_scores"]
                found = EpisodeState(
                    load_task(self.generator, episode["task"]),
                    self.max_steps,
                    tuple(Turn(action, reply) for action, reply in episode["history"]),
                    checked_text("text", episode["text"]),
                    None if scores is None else tuple(scores),
                    dict(episode["memory"]),
                )
                judged, turns = episode["judged"], self._turns_of(found, episode["turns"])
                verdict = None if judged is None else as_verdict(judged, found.task)
                if bool(episode["over"]) != (verdict is not None):
                    raise ValueError("an episode is over exactly where it has been judged")
                cost = _checks.number("cost", episode["cost"], 0)
                observation = self._built(found)
        self._np_random, self._np_random_seed = rng, seed
        self._state, self._turns, self._verdict, self._over = found, turns, verdict, verdict is not None
        self._cost = cost
        self._observation = None if found is None else observation
        self._assigned, self._counts = None, False

    def clone(self) -> Self:
        """An independent env in the same state, with the same parts."""
        return copy.deepcopy(self)

    def fork(self) -> Self:
        """An env in the same state for search: it shares the spaces and the seeds, so don't reset it.

        It doesn't report to the curriculum.
        """
        made = type(self).__new__(type(self))
        # States and turns never change, so that copies may share them.
        vars(made).update(vars(self), _assigned=None, _counts=False)
        return made

    def read_action(self, action: Any) -> str:
        """Text of an action: empty, if it isn't text."""
        return as_text(action)

    def turn_info(self, state: EpisodeState) -> dict[str, Any]:
        """Additional `info` of an episode in progress; for subclasses."""
        del state
        return {}

    def turn_costs(self, before: EpisodeState, state: EpisodeState) -> Counts:
        """Number of costly things in a turn by kind, as in `cost_weights`; for subclasses."""
        return turn_counts(before, state)

    def outcome_info(self, state: EpisodeState, verdict: Verdict) -> dict[str, Any]:
        """Additional `info` at the end; for subclasses."""
        del state, verdict
        return {}

    def labels(self, state: EpisodeState, verdict: Verdict) -> Sequence[str]:
        """Labels of failures besides those of the verifier; for subclasses."""
        del state, verdict
        return ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = memo[id(self)] = self.fork()  # parts are shared as well, as they may hold files
        for name in ("_np_random", "observation_space", "action_space"):
            vars(made)[name] = copy.deepcopy(vars(self)[name], memo)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_assigned": None, "_counts": False}

    def _started(self, state: EpisodeState, share: Any) -> EpisodeState:
        """The state after the first share of the solution's steps."""
        steps = getattr(getattr(state.task, "solution", None), "steps", ())
        count = _checks.count_of('options["start"]', share, len(steps))
        if not count:
            return state
        if not isinstance(self.transition, AppendStep) or self.max_steps < 2:
            msg = f'`options["start"]` is {share}, but needs the default transition and `max_steps` above 1'
            raise InvalidArgument(msg)
        return self.transition.begin(state, steps[:count])

    def _turns_of(self, state: EpisodeState, saved: Any) -> tuple[dict[str, Any], ...]:
        """Turns of an episode; the observation before each is built again."""
        first = len(state.history) - len(saved)
        return tuple(
            {
                "observation": self._built(replace(state, history=state.history[: first + at])),
                "action": action,
                "reward": float(reward),
                "info": dict(info),
            }
            for at, (action, reward, info) in enumerate(saved)
        )

    def _built(self, state: EpisodeState) -> Any:
        try:
            return self.state_builder(state.task, state.history)
        except Exception as error:
            blame(error, "state_builder", state.task)
            raise

    def _cost_of(
        self, before: EpisodeState, state: EpisodeState, said: Any, verdict: Verdict | None
    ) -> float:
        """Cost of a turn; empty text is an invalid action."""
        counts = self.turn_costs(before, state)
        if self._takes_text and not said:
            counts = larger(counts, {"invalid": 1})
        if verdict is not None and not verdict.passed:
            counts = larger(counts, answer_counts(verdict.failures))
        return self.costs.of(counts) if counts else 0.0

    def _costs_end(self, state: EpisodeState, cost: float, total: float) -> bool:
        """True if a turn's cost ends the episode."""
        costs, step = self.costs, state.steps_left
        return costs.can_end and costs.end(cost, total, self.np_random, (state.task.id, step))

    def _finish(
        self, state: EpisodeState, verdict: Verdict, turns: tuple[dict[str, Any], ...], terminated: bool
    ) -> None:
        """Report an episode to the logger and the curriculum."""
        assigned = self._assigned if self._counts else None
        if self.logger is None and assigned is None:
            return
        last = turns[-1]
        trajectory = FinishedEpisode(
            state,
            verdict,
            last["reward"],
            last["info"]["reward_parts"],
            turns,
            terminated,
            not terminated,
            self.gamma,
            last["info"],
        )
        if self.logger is not None:
            with named("logger", state.task):
                self.logger(trajectory)
        if assigned is not None:
            self._assigned = reported(self.curriculum, assigned, trajectory, self.policy_version)

    def _info(self, state: EpisodeState) -> dict[str, Any]:
        task = state.task
        if self._told is None or self._told[0] is not task:
            self._told = (task, task_info(task))
        info = self._told[1].copy()
        info["steps_left"] = state.steps_left
        if state.process_scores is not None:
            info["process_scores"] = list(state.process_scores)
        return info | self.turn_info(state)


def _plain(action: Any) -> Any:
    """A NumPy scalar as a plain number, for JSON."""
    return action.item() if isinstance(action, np.generic) else action
