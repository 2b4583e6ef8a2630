import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from hypothesis import given
from hypothesis import strategies as st
from reasonenv.data import directory_tree, directory_trees, split_by_group, synthetic2_trees
from reasonenv.errors import InvalidArgument, InvalidProblem, InvalidTask
from reasonenv.rollouts import evaluate


def rows(task: reasonenv.Task) -> list[list[Any]]:
    found: list[list[Any]] = json.loads(task.problem)["rows"]
    return found


def grow(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).mkdir(parents=True)
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return grow(tmp_path / "site", "b/d/e", "b/c", "a", "f")


def test_a_real_directory_is_drawn_in_sorted_order(tree: Path) -> None:
    (tree / "file.txt").touch()
    task = directory_tree(tree)
    assert task.solution.answer.splitlines() == [
        "site",
        " +--a",
        " +--b",
        " |   +--c",
        " |   `--d",
        " |       `--e",
        " `--f",
    ]
    assert task.verify(task.wrap(task.solution.answer)).passed
    assert all(name in task.prompt for name in ("site", "a", "b", "c", "d", "e", "f"))
    assert task.id.startswith("ascii_tree/v")
    assert "/directory/site-" in task.id
    assert str(tree.parent) not in task.to_json()
    assert [name for _, name in rows(directory_tree(tree, directories_only=False))][-1] == "file.txt"


def test_names_that_cannot_be_told_from_a_drawing_are_left_out(tmp_path: Path) -> None:
    odd = ["plain", "two words", "ünïcode", "漢字", "a'b", "x" * 255]
    bad = [".git", " lead", "trail ", "new\nline", "tab\tbed", "zero\u200bwidth", "rtl\u202e", "nbsp\u00a0"]
    bad += ["+--sly", "heading:", 'quo"ted']
    root = grow(tmp_path / "root", *odd, *bad, "```")
    os.mkdir(os.fsencode(root) + b"/\xff\xfe")
    (root / "link").symlink_to(root / "plain")
    (root / "loop").symlink_to(root)
    (root / "__pycache__").mkdir()
    task = directory_tree(root)
    assert [name for depth, name in rows(task) if depth == 1] == sorted(odd)
    assert task.verify(task.wrap(task.solution.answer)).passed
    assert reasonenv.Task.from_json(task.to_json()) == task
    assert "__pycache__" in [name for _, name in rows(directory_tree(root, skip=()))]


def test_a_tree_too_large_loses_its_deepest_directories_first(tree: Path) -> None:
    names = [name for _, name in rows(directory_tree(tree, max_lines=6))]
    assert names == ["site", "a", "b", "c", "d", "f"]
    assert [name for _, name in rows(directory_tree(tree, max_lines=3))] == ["site", "a", "b"]
    assert max(depth for depth, _ in rows(directory_tree(tree, max_depth=2))) == 2
    deep = grow(tree.parent / "deep", "/".join("d" * 60))
    assert len(rows(directory_tree(deep, max_depth=32, max_lines=500))) == 33
    wide = grow(tree.parent / "wide", *(f"w{i:04}" for i in range(700)))
    assert len(rows(directory_tree(wide, max_lines=500))) == 500


def test_a_lone_directory_is_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "alone").mkdir()
    assert rows(directory_tree(tmp_path / "alone")) == [[0, "alone"]]
    monkeypatch.chdir(tmp_path / "alone")
    assert rows(directory_tree(".")) == [[0, "alone"]]
    assert rows(directory_tree("/", max_lines=1))[0] == [0, "root"]


def test_a_path_that_is_no_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no directory .*nothing"):
        directory_tree(tmp_path / "nothing")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="file is not a directory, but `root` must be one"):
        directory_trees(tmp_path / "file", 3)
    (tmp_path / "bad\nname").mkdir()
    with pytest.raises(InvalidProblem, match="cannot be drawn"):
        directory_tree(tmp_path / "bad\nname")
    with pytest.raises(InvalidArgument, match="`max_lines` is 501, but must be between 1 and 500"):
        directory_tree(tmp_path, max_lines=501)
    with pytest.raises(InvalidArgument, match="`max_depth` is 0, but must be between 1 and 32"):
        directory_trees(tmp_path, 1, max_depth=0)


def test_a_directory_that_may_not_be_read_is_shown_empty(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def guarded(path: Path) -> Any:
        if path.name == "b":
            raise PermissionError
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert [name for _, name in rows(directory_tree(tree))] == ["site", "a", "b", "f"]


def test_style_and_id_are_the_callers(tree: Path) -> None:
    task = directory_tree(tree, style={"wrapper": "contract"}, id="mine")
    assert task.id == "mine"
    assert task.prompt.endswith("Answer:")
    templates = reasonenv.family("ascii_tree").templates
    prompts = {directory_tree(tree, style={"template": template}).prompt for template in templates}
    assert len(prompts) == len(templates)


def test_many_trees_are_whole_distinct_and_follow_the_seed(tmp_path: Path) -> None:
    triples = [(i, j, k) for i in range(4) for j in range(i + 1) for k in range(j + 1)]
    root = grow(tmp_path / "root", *(f"p{i}/q{j}/r{k}" for i, j, k in triples))
    grow(root, "twin/a/q0/r0", "twin/b/q0/r0")
    tasks = directory_trees(root, 100, min_lines=3, max_lines=9)
    assert directory_trees(root, 100, min_lines=3, max_lines=9) == tasks
    assert directory_trees(root, 2, min_lines=3, max_lines=9) == tasks[:2]
    others = directory_trees(root, 100, seed=1, min_lines=3, max_lines=9)
    assert [task.id for task in others] != [task.id for task in tasks]
    assert {task.key for task in others} == {task.key for task in tasks}
    assert Counter(task.key for task in tasks).most_common(1)[0][1] == 1
    for task in tasks:
        assert 3 <= len(rows(task)) <= 9
        place = root.parent / task.id.split("/directory/")[1].rpartition("-")[0]
        assert len(rows(task)) == 1 + sum(path.is_dir() for path in place.rglob("*"))
    with pytest.raises(InvalidArgument, match=r"no tree in .* has between 400"):
        directory_trees(root, 1, min_lines=400, max_lines=500)
    assert max(depth for t in directory_trees(root, 9, max_depth=1) for depth, _ in rows(t)) == 1
    near, every = (directory_trees(root, 100, min_lines=1, max_scanned=most) for most in (3, 20_000))
    assert len(near) < len(every)


def test_the_standard_librarys_folder_is_a_source() -> None:
    tasks = directory_trees(Path(os.__file__).parent, 20, min_lines=2)
    (right, wrong) = evaluate({"real": tasks}, ["oracle", "noisy:1"], n=20)
    assert right.pass_rate == 1
    assert wrong.pass_rate == 0
    assert right.items == len(tasks)
    assert wrong.failed_parts["line_similarity"] < 1


REFERENCE = "main\n +--java\n |   `--org\n |       `--gradle\n `--webapp"


def row(**change: Any) -> dict[str, Any]:
    info = {"description": "main is a root directory …", "ground_truth": REFERENCE}
    return {
        "problem_id": "ascii_format_gradle/subprojects",
        "task_type": "ascii_tree_formatting",
        "prompt": "Your task is to convert the following English description …",
        "verification_info": json.dumps(info),
    } | change


def reference(text: str) -> str:
    return json.dumps({"description": "", "ground_truth": text})


def test_a_published_row_is_judged_against_its_ground_truth() -> None:
    (task,) = synthetic2_trees([row()])
    assert task.id == "ascii_format_gradle/subprojects"
    assert task.prompt == row()["prompt"]
    assert task.solution.answer == REFERENCE
    assert task.verify(f"<ascii_formatted>\n{REFERENCE}\n</ascii_formatted>").passed
    assert not task.verify(f"<ascii_formatted>\n{REFERENCE.replace('org', 'com')}\n</ascii_formatted>").passed
    assert reasonenv.Task.from_json(task.to_json()) == task
    assert (
        synthetic2_trees([row(verification_info=reference(f"\n{REFERENCE}\n"))])[0].solution.answer
        == REFERENCE
    )
    assert synthetic2_trees([row(verification_info=reference("alone"))])[0].solution.answer == "alone"


def test_every_drawing_of_ours_reads_back() -> None:
    family = reasonenv.family("ascii_tree")
    for level in range(family.top_level + 1):
        batch = family.batch(count=20, level=level)
        made = synthetic2_trees([row(verification_info=reference(answer)) for answer in batch.answers])
        assert [task.key for task in made] == [task.key for task in batch]


def test_ids_that_come_again_are_numbered() -> None:
    ids = [task.id for task in synthetic2_trees([row(), row(problem_id="b"), row(), row(problem_id="b")])]
    assert ids == [
        "ascii_format_gradle/subprojects",
        "b",
        "ascii_format_gradle/subprojects#2",
        "b#2",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task_type": "code"}, "row 1: `task_type` is `code`, but must be `ascii_tree_formatting`"),
        ({"task_type": None}, "row 1: `task_type` is missing"),
        ({"problem_id": 7}, "row 1: `problem_id` is 7, but must be text"),
        ({"prompt": " "}, "row 1: `prompt` is ' ', but must be text"),
        (
            {"verification_info": {"ground_truth": REFERENCE}},
            "row 1: `verification_info` must be a JSON string",
        ),
        ({"verification_info": "{"}, "row 1: `verification_info` must be a JSON string"),
        ({"verification_info": "{}"}, "row 1: `verification_info.ground_truth` is missing"),
        (
            {"verification_info": reference("main\n├── java")},
            "row 1: `verification_info.ground_truth` is not a tree: line 2, '├── java', is not a branch",
        ),
        (
            {"verification_info": reference("main\n |   +--a")},
            "is not a tree: .*depth 2, but must have 1 to 1",
        ),
        ({"verification_info": reference("main\n +--a\n `--a")}, "is not a tree: .*twice"),
        (
            {"verification_info": reference("main\n `--a\n `--b")},
            r"line 2 is ' `--a', but the tree it tells of has ' \+--a' there",
        ),
    ],
)
def test_a_row_of_another_kind_is_named_with_its_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidTask, match=message):
        synthetic2_trees([row(), row(**change)])
    assert len(synthetic2_trees([row(), row(**change)], errors="skip")) == 1


def test_errors_are_raised_or_skipped_and_nothing_else() -> None:
    with pytest.raises(InvalidArgument, match="`errors` is 'ignore'"):
        synthetic2_trees([], errors="ignore")  # type: ignore[arg-type]


@given(st.lists(st.text(min_size=1, max_size=3), max_size=60), st.integers(0, 5))
def test_splits_never_share_a_problem_id(ids: list[str], seed: int) -> None:
    given_rows: list[dict[str, Any]] = [{"problem_id": name, "at": at} for at, name in enumerate(ids)]
    splits = split_by_group(given_rows, seed=seed)
    assert list(splits) == ["train", "eval", "test"]
    seen = [{r["problem_id"] for r in held} for held in splits.values()]
    assert sum(map(len, seen)) == len(set(ids))
    assert sorted(r["at"] for held in splits.values() for r in held) == list(range(len(ids)))
    # A row's split does not depend on the others.
    for name, held in splits.items():
        for one in held:
            assert split_by_group([one], seed=seed)[name] == [one]


def test_shares_are_kept_and_the_seed_splits_otherwise() -> None:
    given_rows = [{"problem_id": f"ascii_format_{i}"} for i in range(4000)]
    splits = split_by_group(given_rows, {"a": 0.5, "b": 0.0, "c": 0.3, "d": 0.2})
    shares = {name: len(held) / 4000 for name, held in splits.items()}
    assert shares == pytest.approx({"a": 0.5, "b": 0, "c": 0.3, "d": 0.2}, abs=0.03)
    assert splits["b"] == []
    assert split_by_group(given_rows, seed=1) != split_by_group(given_rows)
    # Bytes decide, not Python's hash, so these two values never change.
    frozen = split_by_group([{"problem_id": "ascii_format_0"}, {"problem_id": "ascii_format_1"}])
    assert {name: len(held) for name, held in frozen.items()} == {"train": 2, "eval": 0, "test": 0}


def test_tasks_split_by_their_id_and_rows_without_one_are_named() -> None:
    tasks = [reasonenv.family(reasonenv.list_families()[0]).sample(index=i) for i in range(20)]
    assert sum(map(len, split_by_group(tasks, group=lambda task: task.id).values())) == 20
    with pytest.raises(InvalidTask, match="row 1: `problem_id` is None, but must be text"):
        split_by_group([{"problem_id": "a"}, {}])
    with pytest.raises(InvalidArgument, match="must be at least 0 and add up to 1"):
        split_by_group([], {"train": 0.5})
