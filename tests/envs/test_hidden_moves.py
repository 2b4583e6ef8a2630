"""Nothing that a player is given depends on what is hidden from it: cards, dice and bids of the opponent."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import reasonenv
from game_envs import legal, make

HIDDEN = [name for name in reasonenv.list_games() if reasonenv.game(name).has_hidden_information]


def hidden_ply(game: str, moves: list[int], player: int) -> int | None:
    """Ply of the one move that the player to move does not know."""
    if game != "goofspiel":
        return 1 - player  # the deal or roll of the other, as chance deals to the first player first
    return len(moves) - 1 if player == 1 else None


def given(env: Any, observation: Any, info: dict[str, Any]) -> tuple[Any, ...]:
    """Everything that reaches the learner, but for the number that seeds the episode."""
    facts = info | env.unwrapped.episode_info
    told = {key: value for key, value in facts.items() if key not in {"example", "episode_index"}}
    return str(told), observation.tobytes(), env.render().tobytes()


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("game", HIDDEN)
def test_what_is_given_does_not_depend_on_what_is_hidden(game: str, opponent: str) -> None:
    env = make(game, opponent=opponent, text=True, render_mode="rgb_array")
    rng = np.random.default_rng(0)
    hidden, seen = defaultdict(set), defaultdict(set)
    for seed in range(200):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            player, moves = env.state.current_player, list(env.state.moves)
            assert player is not None
            ply = hidden_ply(game, moves, player)
            if ply is not None:
                move, moves[ply] = moves[ply], -1
                known = player, tuple(moves)
                hidden[known].add(move)
                seen[known].add(given(env, observation, info))
            observation, _, over, _, info = env.step(legal(info["action_mask"], rng))
    for known, views in seen.items():
        assert len(views) == 1, (known, [told for told, _, _ in views])
    assert sum(len(moves) > 1 for moves in hidden.values()) >= 5
