"""Ray's contract, checked with a fake that runs everything at once, in a different order."""

import importlib
import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fakes
import pyarrow as pa
import pytest
import reasonenv
from reasonenv.data import _shards
from reasonenv.errors import InvalidArgument
from reasonenv.integrations import item, score_all


class Remote:
    """`ray.remote`: of a function its result, of a class an actor."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def options(self, *, num_cpus: float, scheduling_strategy: str) -> "Remote":
        assert num_cpus > 0
        assert scheduling_strategy == "SPREAD"
        return self

    def remote(self, *arguments: Any) -> Any:
        if not inspect.isclass(self.it):
            return lambda: self.it(*arguments)
        actor = self.it(*arguments)
        methods = {name: Remote(getattr(actor, name)) for name in dir(actor) if not name.startswith("_")}
        return type("Actor", (), methods)()


def get(calls: list[Callable[[], Any]]) -> list[Any]:
    found: dict[int, Any] = {}
    for at in random.Random(0).sample(range(len(calls)), len(calls)):
        found[at] = calls[at]()
    return [found[at] for at in range(len(calls))]


class Dataset:
    """A `ray.data.Dataset` of tables, which arrive in any order."""

    def __init__(self, tables: list[pa.Table]) -> None:
        self.tables = tables

    def map_batches(self, function: Any, *, batch_size: int, batch_format: str = "numpy", **more: Any) -> Any:
        assert more["num_cpus"] > 0
        whole = pa.concat_tables(self.tables)
        parts = [whole.slice(at, batch_size) for at in range(0, len(whole), batch_size)]
        random.Random(1).shuffle(parts)
        if batch_format == "numpy":
            parts = [{name: part[name].to_numpy() for name in part.column_names} for part in parts]
        return Dataset([function(part) for part in parts])

    def rows(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = pa.concat_tables(self.tables).to_pylist()
        return sorted(found, key=lambda row: row["position"])


def from_items(items: list[dict[str, Any]], override_num_blocks: int) -> Dataset:
    assert override_num_blocks == len(items)
    return Dataset([pa.Table.from_pylist(items)])


KILLED: list[Any] = []
FREE = [4.0]
"""Successive numbers of free CPUs, in reverse order."""
FAKE: dict[str, dict[str, Any]] = {
    "ray": {
        "remote": Remote,
        "get": get,
        "put": lambda it: it,
        "kill": KILLED.append,
        "is_initialized": lambda: True,
        "available_resources": lambda: {"CPU": FREE.pop() if len(FREE) > 1 else FREE[0]},
        "cluster_resources": lambda: {"CPU": 4.0},
    },
    "ray.data": {"from_items": from_items},
}
MIXTURE = reasonenv.Mixture(["chain_sum", ("sudoku", 2)])


@pytest.fixture(autouse=True)
def threads() -> Any:
    before = reasonenv.num_threads()
    yield
    reasonenv.set_num_threads(before)


def test_files_add_up_to_the_whole_and_missing_ones_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fakes.adapter("ray", FAKE) as ray:
        wanted = MIXTURE.batch(0, 100).to_jsonl()
        for size in (100, 33, 1):
            paths = ray.write_tasks(MIXTURE, 100, tmp_path / str(size), shard_size=size)
            assert "".join(path.read_text() for path in sorted(paths)) == wanted
        paths[3].write_text("left alone\n")
        paths[4].unlink()
        ray.write_tasks(MIXTURE, 100, tmp_path / "1", shard_size=1)
        assert paths[3].read_text() == "left alone\n"
        assert paths[4].read_text() == MIXTURE[4].to_json() + "\n"
        with pytest.raises(InvalidArgument, match="holds files of another call"):
            ray.write_tasks("chain_sum", 100, tmp_path / "1", shard_size=1)
        monkeypatch.chdir(tmp_path)
        assert all(path.is_absolute() for path in ray.write_tasks("chain_sum", 2, "here"))
        own = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}] * 3, verifier="number_equal")
        paths = ray.write_tasks(own, 3, tmp_path / "own", shard_size=2)
        assert [len(path.read_text().splitlines()) for path in paths] == [2, 1]


def test_data_sets_are_made_and_judged() -> None:
    with fakes.adapter("ray", FAKE) as ray, fakes.adapter("ray_verify", {}) as ray_verify:
        made = ray.dataset(MIXTURE, 50, shard_size=7, num_cpus=2)
        assert reasonenv.num_threads() == 2
        assert [row["task_id"] for row in made.rows()] == MIXTURE.batch(0, 50).ids
        tables = [table.append_column("text", pa.array(["no idea"] * len(table))) for table in made.tables]
        for row in ray_verify.score(Dataset(tables), batch_size=9, num_cpus=0.5).rows():
            assert (row["passed"], row["score"], row["reward"]) == (False, 0.0, 0.0)
            assert row["failure"] == "no_answer"
        assert reasonenv.num_threads() == 1


def test_actors_share_the_work_and_a_pool_that_is_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with fakes.adapter("ray", FAKE), fakes.adapter("ray_verify", {}) as ray_verify:
        tasks = MIXTURE.batch(0, 10).repeat(250)
        problems = [item(task).problem for task in tasks]
        texts = [task.wrap(answer) for task, answer in zip(tasks, tasks.answers, strict=True)]
        texts[::2] = [""] * len(texts[::2])
        pool = ray_verify.VerifierPool(3)
        assert list(pool.score(texts, problems)) == list(score_all(texts, problems))
        pool.close()
        assert len(KILLED) == 3
        with pytest.raises(InvalidArgument, match=r"`size` is 5 of 1 CPUs each, but the cluster has 4"):
            ray_verify.VerifierPool(5)
        FREE[:] = [4.0, 1.0, 0.0]
        assert len(ray_verify.VerifierPool(4).actors) == 4
        monkeypatch.setattr(ray_verify, "_PATIENCE", 0.1)
        FREE[:] = [1.0]
        with pytest.raises(InvalidArgument, match="but the cluster has 1 that are free"):
            ray_verify.VerifierPool(2)
        FREE[:] = [4.0]


@pytest.mark.parametrize("name", ["ray", "ray_verify"])
def test_a_missing_package_is_told(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"needs Ray .* pip install 'reasonenv\[ray\]'"):
        importlib.import_module(f"reasonenv.integrations.{name}")


@pytest.mark.parametrize("total", [0, 1, 7, 100])
@pytest.mark.parametrize("of", [1, 2, 3, 7, 101])
def test_shards_add_up(total: int, of: int) -> None:
    ranges = [_shards.shard_range(total, (at, of)) for at in range(of)]
    assert [place for one in ranges for place in one] == list(range(total))
    assert max(map(len, ranges)) - min(map(len, ranges)) <= 1


def test_batches_go_from_source_to_source() -> None:
    sources = [reasonenv.family(name).source() for name in ("chain_sum", "tsp", "sorting")]
    whole = [task.id for _, tasks in _shards.batches(sources, 5, range(15), start=2) for task in tasks]
    assert whole == [task.id for source in sources for task in source.batch(2, 5)]
    for of in (1, 2, 4, 20):
        parts = [
            task.id
            for at in range(of)
            for _, tasks in _shards.batches(sources, 5, _shards.shard_range(15, (at, of)), start=2)
            for task in tasks
        ]
        assert parts == whole
