"""Throughput per additional node: the table of docs/trainers/ray.md, on nodes of one CPU on this machine.

pip install 'reasonenv[ray]'; python -m benches.ray_nodes 2

In addition to the rate, it reports the processor time per item, which other work on the machine hardly
changes: that of the workers, which nodes share, and that of the driver, which they do not. Linux only.
"""

import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Ray's workers usually yield to everything else on a machine, which would distort the measurement.
os.environ.setdefault("RAY_worker_niceness", "0")

import ray as package
import reasonenv
from ray.cluster_utils import Cluster
from reasonenv.integrations import item, ray, ray_verify, score_all

TASKS = 100_000
COMPLETIONS = 160_000


@dataclass(frozen=True)
class Cost:
    """Cost of one run: seconds of wall time, of this process, and of its descendants."""

    wall: float
    driver: float
    workers: float

    def cells(self, items: int) -> str:
        """Return the columns of the table."""
        per_item = " | ".join(f"{1e6 * one / items:.1f} µs" for one in (self.workers, self.driver))
        return f"{items / self.wall:,.0f} | {per_item}"


def below() -> float:
    """Processor seconds of all processes below this one, including those that have ended."""
    ticks, children = dict[int, float](), defaultdict[int, list[int]](list)
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        pid = int(place.parent.name)
        children[int(fields[1])].append(pid)
        ticks[pid] = sum(map(float, fields[11:15]))  # its own, and those of children that ended
    left, total = [*children[os.getpid()]], 0.0
    while left:
        pid = left.pop()
        total += ticks[pid]
        left += children[pid]
    return total / os.sysconf("SC_CLK_TCK")


def cost(work: Callable[[], object]) -> Cost:
    """Cost of the cheaper of two runs, the first of which starts Ray's workers."""
    found = []
    for _ in range(2):
        wall, driver, workers = time.perf_counter(), time.process_time(), below()
        work()
        found.append(Cost(time.perf_counter() - wall, time.process_time() - driver, below() - workers))
    return min(found, key=lambda one: one.wall)


def main(nodes: int) -> None:
    """Print a line for one process without Ray, and for clusters of 1 to `nodes` nodes."""
    reasonenv.set_num_threads(1)
    mixture = reasonenv.Mixture(["countdown", ("sudoku", 1)])
    tasks = mixture.batch(0, COMPLETIONS // 8).repeat(8)
    problems, texts = [item(task).problem for task in tasks], [task.wrap("1 + 1") for task in tasks]

    def write() -> None:
        with tempfile.TemporaryFile("w") as file:
            for at in range(0, TASKS, 10_000):
                file.write(mixture.batch(at, 10_000).to_jsonl())

    made, judged = cost(write), cost(lambda: score_all(texts, problems))
    print(
        "| | tasks written/s | worker | driver | completions judged/s | worker | driver |\n"
        + "| --- " * 7
        + "|"
    )
    print(f"| no Ray, one thread | {made.cells(TASKS)} | {judged.cells(COMPLETIONS)} |")
    for count in range(1, nodes + 1):
        memory = 512 << 20
        head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": memory}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(count - 1):
            cluster.add_node(num_cpus=1, object_store_memory=memory)
        package.init(address=cluster.address, log_to_driver=False)

        def spread() -> None:
            with tempfile.TemporaryDirectory() as folder:
                ray.write_tasks(mixture, TASKS, folder, shard_size=10_000)

        made = cost(spread)
        pool = ray_verify.VerifierPool(count)
        judged = cost(partial(pool.score, texts, problems))
        pool.close()
        name = f"{count} node{'s' * (count > 1)}"
        print(f"| {name} | {made.cells(TASKS)} | {judged.cells(COMPLETIONS)} |", flush=True)
        package.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
