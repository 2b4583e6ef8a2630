"""Tasks named by values: keys, hints, edits, games."""

import json
import pickle

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv.curriculum import Setting, TaskRef, Track, hints, levels, sweep, with_hint
from reasonenv.curriculum._hints import shown_steps
from reasonenv.curriculum._tracks import as_tracks
from reasonenv.errors import InvalidArgument, InvalidParams, UnknownName, Unsupported


def test_a_reference_makes_the_task_of_the_family(family: str) -> None:
    ref = Setting.of(family, level=1, split="eval").at(3, seed=5)
    assert ref.task() == reasonenv.family(family).sample(seed=5, index=3, level=1, split="eval")
    for copy in (pickle.loads(pickle.dumps(ref)), TaskRef.from_dict(json.loads(json.dumps(ref.to_dict())))):
        assert copy == ref
        assert copy.key == ref.key
        assert hash(copy) == hash(ref)
        assert copy.task() == ref.task()


def test_keys_tell_tasks_apart_and_are_the_same_in_any_process() -> None:
    setting = Setting.of("countdown", level=3)
    assert setting.at(7, seed=1).key == "countdown/v1/train/9fe4f828c5bb/1/7"
    refs = [
        setting.at(7, seed=1),
        setting.at(8, seed=1),
        setting.at(7, seed=2),
        setting.at(7, seed=1).edited("harder", 0),
        setting.at(7, seed=1).edited("harder", 1),
        setting.with_hint(0.5).at(7, seed=1),
        Setting.of("countdown", level=4).at(7, seed=1),
        Setting.of("countdown", level=3, split="eval").at(7, seed=1),
        Setting.of("countdown", level=3, style={"wrapper": "chat"}).at(7, seed=1),
    ]
    assert len({ref.key for ref in refs}) == len(refs)


def test_numpys_numbers_make_the_same_setting_as_pythons() -> None:
    theirs = Setting.of("chain_sum", params={"terms": np.int64(5)})
    assert theirs == Setting.of("chain_sum", params={"terms": 5})
    json.dumps(theirs.to_dict())


@pytest.mark.parametrize("wrapper", ["bare", "contract", "chat"])
def test_a_hint_stands_before_the_form_and_changes_the_prompt_alone(family: str, wrapper: str) -> None:
    task = reasonenv.family(family).sample(index=2, level=1, style={"wrapper": wrapper})
    plain = task.prompt.splitlines()
    for share in (0.3, 1.0):
        hinted = with_hint(task, share)
        shown = shown_steps(task, share)
        assert shown == task.solution.steps[: len(shown)]
        assert 1 <= len(shown) <= len(task.solution.steps)
        assert len(shown) / len(task.solution.steps) >= share - 1e-9
        assert "\n".join(f"- {step}" for step in shown) in hinted.prompt
        assert hinted.prompt.splitlines()[-1] == plain[-1]
        assert hinted.prompt.startswith(plain[0])
        facts = ("key", "split", "level", "params", "seed", "index", "problem", "answer_tag", "difficulty")
        assert [getattr(hinted, fact) for fact in facts] == [getattr(task, fact) for fact in facts]
        assert hinted.verify(task.wrap(task.solution.answer)).passed
    assert with_hint(task, 0) == task


def test_a_hint_of_a_prompt_from_elsewhere_stands_at_its_end() -> None:
    family = reasonenv.family("chain_sum")
    task = family.task(family.sample().problem, prompt="Add.")
    assert with_hint(task, 1.0).prompt.startswith("Add.\n\nA right solution begins with these steps:\n- ")


@pytest.mark.parametrize("split", ["train", "eval", "test"])
def test_an_edited_task_stays_in_its_split(split: str) -> None:
    setting = Setting.of("countdown", level=3, split=split)
    for index in range(20):
        ref = setting.at(index).edited("harder", index).edited("same", 0)
        task = ref.task()
        assert task.split == split
        assert task.key != setting.at(index).task().key
        assert task == ref.task()
        assert task.verify(task.wrap(task.solution.answer)).passed


def test_an_edit_that_no_family_gives_is_an_error() -> None:
    with pytest.raises(Unsupported, match="no harder problem"):
        Setting.of("chain_sum").at(0).edited("harder", 0).task()


def test_a_games_reference_is_an_episode() -> None:
    track = sweep("tic_tac_toe", "random_move_prob", np.linspace(0.7, 0.0, 4), params={"mode": "text"})
    assert [setting.params["random_move_prob"] for setting in track] == pytest.approx(
        [0.7, 0.7 * 2 / 3, 0.7 / 3, 0]
    )
    ref = track[1].at(4)
    env_id, arguments, options = ref.environment()
    env = gymnasium.make(env_id, **arguments)
    _, info = env.reset(seed=ref.seed, options=options)
    assert info["episode_index"] == 4
    assert info["random_move_prob"] == track[1].params["random_move_prob"]
    with pytest.raises(Unsupported, match="is a game"):
        ref.task()
    with pytest.raises(InvalidArgument, match="game"):
        ref.edited("harder", 1)
    with pytest.raises(InvalidArgument, match="game"):
        track[1].with_hint(0.5)


@pytest.mark.parametrize("name", ["chain_sum", "sudoku", "tsp"])
def test_an_environment_poses_the_task_of_a_reference(name: str) -> None:
    ref = Setting.of(name, level=2, style={"wrapper": "chat"}).at(9, seed=4)
    env_id, arguments, options = ref.environment()
    prompt, info = gymnasium.make(env_id, **arguments).reset(options=options)
    assert prompt == ref.task().prompt
    assert info["task_id"] == ref.task().id
    with pytest.raises(Unsupported, match="use `task"):
        ref.with_hint(0.5).environment()


def test_tracks_move_levels_params_and_hints() -> None:
    assert [setting.params for setting in levels("sudoku", 1, 3)] == [
        reasonenv.family("sudoku").level_params(level) for level in (1, 2, 3)
    ]
    swept = sweep("chain_sum", "terms", [2, 3, 4], level=1)
    assert [setting.params["terms"] for setting in swept] == [2, 3, 4]
    assert [setting.hint for setting in hints(swept[0], (1, 0.5, 0))] == [1, 0.5, 0]
    names = [track.name for track in as_tracks(["sudoku", swept, Setting.of("tsp")])]
    assert names == ["sudoku", "chain_sum.terms", Setting.of("tsp").key]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Setting.of("chain_sums"), UnknownName, "did you mean `chain_sum`"),
        (lambda: Setting.of("chain_sum", params={"terms": 0}), InvalidParams, "terms"),
        (lambda: Setting.of("chain_sum", level=99), InvalidArgument, "level"),
        (lambda: Setting.of("chain_sum", hint=2), InvalidArgument, "between 0 and 1"),
        (lambda: Setting.of("tic_tac_toe", level=1), InvalidArgument, "which has none"),
        (lambda: Setting.of("chain_sum").at(-1), InvalidArgument, "`index` is -1"),
        (lambda: Setting.of("chain_sum").at(0, edits=(("hard", 1),)), UnknownName, "harder"),  # type: ignore[arg-type]
        (lambda: Setting.of("chain_sum").at(0, edits=("harder",)), InvalidArgument, "pairs"),  # type: ignore[arg-type]
        (lambda: Setting("chain_sum", 99, {}), InvalidArgument, "in version 1"),
        (lambda: Setting.from_dict({"family": "chain_sum"}), InvalidArgument, "must have `version`"),
        (lambda: levels("chain_sum", 5, 2), InvalidArgument, "`last` is 2"),
        (lambda: sweep("chain_sum", "term", [3]), InvalidParams, "terms"),
        (lambda: Track("empty", ()), InvalidArgument, "no settings"),
        (lambda: as_tracks([]), InvalidArgument, "is empty"),
        (lambda: as_tracks(["chain_sum", "chain_sum"]), InvalidArgument, "2 tracks called `chain_sum`"),
        (lambda: as_tracks(["chain_sum", Setting.of("chain_sum")]), InvalidArgument, "2 settings called"),
        (lambda: as_tracks(5), InvalidArgument, "`space` is 5"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_are_named(make: object, error: type[Exception], says: str) -> None:
    assert callable(make)
    with pytest.raises(error, match=says):
        make()
