"""Ray itself, on a cluster of two nodes on this machine: the same bytes however the work is spread."""

import hashlib
import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray as package
import reasonenv
from pages import ROOT, run_page
from ray.cluster_utils import Cluster
from reasonenv.errors import InvalidArgument
from reasonenv.integrations import Setup, item, ray, ray_verify, rows, score_all

MEMORY = 256 << 20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "include_dashboard": False, "object_store_memory": MEMORY},
    )
    made.add_node(num_cpus=2, object_store_memory=MEMORY)
    package.init(address=made.address, log_to_driver=False)
    importlib.import_module("ray.data")

    package.data.DataContext.get_current().enable_progress_bars = False
    yield made
    package.shutdown()
    made.shutdown()


def digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


@pytest.mark.usefixtures("cluster")
def test_files_are_the_same_bytes_on_any_number_of_workers(tmp_path: Path) -> None:
    alone = tmp_path / "alone.jsonl"
    command = ["generate", "countdown", "-n", "3000", "--level", "2", "--out", str(alone)]
    subprocess.run([sys.executable, "-m", "reasonenv", *command], check=True)
    wanted = hashlib.sha256(alone.read_bytes()).hexdigest()
    for cpus, size in ((1.0, 3000), (1.0, 700), (2.0, 501), (0.5, 1000)):
        folder = tmp_path / f"{cpus}-{size}"
        paths = ray.write_tasks("countdown", 3000, folder, level=2, shard_size=size, num_cpus=cpus)
        assert paths == sorted(paths)
        assert len(paths) == -(-3000 // size)
        assert digest(paths) == wanted


@pytest.mark.usefixtures("cluster")
def test_missing_ranges_alone_are_made_again(tmp_path: Path) -> None:
    mixture = reasonenv.Mixture(["chain_sum", "sudoku"])
    paths = ray.write_tasks(mixture, 500, tmp_path, shard_size=100)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}
    paths[1].unlink()
    paths[4].unlink()
    assert ray.write_tasks(mixture, 500, tmp_path, shard_size=100) == paths
    assert {path: path.read_bytes() for path in paths} == {path: data for path, (data, _) in before.items()}
    untouched = [path for path in paths if path.stat().st_mtime_ns == before[path][1]]
    assert untouched == [paths[0], paths[2], paths[3]]
    for other, n in ((mixture, 400), (reasonenv.Mixture(["chain_sum", "sudoku"], weights=[9, 1]), 500)):
        with pytest.raises(InvalidArgument, match="holds files of another call"):
            ray.write_tasks(other, n, tmp_path, shard_size=100)


@pytest.mark.usefixtures("cluster")
def test_both_nodes_work_with_as_many_threads_as_they_were_given() -> None:
    @package.remote(num_cpus=2, scheduling_strategy="SPREAD")
    def told() -> tuple[str, int]:
        made = ray._Shards(Setup("chain_sum"), 10, 10, 2.0)
        made.rows(0, 10)
        time.sleep(1)
        return package.get_runtime_context().get_node_id(), reasonenv.num_threads()

    found = package.get([told.remote() for _ in range(2)])
    assert len({node for node, _ in found}) == 2
    assert [threads for _, threads in found] == [2, 2]


@pytest.mark.usefixtures("cluster")
def test_a_data_set_is_generated_and_judged_over_ray_data() -> None:
    tasks = reasonenv.Mixture(["chain_sum", "tsp"])
    made = ray.dataset(tasks, 2000, shard_size=300)

    def answered(row: dict[str, Any]) -> dict[str, Any]:
        task = reasonenv.Task.from_json(row["problem"])
        right = row["position"] % 2 == 0
        return row | {"completion": task.wrap(task.solution.answer) if right else "no idea"}

    judged = ray_verify.score(made.map(answered), text="completion", reward="partial", batch_size=500)
    found = sorted(judged.take_all(), key=lambda row: row["position"])
    assert [row["task_id"] for row in found] == tasks.batch(0, 2000).ids
    assert [row["passed"] for row in found] == [at % 2 == 0 for at in range(2000)]
    assert {row["failure"] for row in found} == {"", "no_answer"}
    assert [row["reward"] for row in found[:2]] == [1.0, 0.0]
    own = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}] * 10, verifier="number_equal")
    assert sorted(row["position"] for row in ray.dataset(own, 10, shard_size=3).take_all()) == list(range(10))


@pytest.mark.usefixtures("cluster")
def test_actors_judge_as_one_process_does() -> None:
    tasks = reasonenv.Mixture(["chain_sum", "sudoku"])[0:5000]
    texts = [task.wrap(answer) for task, answer in zip(tasks, tasks.answers, strict=True)]
    texts[::3] = [""] * len(texts[::3])
    problems = [item(task).problem for task in tasks]
    pool = ray_verify.VerifierPool(3)
    assert list(pool.score(texts, problems)) == list(score_all(texts, problems))
    assert len(pool.score([], [])) == 0
    with pytest.raises(InvalidArgument, match="`texts` has 1 items"):
        pool.score(["a"], problems)
    with pytest.raises(InvalidArgument, match="`size` is 64 of 1 CPUs each, but the cluster has"):
        ray_verify.VerifierPool(64)
    pool.close()


@pytest.mark.usefixtures("cluster")
def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "docs/trainers/ray.md", packages=True)


def test_rows_are_those_of_the_other_trainers() -> None:
    made = ray._Shards(Setup("chain_sum"), 1, 1, 1.0).rows(0, 1)
    assert made == [{"position": 0} | next(rows("chain_sum", 1))]
    assert os.environ.get("RAY_USAGE_STATS_ENABLED") == "0"
