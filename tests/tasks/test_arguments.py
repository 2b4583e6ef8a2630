"""With any value of an argument, a call works or raises the package's error naming the argument."""

import inspect
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reasonenv
from reasonenv import arena
from reasonenv import data as sources
from reasonenv._checks import whole
from reasonenv.rewards import groups
from reasonenv.rollouts import (
    Sampling,
    Saving,
    Summary,
    _policies,
    clustered_interval,
    evaluate,
    wilson_interval,
)
from reasonenv.rollouts._run import Run

FIRST = reasonenv.list_families()[0]
TIC_TAC_TOE = reasonenv.game("tic_tac_toe")
TASK = reasonenv.family(FIRST).sample()
SYNTHETIC2 = [
    {"task_type": "verifiable_math", "prompt": "1 + 1?", "verification_info": '{"ground_truth": "2"}'}
]
ROWS = [
    {
        "problem_id": "a",
        "task_type": "ascii_tree_formatting",
        "prompt": "draw it",
        "verification_info": '{"description": "", "ground_truth": "alone"}',
    }
]

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (evaluate, {"tasks": FIRST, "policies": "oracle", "n": 2}),
    "round_robin": (
        arena.round_robin,
        {"game": TIC_TAC_TOE, "policies": ["random", "first_legal"], "games": 2},
    ),
    "play": (
        arena.play,
        {"game": TIC_TAC_TOE, "first": arena.first_legal, "second": arena.first_legal},
    ),
    "calibration": (
        arena.calibration,
        {"game": TIC_TAC_TOE, "random_move_probs": [1], "opponent": "random", "max_positions": 10**6},
    ),
    "elo": (arena.elo, {"names": ["a", "b"], "pairings": [arena.Pairing("a", "b", 1, 0, 1, (1, 0, 0), 0.0)]}),
    "arena.make_policy": (arena.make_policy, {"game": TIC_TAC_TOE, "spec": "random"}),
    "make_policy": (_policies.make_policy, {"spec": "noisy:0.5"}),
    "Noisy": (_policies.Noisy, {"probability": 0.5}),
    "BestConstant": (_policies.BestConstant, {}),
    "BestConstant.answer": (_policies.BestConstant(5).answer, {"name": FIRST, "params": None}),
    "directory_tree": (sources.directory_tree, {"path": "."}),
    "directory_trees": (sources.directory_trees, {"root": ".", "n": 1, "min_lines": 1}),
    "synthetic2": (sources.synthetic2, {"rows": SYNTHETIC2}),
    "synthetic2_trees": (sources.synthetic2_trees, {"rows": ROWS}),
    "split_by_group": (sources.split_by_group, {"rows": ROWS}),
    "Sampling": (Sampling, {}),
    "Saving": (Saving, {}),
    "Run": (Run, {"folder": "run", "config": {}}),
    "Summary.load": (Summary.load, {"folder": "finished"}),
    "Summary.from_dict": (Summary.from_dict, {"record": {"rows": [], "config": {}}}),
    "wilson_interval": (wilson_interval, {"k": 1, "n": 2}),
    "clustered_interval": (clustered_interval, {"counts": [1, 2], "rollouts": 2}),
    "pass_at_k": (groups.pass_at_k, {"n": 4, "c": 2, "k": 2}),
    "advantages": (groups.advantages, {"rewards": [1, 2]}),
}

JUNK = [
    None, True, -1, 3, 1.5, math.nan, -math.inf, 10**30, "", "no such", "\ud800", "a\0b", b"x", [], [None],
    [1.5], ["\ud800"], {}, {1: 2}, {"a": math.nan}, {"a": object()}, {"a": "\ud800"}, object(),
    Path("/dev/null"),
]  # fmt: skip


def arguments() -> list[tuple[str, str]]:
    return [
        (call, name)
        for call, (function, _) in CALLS.items()
        for name in inspect.signature(function).parameters
    ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a/b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    evaluate(FIRST, n=1, saving="finished")
    return tmp_path


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("call", CALLS)
def test_the_calls_work_as_they_stand(call: str) -> None:
    function, given = CALLS[call]
    made = function(**given)
    if isinstance(made, Run):
        made.close()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(("call", "name"), arguments())
def test_no_argument_raises_anything_but_the_packages_errors(call: str, name: str) -> None:
    function, given = CALLS[call]
    for junk in JUNK:
        try:
            made = function(**given | {name: junk})
        except reasonenv.ReasonEnvError as error:
            said = str(error)
        except OSError:
            # A path that leads nowhere is the system's to refuse.
            said = "" if name in ("path", "root", "folder", "saving") else f"{junk!r} raised an OSError"
        else:
            said = ""
            if isinstance(made, Run):
                made.close()
        assert "raised" not in said
        assert "\n" not in said
        assert not said[:1].isupper()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("call", "change", "message"),
    [
        ("evaluate", {"n": 1.5}, "`n` is 1.5, but must be a whole number between 1 and 1000000000"),
        ("evaluate", {"n": 10**12}, "`n` is 1000000000000, but must be between 1 and 1000000000"),
        ("evaluate", {"group_size": -1}, "`group_size` is -1, but must be between 1 and 10000"),
        ("evaluate", {"level": 1.5}, "`level` is 1.5, but must be a whole number"),
        ("evaluate", {"level": [0, 0]}, "`level` has 0 2 times; give each level once"),
        ("evaluate", {"level": []}, "`level` is empty"),
        ("evaluate", {"seed": None}, "`seed` is None, but must be a whole number between 0 and"),
        ("evaluate", {"split": 3}, "`split` is 3, but must be text"),
        ("evaluate", {"params": {"x": object()}}, "`params` has 'x': <object object at"),
        ("evaluate", {"reward": None}, "`reward` is None, but must be a name, weights of parts"),
        ("evaluate", {"sampling": {}}, "`sampling` is {}, but must be a `Sampling`"),
        ("evaluate", {"saving": "a\0b"}, r"`saving` is 'a\\x00b', but must be the path"),
        ("evaluate", {"policies": [None]}, "`policies` has None, but must have a policy's name"),
        ("evaluate", {"tasks": [TASK, 3]}, "item 1 of `tasks` is 3, but must be a task"),
        ("evaluate", {"tasks": {3: FIRST}}, "`tasks` has the name 3, but names must be text"),
        ("round_robin", {"games": 2.0}, "`games` is 2.0, but must be a whole number"),
        ("round_robin", {"games": 10**12}, "`games` is 1000000000000, but must be an even number between 2"),
        ("round_robin", {"seed": -1}, "`seed` is -1, but must be between 0"),
        ("round_robin", {"opening_plies": 1.5}, "`opening_plies` is 1.5, but must be a whole number"),
        ("round_robin", {"policies": "random"}, "`policies` is 'random', but must be several"),
        ("round_robin", {"policies": ["random", 3]}, "`policies` has 3, but must have names and callables"),
        ("round_robin", {"policies": ["random@" + "9" * 30, "random"]}, "must be a number of plies"),
        ("play", {"first": 3}, "`first` is 3, but must be a callable"),
        ("calibration", {"random_move_probs": [0, math.nan]}, r"`random_move_probs\[1\]` is nan"),
        ("calibration", {"max_positions": -1}, "`max_positions` is -1, but must be between 1"),
        ("elo", {"prior": 0}, "`prior` is 0, but must be a number between"),
        ("elo", {"names": ["a", "a"]}, "`names` has `a` 2 times"),
        (
            "elo",
            {"pairings": [arena.Pairing("a", "c", 1, 0, 0, (1, 0, 0), 1.0)]},
            "no policy `c`; there are a, b",
        ),
        (
            "elo",
            {"pairings": [arena.Pairing("a", "b", math.nan, 0, 0, (1, 0, 0), 1.0)]},  # type: ignore[arg-type]
            "`wins of a against b` is nan",
        ),
        ("Noisy", {"seed": 1.5}, "`seed` is 1.5, but must be a whole number"),
        ("BestConstant", {"probe": 0}, "`probe` is 0, but must be between 1"),
        ("directory_tree", {"skip": "abc"}, "`skip` is 'abc', but must be several texts"),
        ("directory_tree", {"id": "\ud800"}, "`id` is .*, which holds a lone surrogate"),
        ("directory_trees", {"n": -1}, "`n` is -1, but must be at least 0"),
        ("directory_trees", {"min_lines": 9, "max_lines": 3}, "`min_lines` is 9, but must be between"),
        ("synthetic2", {"rows": [3]}, "row 0: it is 3, but must be a mapping"),
        ("split_by_group", {"shares": {"a": math.nan, "b": 1}}, r"`shares\['a'\]` is nan"),
        ("split_by_group", {"seed": 1.0}, "`seed` is 1.0, but must be a whole number"),
        ("split_by_group", {"group": 3}, "`group` is 3, but must be a name or a callable"),
        ("Run", {"config": {"a": math.nan}}, "`config` must be plain data"),
        ("advantages", {"rewards": [1, math.nan]}, "`rewards` has nan, but must be finite"),
        ("pass_at_k", {"c": 1.5}, "`c` is 1.5, but must be a whole number"),
    ],
)  # fmt: skip
def test_the_error_names_the_field_and_what_would_be_right(
    call: str, change: dict[str, Any], message: str
) -> None:
    function, given = CALLS[call]
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        function(**given | change)


def test_numpys_numbers_are_numbers() -> None:
    assert whole("n", np.int8(3), 1, 5) == 3
    summary = evaluate(FIRST, n=np.int64(2), seed=np.uint64(1), level=np.array([0, 1]), params=None)  # type: ignore[arg-type]
    assert [row.level for row in summary] == [0, 1]


class Own(Exception):
    pass


def fails(*_: Any, **__: Any) -> Any:
    raise Own("mine")


def answers_then_fails() -> Callable[[Sequence[reasonenv.Task], int], list[str]]:
    calls = 0

    def policy(tasks: Sequence[reasonenv.Task], rollout: int) -> list[str]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise Own("mine")
        return _policies.oracle(tasks, rollout)

    return policy


@pytest.mark.parametrize(
    "change",
    [
        {"policies": {"p": fails}},
        {"policies": {"p": answers_then_fails()}},
        {"policies": {"p": lambda tasks, _: (fails() for _ in tasks)}},
        {"reward": fails},
        {"saving": fails},
    ],
    ids=["policy", "policy at the third batch", "generator", "reward", "on_progress"],
)
def test_an_error_of_the_callers_own_comes_out_and_the_run_goes_on(
    change: dict[str, Any], tmp_path: Path
) -> None:
    ask: dict[str, Any] = {
        "tasks": FIRST,
        "policies": {"p": "oracle"},
        "n": 20,
        "sampling": Sampling(batch_size=4),
    }
    run = tmp_path / "run"
    config: dict[str, Any] = {}
    if "reward" in change:

        def reward(_task: reasonenv.Task, _text: str, verdict: reasonenv.Verdict) -> float:
            return verdict.passed

        reward.__name__ = fails.__name__  # the config knows a reward by its name
        config["reward"] = reward
    saving = Saving(folder=run, on_progress=change.get("saving"))
    with pytest.raises(Own) as raised:
        evaluate(**ask | config | change | {"saving": saving})
    assert raised.value.args == ("mine",)
    assert raised.value.__cause__ is None
    assert {*os.listdir(run)} - {"prompts.jsonl"} == {"config.json", "traces.jsonl"}
    summary = evaluate(saving=run, **ask | config)
    assert summary[0].passed == 20
    ids = [line.split('"')[5] for line in (run / "traces.jsonl").read_text().splitlines()]
    assert len(ids) == len(set(ids)) == 20


@pytest.mark.parametrize("where", ["policy", "on_progress"])
def test_an_error_in_an_arena_comes_out_as_it_is(where: str) -> None:
    change: dict[str, Any] = {"policies": ["random", fails]} if where == "policy" else {"on_progress": fails}
    ask: dict[str, Any] = {"policies": ["random", "first_legal"], "games": 2} | change
    with pytest.raises(Own, match="mine"):
        arena.round_robin(TIC_TAC_TOE, **ask)
    with pytest.raises(Own, match="mine"):
        sources.split_by_group(ROWS, group=fails)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "gave None, but must give a sequence of texts"),
        ("xx", "gave 'xx', but must give a sequence of texts"),
        ({"a": 1, "b": 2}, "gave {'a': 1, 'b': 2}, but must give a sequence"),
        ([1, 2], "gave 1 for .*, but must give text"),
        (["a", None], "gave None for .*, but must give text"),
        (["a"], "gave 1 completions for 2 tasks, but must give one for each"),
    ],
)
def test_what_a_policy_must_not_give_is_named(given: Any, message: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=f"policy `p` {message}"):
        evaluate(FIRST, {"p": lambda _tasks, _rollout: given}, n=2)


@pytest.mark.parametrize("given", [None, "1", math.inf, math.nan, 10**400, 1e308, [1.0]])
def test_a_reward_that_is_no_number_is_named(given: Any) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=r"the reward of .* but must be a finite number"):
        evaluate(FIRST, n=1, reward=lambda *_: given)
    assert evaluate(FIRST, n=1, reward=lambda _, __, verdict: verdict.passed)[0].mean_reward == 1


def test_a_lone_surrogate_is_written_and_judged(tmp_path: Path) -> None:
    def policy(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
        right = _policies.oracle(tasks)
        odd = [f"<{task.answer_tag}>\udfff</{task.answer_tag}>" for task in tasks]
        return [f"\ud800{right[0]}", *odd[1:]]

    for again in range(2):  # the second reads what the first wrote
        summary = evaluate(FIRST, {"odd \ud800": policy}, n=3, saving=tmp_path)
        assert summary[0].policy == "odd \ud800"
        assert summary[0].items == 3
        if not again:
            (tmp_path / "summary.json").unlink()
    records = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text("ascii").splitlines()]
    assert [record["text"][0] for record in records] == ["\ud800", "<", "<"]
    verdicts = reasonenv.family(FIRST).batch(count=3, split="eval").verify([r["text"] for r in records])
    assert [record["verdict"]["passed"] for record in records] == verdicts.passed.tolist()


@pytest.mark.parametrize("endless", [reasonenv.family("sorting").source(), reasonenv.Mixture(["sorting"])])
def test_a_batch_of_a_source_without_end_is_refused(endless: Any) -> None:
    with pytest.raises(ValueError, match=r"which has no end; give its `batch\(start, count\)`$"):
        reasonenv.Batch(endless)
