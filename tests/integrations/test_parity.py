"""Every adapter plays the same tasks as the rollout loop, with equal messages, rewards and ends."""

import pytest
from drivers import by_conversation, driver
from parity import KINDS, check

ADAPTERS = (
    "gem",
    "inspect",
    "openenv",
    "openrlhf_agent",
    "server",
    "skyrl",
    "tinker",
    "trl",
    "verifiers",
    "verifiers_v0",
    "verl_agent",
)


def test_a_conversation_is_the_rollout_of_the_loop() -> None:
    assert check(by_conversation) == 100


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_plays_and_pays_as_the_loop_does(adapter: str, kind: str) -> None:
    with driver(adapter) as play:
        check(play, [kind], 6)
