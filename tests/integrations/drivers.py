"""Drives each adapter as its package does: with stand-ins, or with the packages themselves."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from parity import Play, Played, Says
from reasonenv.integrations import Conversation, gem, openrlhf, trl
from reasonenv.integrations._items import pay_all
from reasonenv.integrations._setup import chat

JSON = {"content-type": "application/json"}


def assistant(text: Any) -> dict[str, Any]:
    return dict(text) if isinstance(text, Mapping) else {"role": "assistant", "content": text}


def by_conversation(_: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
    talk = Conversation(row["problem"])
    while not talk.is_over:
        talk.say(says(talk.messages))
    return Played.of(talk.messages, talk.reward)


def by_gem(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
    env = gem.make(**settings)
    seen, info = env.reset(options={"index": int(row["index"])})
    messages: list[Any] = [{"role": "system", "content": info["system"]}] if "system" in info else []
    total, over = 0.0, False
    while not over:
        messages.append({"role": "user", "content": seen})
        messages.append(assistant(said := says(messages)))
        seen, reward, terminated, truncated, info = env.step(said)
        total, over = total + reward, terminated or truncated
    return Played.of(messages, total)


def by_server(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
    """Over HTTP, with the application in this process."""
    from fastapi.testclient import TestClient  # noqa: PLC0415
    from reasonenv import serve  # noqa: PLC0415

    with TestClient(serve.create_app(), base_url="http://127.0.0.1") as client:
        asked = {
            "env": "reasonenv/Conversation",
            "kwargs": settings,
            "options": {"index": int(row["index"])},
        }
        told = client.post("/v1/sessions", json=asked).json()
        assert "info" in told, told
        messages: list[Any] = []
        if "system" in told["info"]:
            messages.append({"role": "system", "content": told["info"]["system"]})
        session, total, over = told["session"], 0.0, False
        while not over:
            messages.append({"role": "user", "content": told["observation"]})
            messages.append(assistant(said := says(messages)))
            body = {"action": said}
            told = client.post(f"/v1/sessions/{session}/step", content=json.dumps(body), headers=JSON).json()
            total, over = total + told["reward"], told["terminated"] or told["truncated"]
    return Played.of(messages, total)


def openenv_play(module: Any) -> Play:
    def play(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        env = module.TextEnvironment(**settings)
        seen = env.reset(index=int(row["index"]), split=settings.get("split", "train"))
        system = seen.metadata.get("system")
        messages: list[Any] = [] if system is None else [{"role": "system", "content": system}]
        total = 0.0
        while not seen.done:
            messages.append({"role": "user", "content": seen.prompt})
            messages.append(assistant(says(messages)))
            action = module.TextAction.model_construct(text=messages[-1]["content"])
            seen = env.step(action)
            total += seen.reward
        return Played.of(messages, total)

    return play


def skyrl_play(module: Any, made: Callable[[Any], Any]) -> Play:
    def play(_: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        (theirs,) = module.skyrl_rows([row])
        env, messages, total, done = made(theirs), list(theirs["prompt"]), 0.0, False
        while not done:
            messages.append(assistant(says(messages)))
            step = env.step(messages[-1]["content"])
            messages += step["observations"]
            total, done = total + step["reward"], step["done"]
        return Played.of(messages, total)

    return play


def openrlhf_play(module: Any) -> Play:
    """By the executor, also for one turn; `reward_func` is compared in its own test."""

    def play(_: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        (theirs,) = openrlhf.openrlhf_rows([row])
        agent = module.executor("[{reply}]")().instance()
        messages: list[Any] = chat(row)
        opening = theirs["input"]
        assert (opening if isinstance(opening, list) else [{"role": "user", "content": opening}]) == messages

        async def run() -> float:
            await agent.reset({"observation": "", "label": theirs["label"]})
            total, done = 0.0, False
            while not done:
                messages.append(assistant(says(messages)))
                told = await agent.step({"action_text": messages[-1]["content"]})
                total, done = total + told["rewards"].item(), told["done"]
                if not done:
                    messages.append({"role": "user", "content": told["environment_feedback"][1:-1]})
            return total

        return Played.of(messages, asyncio.run(run()))

    return play


def verl_play(module: Any) -> Play:
    """By the agent loop, also for one turn; `compute_score` is compared in its own test."""
    from reasonenv.integrations import verl  # noqa: PLC0415

    def play(_: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        (theirs,) = verl.verl_rows([row])

        class Loop(module.ConversationLoop):  # type: ignore[misc]
            messages: Any = theirs["prompt"]

            async def generate(self, request_id: str, prompt_ids: list[int], **given: Any) -> Any:
                text = says(self.messages)
                self.messages = [*self.messages, assistant(text)]
                self.says = iter([text])
                return await super().generate(request_id, prompt_ids, **given)

            async def ct_merge_context_msg(self, before: Any, after: Any, *rest: Any) -> Any:
                assert before == self.messages
                self.messages = after
                return await super().ct_merge_context_msg(before, after, *rest)

        async def run() -> Any:
            loop = Loop([], 10_000_000)
            return loop, await loop.run({}, raw_prompt=theirs["prompt"], **theirs)

        loop, output = asyncio.run(run())
        said = [one["content"] for one in loop.messages if one["role"] == "assistant"]
        pairs = zip(output.response_ids, output.response_mask, strict=True)
        assert "".join(chr(one) for one, mine in pairs if mine) == "".join(said)
        return Played.of(loop.messages, output.reward_score)

    return play


def tinker_play(module: Any) -> Play:
    def play(_: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        async def run() -> Played:
            env = module.ConversationEnv(row["problem"])
            messages, total, done = await env.initial_observation(), 0.0, False
            while not done:
                result = await env.step(assistant(says(messages)))
                messages, total, done = result.next_messages, total + result.reward, result.episode_done
            return Played.of(messages, total)

        return asyncio.run(run())

    return play


def verifiers_play(module: Any, agent_of: Callable[[Says], Any]) -> Play:
    def play(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        fields = set(module.ReasonEnvConfig.model_fields)
        options = {name: one for name, one in settings.items() if name not in fields}
        named = {name: one for name, one in settings.items() if name in fields}
        config = module.ReasonEnvConfig(**named, options=options)
        tasks = module.ReasonEnvTaskset(config).load()
        task = next(one for one in tasks if one.key == row["task_id"])
        agent = agent_of(says)
        asyncio.run(module.ReasonEnvEnv.run(None, task, SimpleNamespace(agent=agent)))
        return Played.of(agent.messages, asyncio.run(task.reward(agent.trace)))

    return play


def verifiers_v0_play(module: Any) -> Play:
    def play(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        env = module.load_environment(**settings, n=int(row["index"]) + 1, eval_n=1)
        messages, reward = asyncio.run(env.rollout(env.dataset[int(row["index"])], says))
        return Played.of(messages, reward)

    return play


def inspect_play(module: Any, solved: Callable[..., Any]) -> Play:
    def play(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        named = dict(settings) if "tic_tac_toe" in settings.values() else {"split": "train"} | settings
        task = module.tasks(n=int(row["index"]) + 1, **named)
        sample = task.dataset[int(row["index"])]
        assert sample.id == row["task_id"]

        def speaks(messages: Any) -> Any:
            return says([{"role": one.role, "content": one.text} for one in messages])

        done, score = solved(task, sample, speaks)
        return Played.of([{"role": one.role, "content": one.text} for one in done.messages], score.value)

    return play


def ray_play(module: Any) -> Play:
    """Rows that workers make, and one verification of their completions, as `ray_verify.score` does it."""

    def play(settings: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
        ask = {name: value for name, value in settings.items() if name != "source"}
        made = module._Shards.of(settings["source"], int(row["index"]) + 1, 1, 1.0, ask)
        (theirs,) = made.rows(int(row["index"]), int(row["index"]) + 1)
        messages = chat(theirs)
        text = says(messages)
        _, (reward,) = pay_all([text], [theirs["problem"]])
        return Played.of([*messages, assistant(text)], reward)

    return play


def by_trl(_: dict[str, Any], row: dict[str, Any], says: Says) -> Played:
    """The transcript of a rollout, paid by the reward function."""
    talk = Conversation(row["problem"])
    while not talk.is_over:
        talk.say(says(talk.messages))
    (theirs,) = trl.as_messages([row])
    opening, messages = len(theirs["prompt"]), talk.messages
    assert messages[:opening] == theirs["prompt"]
    (reward,) = trl.VerdictReward()([messages[opening:]], problem=[theirs["problem"]])
    assert reward is not None
    return Played.of(messages, reward)


@contextmanager
def driver(name: str) -> Iterator[Play]:
    """A way through an adapter, with a stand-in for its package."""
    import fakes  # noqa: PLC0415  what follows is there in `make test` alone
    import test_inspect  # noqa: PLC0415
    import test_openenv  # noqa: PLC0415
    import test_openrlhf  # noqa: PLC0415
    import test_ray  # noqa: PLC0415
    import test_skyrl  # noqa: PLC0415
    import test_tinker  # noqa: PLC0415
    import test_verifiers_taskset as of_verifiers  # noqa: PLC0415
    import test_verl  # noqa: PLC0415

    def skyrl_made(module: Any, row: dict[str, Any]) -> Any:
        module.register()
        return test_skyrl.made(module, row)

    plain: dict[str, Play] = {"gem": by_gem, "server": by_server, "trl": by_trl}
    made: dict[str, tuple[Any, Callable[[Any], Play]]] = {
        "inspect": (test_inspect.FAKE, lambda module: inspect_play(module, test_inspect.played)),
        "openenv": (test_openenv.FAKE, openenv_play),
        "openrlhf_agent": (test_openrlhf.FAKE, openrlhf_play),
        "ray": (test_ray.FAKE, ray_play),
        "skyrl": (test_skyrl.FAKE, lambda module: skyrl_play(module, lambda row: skyrl_made(module, row))),
        "tinker": (test_tinker.FAKE, tinker_play),
        "verifiers": (
            {"verifiers.v1": of_verifiers.V1},
            lambda module: verifiers_play(module, of_verifiers.Agent),
        ),
        "verifiers_v0": (of_verifiers.V0, verifiers_v0_play),
        "verl_agent": (test_verl.FAKE, verl_play),
    }
    if name in plain:
        yield plain[name]
        return
    fake, play = made[name]
    with fakes.adapter(name, fake) as module:
        yield play(module)
