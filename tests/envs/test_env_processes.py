"""Environments in forked children, worker processes and threads."""

import multiprocessing
import os
import signal
import threading
import time
from typing import Any

import gymnasium
import pytest
from env_checks import equal
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory
from reasonenv.envs._spaces import AnyText
from reasonenv.errors import InvalidArgument
from task_envs import forks, make, many_items_in_the_pool


def wait(pid: int, seconds: float = 60) -> int:
    """Exit code of a child; one that hangs is killed and fails the test."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail("the forked child hangs")


@forks
def test_a_forked_child_works() -> None:
    expected = many_items_in_the_pool()
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if equal(many_items_in_the_pool(), expected) else 1)
        finally:
            os._exit(2)
    assert wait(pid) == 0
    assert equal(many_items_in_the_pool(), expected), "and so does the parent, after"


def in_worker(results: Any) -> None:
    results.put(many_items_in_the_pool()[2][1])


@forks
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_work(method: Any) -> None:
    expected = many_items_in_the_pool()[2][1]
    context: Any = multiprocessing.get_context(method)
    results = context.Queue()
    workers = [context.Process(target=in_worker, args=(results,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in workers:
        assert results.get(timeout=60).tolist() == expected.tolist()
    for worker in workers:
        worker.join(timeout=60)
        assert worker.exitcode == 0


def test_threads_do_not_disturb_each_other() -> None:
    expected = many_items_in_the_pool()
    single = make(level=1)
    alone = [single.reset(seed=seed) for seed in range(50)]
    wrong: list[str] = []

    def work() -> None:
        env = make(level=1)
        if not equal([env.reset(seed=seed) for seed in range(50)], alone):
            wrong.append("single")
        if not equal(many_items_in_the_pool(), expected):
            wrong.append("vector")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []


@pytest.mark.parametrize("mode", ["solution", "step"])
def test_shared_memory_carries_text(mode: str) -> None:
    keywords: dict[str, Any] = {"mode": mode, "level": 1}
    name = "reasonenv/ChainSum-v1"
    alone = gymnasium.make_vec(name, 3, vectorization_mode="sync", **keywords)
    # By default, Gymnasium shares memory and copies from it.
    shared = gymnasium.make_vec(name, 3, vectorization_mode="async", **keywords)
    live = gymnasium.make_vec(name, 3, vectorization_mode="async", vector_kwargs={"copy": False}, **keywords)
    try:
        seen: list[Any] = []
        for envs in (alone, shared, live):
            told = [tuple(envs.reset(seed=7)[0])]
            told += [tuple(envs.step(["a step", "<answer>1</answer>", "\ud800 é"])[0]) for _ in range(3)]
            seen.append(told)
        assert seen[0] == seen[1] == seen[2]
        kept, _ = shared.reset(seed=1)
        before = list(kept)
        shared.reset(seed=2)
        assert list(kept) == before
    finally:
        shared.close()
        live.close()


def test_text_that_shared_memory_cannot_hold_is_an_error() -> None:
    space = AnyText()
    memory = create_shared_memory(space, n=2)
    short: Any = "\U0001f600" * 5
    write_to_shared_memory(space, 1, short, memory)
    assert list(read_from_shared_memory(space, memory, n=2)) == ["", short]
    long: Any = "x" * (space.capacity + 1)
    with pytest.raises(InvalidArgument, match="pass shared_memory=False"):
        write_to_shared_memory(space, 0, long, memory)
