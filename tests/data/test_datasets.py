"""Data sets on disk: four roles that share no problem, whole, sharded, checked."""

import json
from pathlib import Path
from typing import Any, get_args

import kinds
import pytest
import reasonenv
from reasonenv import ReasonEnvError
from reasonenv.data import (
    ROLES,
    Dataset,
    HoldOut,
    Roles,
    build_dataset,
    export,
    find_contamination,
    merge_datasets,
    write_records,
)
from reasonenv.errors import InvalidArgument, InvalidParams, InvalidTask, UnknownFamily, UnknownName
from reasonenv.types import SplitName

ASK: dict[str, Any] = {
    "families": ["chain_sum", "countdown"],
    "n": 400,
    "levels": [1, 2],
    "seed": 2**64 - 1,
    "roles": Roles(duplicates="keep"),
}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "whole"
    build_dataset(folder, **ASK)
    return folder


def test_no_problem_has_two_roles_and_roles_have_their_splits(whole: Path) -> None:
    dataset = Dataset(whole)
    keys: dict[str, set[str]] = {}
    for role, split in ROLES.items():
        tasks = list(dataset.tasks(role, purpose="evaluate"))
        assert len(tasks) == dataset.count(role) > 0
        assert {task.split for task in tasks} == {split}
        assert {task.family for task in tasks} == {"chain_sum", "countdown"}
        keys[role] = {task.key for task in tasks}
    assert sum(map(len, keys.values())) == len(set().union(*keys.values()))
    assert dataset.count("sft") + dataset.count("rl") == 1600
    assert 0.2 < dataset.count("sft") / 1600 < 0.3
    assert dataset.count("validation") == dataset.count("transfer") == 160


def test_bytes_depend_neither_on_threads_nor_on_shards(whole: Path, tmp_path: Path) -> None:
    before = reasonenv.num_threads()
    try:
        reasonenv.set_num_threads(1 if before > 1 else 3)
        build_dataset(tmp_path / "other", **ASK)
    finally:
        reasonenv.set_num_threads(before)
    assert contents(tmp_path / "other") == contents(whole)
    for of in (1, 3, 7):
        shards = [tmp_path / f"{of}-{at}" for at in range(of)]
        for at, shard in enumerate(shards):
            build_dataset(shard, **ASK, shard=(at, of))
        for role in ROLES:
            name = f"tasks/{role}.jsonl"
            assert b"".join((shard / name).read_bytes() for shard in shards) == (whole / name).read_bytes()
        merge_datasets(tmp_path / f"merged{of}", shards)
        assert contents(tmp_path / f"merged{of}") == contents(whole)


def test_shards_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    ask = {**ASK, "n": 20}
    for at in range(2):
        build_dataset(tmp_path / f"{at}", **ask, shard=(at, 2))
    build_dataset(tmp_path / "else", **{**ask, "seed": 5}, shard=(1, 2))
    for shards, says in (
        (["1", "0"], r"its `shard` is \[1, 2\], but must be \[0, 2\]"),
        (["0"], r"its `shard` is \[0, 2\], but must be \[0, 1\]"),
        (["0", "else"], "its `seed` is '5'"),
        (["0", "none"], "holds no data set"),
    ):
        with pytest.raises(InvalidTask, match=says):
            merge_datasets(tmp_path / "out", [tmp_path / shard for shard in shards])
        assert not (tmp_path / "out").exists()


def test_what_is_held_out_is_in_transfer_alone(tmp_path: Path) -> None:
    hold_out = HoldOut(domains=["puzzles"], levels=[3], templates=["countdown/list", "expression"])
    build_dataset(
        tmp_path / "d",
        ["chain_sum", "countdown", "n_queens"],
        200,
        levels=[2, 3],
        roles=Roles(hold_out=hold_out),
    )
    dataset = Dataset(tmp_path / "d")
    seen: dict[str, list[tuple[str, int | None, str]]] = {
        role: [
            (task.family, task.level, task.style["template"])
            for task in dataset.tasks(role, purpose="evaluate")
        ]
        for role in ROLES
    }
    own = {name: set(reasonenv.family(name).held_out_templates) for name in ("chain_sum", "countdown")}
    for role in ("sft", "rl", "validation"):
        assert seen[role]
        for family, level, template in seen[role]:
            assert family in ("chain_sum", "countdown")
            assert level == 2
            assert (family, template) not in {("countdown", "list"), ("chain_sum", "expression")}
            assert role == "validation" or template not in own[family]
    kept = seen["transfer"]
    assert {family for family, _, _ in kept} == {"chain_sum", "countdown", "n_queens"}
    assert {level for _, level, _ in kept} == {2, 3}
    worded = [template for family, level, template in kept if family == "countdown" and level == 2]
    assert sum(template == "list" or template in own["countdown"] for template in worded) >= 10


def test_training_on_what_evaluates_is_refused(whole: Path) -> None:
    dataset = Dataset(whole)
    for role in ("validation", "transfer"):
        with pytest.raises(InvalidArgument, match=f"`{role}` is not to be trained on; take one of sft, rl"):
            dataset.records(role)
        assert next(dataset.records(role, force=True)) == next(dataset.records(role, purpose="evaluate"))
    with pytest.raises(UnknownName, match="did you mean `transfer`"):
        dataset.records("transfers")
    with pytest.raises(UnknownName, match="no file of traces"):
        dataset.traces("sft")


def test_a_check_finds_what_was_changed(whole: Path, tmp_path: Path) -> None:
    assert Dataset(whole).check() == ([], None)
    build_dataset(tmp_path / "d", "chain_sum", 30)
    rl = tmp_path / "d/tasks/rl.jsonl"
    good = rl.read_bytes()
    rl.write_bytes(good + b"\n")
    assert "is not what was written" in Dataset(tmp_path / "d").check()[0][0]
    rl.unlink()
    assert Dataset(tmp_path / "d").check()[0] == ["tasks/rl.jsonl is missing"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _line, other: [other], "is a problem of sft too"),
        (lambda line, _other: [line.replace('"split":"train"', '"split":"eval"')], "belongs to train"),
        (lambda _line, _other: ["{"], "not JSON"),
    ],
)
def test_a_check_finds_what_is_unsound_although_its_digest_fits(
    tmp_path: Path, change: Any, says: str
) -> None:
    import hashlib  # noqa: PLC0415

    build_dataset(tmp_path / "d", "chain_sum", 60)
    sft, rl = ((tmp_path / f"d/tasks/{role}.jsonl").read_text().splitlines() for role in ("sft", "rl"))
    text = "\n".join([*change(rl[0], sft[0]), *rl[1:]]) + "\n"
    (tmp_path / "d/tasks/rl.jsonl").write_text(text)
    manifest = json.loads((tmp_path / "d/manifest.json").read_text())
    manifest["files"]["tasks/rl.jsonl"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (tmp_path / "d/manifest.json").write_text(json.dumps(manifest))
    faults, _ = Dataset(tmp_path / "d").check()
    assert says in faults[0]


def test_folders_that_hold_something_are_left_alone(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="holds a data set already"):
        build_dataset(whole, **ASK)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("x")
    with pytest.raises(FileExistsError, match=r"mine holds thesis\.txt; name another folder"):
        build_dataset(tmp_path / "mine", **ASK, overwrite=True)
    assert (tmp_path / "mine/thesis.txt").read_text() == "x"
    build_dataset(tmp_path / "d", "chain_sum", 20)
    build_dataset(tmp_path / "d", "countdown", 20, overwrite=True)
    assert Dataset(tmp_path / "d").manifest["config"]["families"] == {"countdown": 1}
    assert Dataset(tmp_path / "d").check() == ([], None)


def test_a_build_that_fails_leaves_no_manifest(tmp_path: Path) -> None:
    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_dataset(tmp_path / "d", "chain_sum", 20, on_progress=fails)
    with pytest.raises(InvalidTask, match="holds no data set"):
        Dataset(tmp_path / "d")
    (tmp_path / "d/tasks/rl.jsonl.0123.part").write_text("as a killed process leaves it")
    build_dataset(tmp_path / "d", "chain_sum", 20)
    assert not list((tmp_path / "d").rglob("*.part"))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({"sft": 2}, "`sft` is 2"),
        ({"validation": -1}, "`validation` is -1"),
        ({"transfer": 1.5}, "`transfer` is 1.5"),
        ({"hold_out": {"levels": [1]}}, "must be a `HoldOut`"),
    ],
)
def test_roles_are_checked_when_they_are_made(ask: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        Roles(**ask)


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        ({"families": ["chain_sums"]}, UnknownFamily, "did you mean"),
        ({"families": []}, InvalidArgument, "name at least one family"),
        ({"n": 0}, InvalidArgument, "`n` is 0"),
        ({"levels": []}, InvalidArgument, "`levels` is empty"),
        ({"levels": [99]}, ReasonEnvError, "level"),
        ({"seed": -1}, InvalidArgument, "`seed` is -1"),
        ({"shard": (3, 3)}, InvalidArgument, r"`shard\[0\]` is 3, but must be between 0 and 2"),
        ({"shard": "0/3"}, InvalidArgument, r"must be \(i, n\)"),
        ({"shard": (0, 3), "traces": []}, InvalidArgument, "not sharded"),
        ({"roles": {"sft": 1}}, InvalidArgument, "`roles` is {'sft': 1}, but must be a `Roles`"),
        ({"params": {"terms": 0}}, InvalidParams, "terms"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, ask: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        build_dataset(tmp_path / "d", **{"families": "chain_sum", "n": 10, **ask})
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("held", "says"),
    [
        ({"families": ["sudok"]}, "did you mean `sudoku`"),
        ({"domains": ["puzzle"]}, "did you mean `puzzles`"),
        ({"templates": ["lissts"]}, "did you mean `lists`"),
        ({"levels": ["1"]}, "`levels` is '1'"),
        ({"families": "sudoku"}, "several texts"),
    ],
)
def test_a_hold_out_of_what_does_not_exist_is_an_error(held: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        HoldOut(**held)


def test_contamination_is_found_by_key_prompt_and_words(tmp_path: Path) -> None:
    family = reasonenv.family("knights_and_knaves")
    tasks = [task.to_dict() for task in family.batch(count=12, level=3)]
    other = [task.to_dict() for task in family.batch(seed=9, count=30, level=3)]
    clean = tmp_path / "clean.jsonl"
    write_records(clean, other)
    assert find_contamination(tasks, [clean], threshold=1).found == 0

    reworded = dict(tasks[0], prompt="Another wording.", nested=[{"deep": "er"}])
    write_records(tmp_path / "keys.jsonl", [reworded])
    found = find_contamination(tasks, [clean, tmp_path / "keys.jsonl"], threshold=1)
    assert (found.same_key, found.found) == (1, 1)
    assert found.examples[0]["task_id"] == tasks[0]["task_id"]

    shouted = {"messages": [{"content": "  " + tasks[1]["prompt"].upper().replace("\n", "  ")}]}
    write_records(tmp_path / "prompts.jsonl", [shouted])
    found = find_contamination(tasks, [tmp_path / "prompts.jsonl"], threshold=1)
    assert (found.same_prompt, found.found) == (1, 1)

    (tmp_path / "web.txt").write_text(
        "A forum says: " + " ".join(tasks[2]["prompt"].split()) + " Who can help?\n"
    )
    found = find_contamination(tasks, [tmp_path / "web.txt"], threshold=0.95)
    assert (found.overlapping, found.found) == (1, 0)
    assert found.examples[0]["overlap"] == 1.0
    with pytest.raises(InvalidArgument, match="several files"):
        find_contamination(tasks, "web.txt")


@pytest.mark.parametrize("name", kinds.slow_others(reasonenv.list_families()))
def test_train_against_test_is_clean(name: str, tmp_path: Path) -> None:
    family = reasonenv.family(name)
    train, test = (
        [task.to_dict() for level in (0, 2) for task in family.batch(count=50, level=level, split=split)]
        for split in get_args(SplitName)[::2]
    )
    write_records(tmp_path / "records.jsonl", test)
    found = find_contamination(train, [tmp_path / "records.jsonl"])
    assert (found.tasks, found.found, found.overlapping) == (100, 0, 0)

    # Without keys, prompts decide; the task that really is in the file is found.
    prompts = [record["prompt"] for record in train[:50]]
    texts = [{"text": record["prompt"]} for record in test[:50]]
    write_records(tmp_path / "prompts.jsonl", [*texts, {"text": prompts[7]}])
    found = find_contamination(train[:50], [tmp_path / "prompts.jsonl"])
    assert (found.same_key, found.same_prompt) == (0, prompts.count(prompts[7]))
    assert found.overlapping <= 5, "a tenth of them may look similar"


def test_exports_keep_the_key_by_which_a_check_decides(tmp_path: Path) -> None:
    family = reasonenv.family("countdown")
    tasks = [task.to_dict() for task in family.batch(count=50)]
    test = [task.to_dict() for task in family.batch(count=50, split="test")]
    for shape in ("tasks", "trl", "verl"):
        others, one = tmp_path / f"{shape}.jsonl", tmp_path / "one.jsonl"
        export(test, others, shape, purpose="evaluate")
        export(tasks[:1], one, shape)
        assert find_contamination(tasks, [others]).to_dict()["examples"] == []
        found = find_contamination(tasks, [others, one])
        assert (found.same_key, found.same_prompt, found.overlapping) == (1, 0, 0)


def test_a_problem_in_other_words_overlaps(tmp_path: Path) -> None:
    family = reasonenv.family("ascii_tree")
    task = family.sample(level=3).to_dict()
    other = family.batch(count=40, level=3, seed=5)
    content = task["prompt"].split("\n\n")
    longest = max(content, key=len)
    write_records(tmp_path / "a.jsonl", [{"text": longest}, *({"text": one.prompt} for one in other)])
    found = find_contamination([task], [tmp_path / "a.jsonl"], threshold=0.6)
    assert (found.found, found.overlapping) == (0, 1)


def test_a_check_against_files_finds_training_tasks_in_them(whole: Path) -> None:
    faults, found = Dataset(whole).check([whole / "tasks/sft.jsonl"])
    assert found is not None
    assert found.same_key >= Dataset(whole).count("sft") > 0
    assert "training tasks are in the files named" in faults[0]


def test_problems_that_come_again_are_counted_and_can_be_dropped(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"families": "base_conversion", "n": 600, "levels": [0]}
    kept = build_dataset(tmp_path / "kept", **ask, roles=Roles(duplicates="keep"))
    dropped = build_dataset(tmp_path / "dropped", **ask)
    for role in ROLES:
        keys = [record["key"] for record in Dataset(tmp_path / "kept").records(role, force=True)]
        fewer = [record["key"] for record in Dataset(tmp_path / "dropped").records(role, force=True)]
        again = len(keys) - len(set(keys))
        counted = {"base_conversion": {"0": again}} if again else {}
        assert kept["duplicates"][role] == dropped["duplicates"][role] == counted
        assert fewer == list(dict.fromkeys(keys))
    assert kept["duplicates"]["rl"]
    faults, _ = Dataset(tmp_path / "dropped").check()
    assert faults == []

    for policy, whole in (("keep", "kept"), ("drop", "dropped")):
        shards = [tmp_path / f"{policy}{at}" for at in range(3)]
        for at, shard in enumerate(shards):
            build_dataset(shard, **ask, roles=Roles(duplicates=policy), shard=(at, 3))  # type: ignore[arg-type]
        merged = merge_datasets(tmp_path / f"merged-{policy}", shards)
        assert merged == {"kept": kept, "dropped": dropped}[whole]
    with pytest.raises(InvalidArgument, match="unknown duplicates 'no'"):
        Roles(duplicates="no")  # type: ignore[arg-type]
