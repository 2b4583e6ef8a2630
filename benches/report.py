"""Measures everything in docs/performance.md in one run: generation, verification, threads, latency, games.

`make performance` runs it. Rates are medians of a few rounds on one thread; a peer is measured right after
ours, so that both run under the same conditions. `benches.reasoning_gym_speed` measures that peer.
"""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import pettingzoo
import reasonenv
from reasonenv.pettingzoo import env_id as aec_id

from benches import test_games as of_games
from benches.test_tasks import PEERS, compat_rows, python_compat

FAMILIES = reasonenv.list_families()
LEVEL = 5


def seconds(
    work: Callable[[], object], rounds: int = 5, clock: Callable[[], float] = time.process_time
) -> float:
    """Median processor time of a round, after a warm-up round."""
    work()
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return statistics.median(times)


def rate(count: int, work: Callable[[], object], rounds: int = 5) -> float:
    """Items per second."""
    return count / seconds(work, rounds)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(row) + " |")
    print()


def compact(number: float) -> str:
    """A rate with two significant digits."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.2g} {unit}" if number < 100 * size else f"{number / size:.0f} {unit}"
    return f"{number:.3g}"


def families() -> None:
    """Generation with prompts, and verification of right and wrong answers."""
    rows = []
    for name in FAMILIES:
        level = PEERS.get(name, ("", LEVEL, 0))[1]
        source = reasonenv.family(name).source(level=level)
        generated = rate(1_000, partial(_prompts, source))
        batch = reasonenv.family(name).batch(count=5_000, level=LEVEL)
        right = [task.wrap(task.solution.answer) for task in batch]
        wrong = [task.wrap(task.wrong_answers(seed=1)[0]) for task in batch]
        verified = [rate(5_000, partial(batch.verify, texts)) for texts in (right, wrong)]
        measured = map(compact, [generated, *verified])
        rows.append([f"`{name}`", str(level), *measured])
    table(["family", "level", "items/s", "right answers/s", "wrong answers/s"], rows)


def _prompts(source: reasonenv.Source) -> list[str]:
    return source.batch(0, 1_000).prompts


def compat() -> None:
    """The tree reward against Python's difflib."""
    texts, references = compat_rows()
    ours = seconds(lambda: reasonenv.verifiers.tree_compat(texts, references))
    theirs = seconds(
        lambda: [python_compat(t, reference) for t, reference in zip(texts, references, strict=True)]
    )
    print(f"ascii_tree compat, 30 lines, one line wrong: {compact(len(texts) / ours)} rows/s, ", end="")
    print(f"{theirs / ours:.0f} times Python's difflib ({theirs / len(texts) * 1e6:.0f} µs a row).\n")


def threads() -> None:
    """Two threads against one."""
    rows = []
    for name in FAMILIES:
        source = reasonenv.family(name).source(level=LEVEL)
        batch = source.batch(0, 20_000)
        texts = [f"<{batch[0].answer_tag}>{answer}</{batch[0].answer_tag}>" for answer in batch.answers]
        works: list[Callable[[], object]] = [partial(source.batch, 0, 5_000), partial(batch.verify, texts)]
        ratios = []
        for work in works:
            times = {}
            for count in (1, 2):
                reasonenv.set_num_threads(count)
                times[count] = seconds(work, 7, time.perf_counter)
            ratios.append(f"{times[1] / times[2]:.2f}")
        rows.append([f"`{name}`", *ratios])
    reasonenv.set_num_threads(1)
    table(["family", "generation", "verification"], rows)


def latency() -> None:
    """One item at a time, over every level of two splits."""
    rows = []
    for name in FAMILIES:
        times = []
        for split in ("train", "eval"):
            for level in range(reasonenv.family(name).top_level + 1):
                source = reasonenv.family(name).source(level=level, split=split)
                for index in range(200):
                    start = time.perf_counter()
                    source.task(index)
                    times.append((time.perf_counter() - start) * 1e3)
        times.sort()
        places = [int(share * (len(times) - 1)) for share in (0.5, 0.99, 0.999, 1.0)]
        rows.append([f"`{name}`", *(f"{times[place]:.3f}" for place in places)])
    table(["family", "median ms", "99 %", "99.9 %", "longest"], rows)


def lanes_seconds(lanes: of_games.Lanes, rounds: int = 300) -> float:
    """Median processor time of a step, without the time to choose actions."""
    times = []
    for _ in range(rounds):
        actions = lanes.choose()
        start = time.process_time()
        lanes.step(actions)
        times.append(time.process_time() - start)
    return statistics.median(times)


def games() -> None:
    """Games, one core: PettingZoo moves, steps through the gymnasium.make stack, vector steps, solving."""
    rows = []

    def row(what: str, ours: float, peer: str, theirs: float) -> None:
        rows.append([what, compact(ours), f"{peer}: {compact(theirs)}", f"{ours / theirs:.3g}"])

    for game, (aec, pool) in of_games.PEERS.items():
        pair = []
        for env in (pettingzoo.make("aec", aec_id(game)), of_games.pettingzoo_peer(game)):
            env.reset(seed=0)
            moves = of_games.play(env)
            pair.append(rate(moves, partial(of_games.play, env)))
        row(f"`{game}`, PettingZoo, moves/s", pair[0], f"`{aec}`", pair[1])
        plies = of_games.LANES / lanes_seconds(of_games.self_play_lanes(game))
        row(f"`{game}`, self-play, {of_games.LANES:,} at once, moves/s", plies, f"`{aec}`", pair[1])
        step, peer_step = (lanes_seconds(make(game)) for make in (of_games.our_lanes, of_games.their_lanes))
        lanes = of_games.LANES
        row(f"`{game}`, {lanes:,} at once, env-steps/s", lanes / step, f"EnvPool `{pool}`", lanes / peer_step)
    frozen, *ours = (rate(of_games.STEPS, of_games.steps(name), rounds=15) for name in of_games.SINGLE)
    for name, single in zip(list(of_games.SINGLE)[1:], ours, strict=True):
        row(f"{name}, one at a time, steps/s", single, "`FrozenLake-v1`", frozen)
    gc.collect()  # no env may hold the game that is to be solved
    row(
        "tic-tac-toe solved, 1/s",
        rate(1, of_games.solve, 50),
        "OpenSpiel alpha-beta",
        rate(1, of_games.their_solve, 3),
    )
    table(["what", "rate", "peer", "ratio"], rows)


if __name__ == "__main__":
    reasonenv.set_num_threads(1)
    for part in (families, compat, threads, latency, games):
        print(f"## {part.__doc__}\n")
        part()
