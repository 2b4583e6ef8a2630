"""Calls that an editor must underline: mypy checks that each `type: ignore` is needed. Nothing runs this."""

from typing import Any, assert_type

import gymnasium
import reasonenv
from reasonenv import pettingzoo, types, verifiers
from reasonenv.envs import GameVectorEnv, make, make_vec

# Correct calls pass.
assert_type(reasonenv.family("chain_sum"), reasonenv.Family[types.ChainSumParams])
reasonenv.family("chain_sum").sample(level=2, params={"terms": 3})
reasonenv.game("nim", {"heaps": 4})
make("reasonenv/ChainSum-v1", level=2, params={"terms": 3}, reward="partial", render_mode="ansi")
assert_type(
    make_vec("reasonenv/ChainSum-v1", 8, autoreset_mode="SameStep"), gymnasium.vector.VectorEnv[Any, Any, Any]
)
make("reasonenv/Sudoku-v1", mode="moves", illegal="penalty", level=1)
assert_type(make_vec("reasonenv/Nim-v1", 8, opponent="random", params={"heaps": 4}), GameVectorEnv)
reasonenv.evaluate("chain_sum", ["oracle"], reading="strict", split="test")
for name in reasonenv.list_families():
    reasonenv.family(name).sample(params={"anything": 1})

# Names that come from elsewhere, a plugin's or a command line's, take any params.
reasonenv.family(input()).sample(params={"anything": 1})
reasonenv.game(input(), {"anything": 1})

# Names.
make("reasonenv/ChainSums-v1")  # type: ignore[call-overload]
make_vec("reasonenv/Nimm-v1", 8)  # type: ignore[call-overload]
verifiers.exact_match(reading="strct")  # type: ignore[arg-type]
reasonenv.evaluate("chan_sum")  # type: ignore[arg-type]
reasonenv.family("chain_sum").sample(split="trian")  # type: ignore[arg-type]
reasonenv.family("chain_sum").sample().verify("", "strct")  # type: ignore[arg-type]
reasonenv.game("nim").opponent("minmax")  # type: ignore[arg-type]

# Keywords of Gymnasium ids.
make("reasonenv/ChainSum-v1", levle=2)  # type: ignore[call-overload]
make("reasonenv/ChainSum-v1", reward="passd")  # type: ignore[call-overload]
make("reasonenv/ChainSum-v1", opponent="random")  # type: ignore[call-overload]
make("reasonenv/Nim-v1", oponent="random")  # type: ignore[call-overload]
make("reasonenv/Nim-v1", opponent="randm")  # type: ignore[call-overload]
make_vec("reasonenv/Nim-v1", 8, autoreset_mode="Same")  # type: ignore[call-overload]

# PettingZoo's modules.
pettingzoo.nim_v1.env(heaps=4, illegal="retry")
pettingzoo.nim_v1.env(params={"heaps": 4})
pettingzoo.nimm_v1.env()  # type: ignore[attr-defined]
pettingzoo.nim_v1.env(heapz=4)  # type: ignore[call-arg]
pettingzoo.nim_v1.env(params={"heapz": 4})  # type: ignore[arg-type]
pettingzoo.nim_v1.env(illegal="retri")  # type: ignore[arg-type]

# Params, of which each unit has its own.
reasonenv.family("chain_sum").sample(params={"termz": 3})  # type: ignore[arg-type]
reasonenv.family("chain_sum").batch(params={"terms": "3"})  # type: ignore[arg-type]
make("reasonenv/ChainSum-v1", params={"termz": 3})  # type: ignore[call-overload]
make("reasonenv/Nim-v1", params={"terms": 3})  # type: ignore[call-overload]
