"""What a node adds: the table of docs/trainers/ray.md, measured on nodes of one CPU each on this machine.

pip install 'reasonenv[ray]'; python -m benches.ray_nodes 2
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray as package
import reasonenv
from ray.cluster_utils import Cluster
from reasonenv.integrations import item, ray, ray_verify, score_all

TASKS = 200_000
COMPLETIONS = 400_000


def seconds(work: Callable[[], object]) -> float:
    """The best of two, the first of which starts Ray's workers."""
    found = []
    for _ in range(2):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def main(nodes: int) -> None:
    """Prints a line for one process without Ray, and for clusters of 1 to `nodes` nodes."""
    reasonenv.set_num_threads(1)
    mixture = reasonenv.Mixture(["countdown", ("sudoku", 1)])
    tasks = mixture.batch(0, 1000).repeat(COMPLETIONS // 1000)
    problems, texts = [item(task).problem for task in tasks], [task.wrap("1 + 1") for task in tasks]

    def write() -> None:
        with tempfile.TemporaryFile("w") as file:
            for at in range(0, TASKS, 10_000):
                file.write(mixture.batch(at, 10_000).to_jsonl())

    made, judged = seconds(write), seconds(lambda: score_all(texts, problems))
    print("| | tasks written/s | completions judged/s |\n| --- | --- | --- |")
    print(f"| no Ray, one thread | {TASKS / made:,.0f} | {COMPLETIONS / judged:,.0f} |")
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

        made = seconds(spread)
        pool = ray_verify.VerifierPool(count)
        judged = seconds(lambda pool=pool: pool.score(texts, problems))  # type: ignore[misc]
        pool.close()
        name = f"{count} node{'s' * (count > 1)}"
        print(f"| {name} | {TASKS / made:,.0f} | {COMPLETIONS / judged:,.0f} |", flush=True)
        package.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
