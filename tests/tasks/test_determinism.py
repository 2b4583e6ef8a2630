"""The core draws what docs/determinism.md specifies, compared with a second implementation."""

import functools
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv.envs import env_id
from reasonenv.types import OpponentName, SplitName
from twin import EpisodeDraws, Stream, derive, falls, fingerprint, key, scaled, siphash, splitmix64

GOLDEN = Path(__file__).parents[1] / "golden"
VECTORS: dict[str, list[dict[str, Any]]] = json.loads((GOLDEN / "rng.json").read_text())


def _key(vector: dict[str, Any]) -> bytes:
    return key(*(vector[name] for name in ("unit", "version", "split", "seed", "canonical")))


@pytest.mark.parametrize("vector", VECTORS["streams"], ids=lambda v: f"{v['unit']}-{v['index']}")
def test_keys_words_and_draws_match_the_published_vectors(vector: dict[str, Any]) -> None:
    own = _key(vector)
    assert own.hex() == vector["key"]
    assert derive(own, "style").hex() == vector["aside_style"]
    words = Stream(own, vector["index"])
    assert [f"{words.word():016x}" for _ in vector["words"]] == vector["words"]
    draws = Stream(own, vector["index"])
    for draw in vector["draws"]:
        given = {name: value for name, value in draw.items() if name not in ("draw", "yields")}
        method = {"int": "int_"}.get(draw["draw"], draw["draw"])
        drawn = getattr(draws, method)(**given)
        assert (f"{drawn:016x}" if draw["draw"] == "word" else drawn) == draw["yields"], draw


@pytest.mark.parametrize("vector", VECTORS["fingerprints"], ids=lambda v: v["instance"])
def test_fingerprints_and_splits_match_the_published_vectors(vector: dict[str, Any]) -> None:
    family = "chain_sum"
    assert fingerprint(family, vector["instance"].encode()) == (vector["key"], vector["split"])


CHAINS = [
    ({"plain": True, "small_steps": True, "terms": 2}, 2, 1),
    ({"small_steps": True, "terms": 2}, 2, 1),
    ({"terms": 2}, 2, 2),
    ({}, 3, 2),
]
"""By level: the params that differ from their defaults, the terms, and the digits of all but the first."""


@pytest.mark.parametrize("level", range(len(CHAINS)))
@pytest.mark.parametrize("split", ["train", "eval", "test"])
def test_the_twin_generates_whole_items(split: SplitName, level: int) -> None:
    # The simplest family, generated again from the specification: draws, redraws for the split, style.
    family = reasonenv.family("chain_sum")
    source = family.source(seed=5, level=level, split=split)
    shown = [name for name in family.templates if split != "train" or name not in family.held_out_templates]
    set_, count, digits = CHAINS[level]
    own = key("chain_sum", 1, split, 5, json.dumps(set_, separators=(",", ":")))
    for index in range(30):
        stream = Stream(own, index)
        while True:
            terms = [stream.int_(10, 99)]
            for _ in range(count - 1):
                number = stream.int_(10 ** (digits - 1), 10**digits - 1)
                terms.append(-number if stream.chance(1, 2) else number)
            problem = json.dumps({"terms": terms}, separators=(",", ":"))
            instance_key, belongs = fingerprint("chain_sum", problem.encode())
            if belongs == split and not ("plain" in set_ and carries(*terms)):
                break
        task = source.task(index)
        assert (task.problem, task.key) == (problem, instance_key)
        wording = Stream(derive(own, "style"), index)
        assert task.style["template"] == shown[wording.below(len(shown))]
        assert task.style["words"] == wording.word() >> 32


def carries(first: int, second: int) -> bool:
    """True if a carry or a borrow occurs: each changes the sum of the digits by nine."""
    before, added, after = (sum(map(int, str(abs(one)))) for one in (first, second, first + second))
    return after != before + (added if second > 0 else -added)


def test_items_are_the_same_in_another_process() -> None:
    code = (
        "import reasonenv, sys\n"
        "for name in reasonenv.list_families():\n"
        "    for task in reasonenv.family(name).batch(seed=3, count=20, level=1):\n"
        "        sys.stdout.write(task.to_json() + '\\n')\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": seed},
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    lines = runs[0].stdout.decode().splitlines()
    assert len(lines) == 20 * len(reasonenv.list_families())
    first = reasonenv.Task.from_json(lines[0])
    assert first == reasonenv.family(first.family).sample(seed=3, index=0, level=1)


def test_siphash_and_splitmix_match_their_published_vectors() -> None:
    # The vectors of SipHash's authors: key 00 01 .. 0f, message 00 01 .. of growing length.
    k0, k1 = 0x0706050403020100, 0x0F0E0D0C0B0A0908
    assert siphash(k0, k1, b"", each=2, last=4) == 0x726FDB47DD0E0E31
    assert siphash(k0, k1, bytes(range(15)), each=2, last=4) == 0xA129CA6149BE45E5
    assert siphash(k0, k1, b"") == 0xABAC0158050FC4DC
    # Of the generator seeded with 1234567.
    assert splitmix64(1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


LINES = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
Board = tuple[frozenset[int], frozenset[int]]


def free(board: Board) -> list[int]:
    return [cell for cell in range(9) if cell not in board[0] | board[1]]


@functools.cache
def worth(board: Board, cell: int) -> int:
    """Value of a move for its player: 1 plus the free cells for a win, the negative for a loss."""
    mover = (len(board[0]) + len(board[1])) % 2
    marks = board[mover] | {cell}
    after = (marks, board[1]) if mover == 0 else (board[0], marks)
    if any(line <= marks for line in LINES):
        return 1 + len(free(after))
    return -max((worth(after, reply) for reply in free(after)), default=0)


def position_key(board: Board) -> int:
    first, second = (sum(1 << cell for cell in marks) for marks in board)
    return first | second << 64


def twin_reply(draws: EpisodeDraws, board: Board, name: str, p: float) -> int:
    mover = (len(board[0]) + len(board[1])) % 2
    coin, any_, tie, _ = draws.words(mover, position_key(board))
    legal = free(board)
    if falls(coin, p):
        return legal[scaled(any_, len(legal))]
    if name == "minimax":
        most = max(worth(board, cell) for cell in legal)
        legal = [cell for cell in legal if worth(board, cell) == most]
    return legal[scaled(tie, len(legal))]


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("name", ["random", "minimax"])
def test_the_twin_replies_as_the_core_does(name: OpponentName, p: float) -> None:
    game = reasonenv.game("tic_tac_toe")
    opponent = game.opponent(name, random_move_prob=p)
    starts = key("tic_tac_toe", game.version, "state", 0, "{}")
    streams = EpisodeDraws.drawn(Stream(derive(starts, "luck"), 0))
    others = random.Random(0)
    for seed in [*range(200), 2**63 - 1, 2**64 - 1]:
        (draws, *_), state = streams.example(seed), game.start(seed)
        board: Board = (frozenset(), frozenset())
        while not state.is_over:
            reply = twin_reply(draws, board, name, p)
            assert opponent(state) == reply, (seed, board)
            # The game continues with that move or another one, to reach all kinds of positions.
            cell = reply if others.random() < 0.5 else others.choice(free(board))
            mover = (len(board[0]) + len(board[1])) % 2
            marks = board[mover] | {cell}
            board = (marks, board[1]) if mover == 0 else (board[0], marks)
            state.apply(cell)


def test_the_twin_poses_the_examples_of_an_environment() -> None:
    low, high, groups = 0.2, 0.7, 4
    env = gymnasium.make(
        env_id("tic_tac_toe"), min_random_move_prob=low, max_random_move_prob=high, num_groups=groups
    )
    version = reasonenv.game("tic_tac_toe").version
    starts = key("tic_tac_toe", version, "state", 0, "{}")
    streams = EpisodeDraws.drawn(Stream(derive(starts, "luck"), 0))
    for seed in range(20):
        word = int(gymnasium.utils.seeding.np_random(seed)[0].integers(2**64, dtype=np.uint64))
        source = EpisodeDraws.drawn(Stream(key("tic_tac_toe", version, "episodes", word, "{}"), 0))
        for episode in range(5):
            _, info = env.reset(seed=seed if episode == 0 else None)
            example = source.words(0, episode)[0] >> 1
            _, side, share = streams.example(example)
            place = ((seed + episode) % groups + (share >> 11) / 2**53) / groups
            told = (info["example"], info["seat"], info["random_move_prob"])
            assert told == (example, side >> 63, low + (high - low) * place)
