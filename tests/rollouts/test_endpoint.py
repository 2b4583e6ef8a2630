"""Models behind an endpoint: a real server with good and bad replies."""

import asyncio
import json
import math
import re
import socket
import sys
import time
from concurrent.futures import CancelledError
from dataclasses import fields
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from chat_server import Reply, answer, serving
from cli_calls import call
from reasonenv.errors import InvalidArgument
from reasonenv.rewards import groups
from reasonenv.rollouts import Completion, Progress, Record, Sampling, Saving, Summary, evaluate, rollout

pytest.importorskip("openai", reason="needs the `openai` extra")

import openai
from reasonenv.rollouts._asking import Pump
from reasonenv.rollouts._endpoint import Endpoint
from reasonenv.rollouts._retries import EndpointError, Retries

TASKS = reasonenv.family("chain_sum").batch(count=6, level=1, split="eval")
RIGHT = {task.prompt: task.wrap(task.solution.answer) for task in TASKS}


def solve(body: dict[str, Any], _before: int) -> Reply:
    return answer(RIGHT[body["messages"][-1]["content"]])


def endpoint(url: str, **more: Any) -> Endpoint:
    waits = {"backoff": 0.001, "max_retries": 2, "timeout": 10}
    waits |= {field.name: more.pop(field.name) for field in fields(Retries) if field.name in more}
    return Endpoint("m", base_url=url, **({"api_key": "secret", "retries": waits} | more))


def test_a_model_is_asked_as_it_should_be_and_its_tokens_are_counted() -> None:
    with serving(solve) as server:
        policy = endpoint(
            server.url,
            system="Be brief.",
            temperature=0.7,
            top_p=0.9,
            max_tokens=64,
            stop="END",
            extra={"k": 3},
        )
        result = rollout(TASKS, policy, group_size=2, seed=4)
    assert result.passed.all()
    assert [one.task_id for one in result] == [named for named in TASKS.ids for _ in range(2)]
    one = result[0]
    assert (one.policy, one.usage) == ("openai:m", {"prompt_tokens": 11, "completion_tokens": 7})
    assert one.policy_version is not None
    assert one.policy_version.startswith("m#")
    assert one.seconds > 0
    body = server.requests[0]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    fields = {"model": "m", "temperature": 0.7, "top_p": 0.9, "max_tokens": 64, "stop": ["END"], "k": 3}
    assert {name: body[name] for name in fields} == fields
    assert {header["authorization"] for header in server.headers} == {"Bearer secret"}


def test_order_does_not_depend_on_who_answers_first_nor_on_concurrency() -> None:
    def uneven(body: dict[str, Any], before: int) -> Reply:
        time.sleep(0.002 * (len(body["messages"][-1]["content"]) % 7))
        return solve(body, before)

    found = []
    for concurrency in (1, 3, 16):
        with serving(uneven) as server:
            result = rollout(
                TASKS, endpoint(server.url), group_size=4, sampling=Sampling(concurrency=concurrency)
            )
        assert server.most_at_once <= concurrency
        found.append([(one.task_id, one.rollout, one.text) for one in result])
    assert found[0] == found[1] == found[2]


def test_many_requests_are_under_way_at_once() -> None:
    with serving(solve, delay=0.5) as server:
        before = time.monotonic()
        rollout(TASKS, endpoint(server.url), group_size=4, sampling=Sampling(concurrency=24))
        assert time.monotonic() - before < 0.5 * 24
    assert server.most_at_once > 4


@pytest.mark.parametrize(
    "first",
    [500, 503, 429, 408, "cut", "close", b"no json", b'{"choices": []}', b'{"choices": [{}]}', b"[1, 2]"],
)
def test_what_fails_once_is_tried_again(first: Any) -> None:
    def script(body: dict[str, Any], before: int) -> Reply:
        return first if before == 0 else solve(body, before)

    with serving(script) as server:
        result = rollout(TASKS[:2], endpoint(server.url), group_size=1)
    assert result.passed.all()
    assert len(server.requests) == 4
    assert not result.errors


def test_a_slow_endpoint_runs_out_of_time() -> None:
    with serving(lambda _body, _before: "hang") as server:
        result = rollout(TASKS[:1], endpoint(server.url, timeout=0.1, max_retries=1), group_size=1)
    assert [one.error for one in result] == ["no reply within 0.1 s"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (500, "HTTP 500: .*this is status 500"),
        (400, "HTTP 400: .*this is status 400"),
        ("cut", "the connection failed: RemoteProtocolError"),
        ("close", "the connection failed: RemoteProtocolError"),
        (b"no json", "the reply is malformed: "),
        (b'{"choices": []}', "the reply is malformed: it has no message"),
        (answer(None, finish="content_filter"), "the endpoint's filter withheld the answer"),
    ],
)
def test_a_failure_is_recorded_as_such_and_never_as_a_wrong_answer(
    reply: Any, said: str, tmp_path: Path
) -> None:
    bad = TASKS[1].prompt

    def script(body: dict[str, Any], before: int) -> Reply:
        return reply if body["messages"][-1]["content"] == bad else solve(body, before)

    with serving(script) as server:
        policy = endpoint(server.url)
        result = rollout(TASKS[:3], policy, group_size=2, saving=tmp_path)
    assert len(result.errors) == 2
    for one in result.errors:
        assert one.task_id == TASKS[1].id
        assert (one.verdict, one.reward, one.advantage, one.passed) == (None, None, None, None)
        assert re.match(said, one.error or "")
    assert result.mask.tolist() == [[True, True], [False, False], [True, True]]
    assert (
        np.isnan(result.rewards).tolist() == np.isnan(result.advantages).tolist() == (~result.mask).tolist()
    )
    assert result.passed.tolist() == [[True, True], [None, None], [True, True]]
    assert result.passed.mean() == result.rewards[result.mask].mean() == 1
    assert groups.mixed_passes(result.passed).tolist() == [False] * 3
    assert groups.advantages(result.rewards, mask=result.mask).tolist() == [[0, 0]] * 3
    (row,) = result.summary
    assert (row.passed, row.failed, row.errors, row.pass_rate, row.items) == (4, 0, 2, 1.0, 3)
    assert (row.flat_reward, row.all_passed) == (1, 1)
    assert not (tmp_path / "summary.json").exists()
    asked = len(server.requests)

    with serving(solve) as server:  # the endpoint has recovered
        policy.base_url = server.url
        policy = endpoint(server.url)
        again = rollout(TASKS[:3], policy, group_size=2, saving=tmp_path)
        assert len(server.requests) == 2
    assert asked >= 6
    assert again.passed.all()
    assert not again.errors
    lines = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert len(lines) == 6
    assert {(line["group_id"], line["rollout"]) for line in lines} == {
        (named, k) for named in TASKS.ids[:3] for k in (0, 1)
    }
    assert Summary.load(tmp_path)[0].errors == 0
    assert [one.to_dict() for one in rollout(TASKS[:3], policy, group_size=2, saving=tmp_path)] == [
        one.to_dict() for one in again
    ]


def test_an_endpoint_that_never_answers_has_no_rate(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    result = rollout(TASKS[:2], endpoint(url), group_size=2)
    assert math.isnan(result.rewards.mean())
    assert np.ma.getmaskarray(result.passed).all()
    (row,) = result.summary
    rates = (row.pass_rate, row.mean_score, row.mean_reward, row.mixed_passes, row.flat_reward)
    assert all(map(math.isnan, rates))
    record = json.loads(json.dumps(result.summary.to_dict(), allow_nan=False))
    assert (record["rows"][0]["pass_rate"], record["rows"][0]["mean_score"]) == (None, None)
    assert math.isnan(Summary.from_dict(record)[0].pass_rate)
    (told,) = caplog.records
    assert "the endpoint of `openai:m` failed: the connection failed" in told.getMessage()

    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setattr(Endpoint, "_wait", lambda *_: 0.001)
    ask = ("eval", "chain_sum", "--policy", "openai:m", "-n", 3)
    shown = call(*ask)
    assert shown.exit_code == 1
    assert re.search(r"chain_sum +openai:m +– +– ", shown.stdout)
    assert "3 of 3 rollouts have no answer, as the endpoint failed" in shown.stderr
    shown = call(*ask, "--json")
    assert shown.exit_code == 1
    assert json.loads(shown.stdout)["rows"][0]["pass_rate"] is None
    file = tmp_path / "run.yaml"
    file.write_text("generator: {name: chain_sum, n: 2}\npolicy: 'openai:m'\ngroup_size: 2\n")
    assert call("run", file, "--run", tmp_path / "run").exit_code == 1


def test_groups_with_a_failed_rollout_get_their_advantages_anew(tmp_path: Path) -> None:
    def script(ok: bool) -> Any:
        def reply(body: dict[str, Any], _before: int) -> Reply:
            # The rollout shows in the seed that is sent.
            k = body["seed"]
            return (
                500
                if k == 2 and not ok
                else answer("no" if k == 0 else RIGHT[body["messages"][-1]["content"]])
            )

        return reply

    with serving(script(False)) as server:
        first = rollout(TASKS[:1], endpoint(server.url, seed=0, max_retries=0), group_size=3, saving=tmp_path)
    assert first.mask.tolist() == [[True, True, False]]
    assert first.advantages[0, 0] == pytest.approx(-first.advantages[0, 1])
    with serving(script(True)) as server:
        then = rollout(TASKS[:1], endpoint(server.url, seed=0, max_retries=0), group_size=3, saving=tmp_path)
        assert len(server.requests) == 1
    assert then.rewards.tolist() == [[0, 1, 1]]
    written = [one.advantage for one in Record.load(tmp_path)]
    assert written == pytest.approx(reasonenv.rewards.advantages([0, 1, 1]).tolist())


def test_an_endpoint_that_is_down_stops_the_loop_and_keeps_what_is_there(tmp_path: Path) -> None:
    def script(body: dict[str, Any], before: int) -> Reply:
        return solve(body, before) if body["messages"][-1]["content"] == TASKS[0].prompt else 500

    with serving(script) as server:
        policy = endpoint(server.url, max_retries=0, max_failures=3)
        with pytest.raises(EndpointError, match="gave no answer to 3 rollouts in a row: HTTP 500"):
            rollout(TASKS, policy, group_size=2, sampling=Sampling(concurrency=1), saving=tmp_path)
    with serving(solve) as server:
        rollout(TASKS, endpoint(server.url, max_retries=0), group_size=2, saving=tmp_path)
        assert len(server.requests) == 10  # the two answers that came are not asked for again


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "give the key that it takes"),
        (404, "check `base_url`, which usually ends"),
    ],
)
def test_what_every_request_would_be_refused_is_an_error_at_once(status: int, said: str) -> None:
    with serving(lambda _body, _before: status) as server, pytest.raises(EndpointError, match=said):
        rollout(TASKS, endpoint(server.url), group_size=2, sampling=Sampling(concurrency=1))
    assert len(server.requests) == 1


def test_nobody_at_the_address_is_a_failure_of_the_endpoint() -> None:
    policy = endpoint("http://127.0.0.1:9/v1", max_retries=0, max_failures=2)
    with pytest.raises(EndpointError, match=r"in a row: the connection failed: .*; check it"):
        rollout(TASKS, policy, group_size=1)


def test_a_text_that_was_cut_off_is_kept_apart_from_failure() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        k = int(body["seed"])
        text = RIGHT[body["messages"][-1]["content"]]
        replies: list[Reply] = [answer("I was just", finish="length"), answer("no"), answer(text)]
        return replies[k]

    with serving(script) as server:
        policy = endpoint(server.url, seed=0)
        plain = rollout(TASKS[:1], policy, group_size=3)
        filtered = rollout(TASKS[:1], policy, group_size=3, sampling=Sampling(filter_overlong=True))
    assert plain.truncated.tolist() == [[True, False, False]]
    assert plain.advantages[0, 0] < 0
    assert filtered.advantages[0, 0] == 0
    assert filtered.advantages[0, 1] == pytest.approx(-filtered.advantages[0, 2])


def test_reasoning_that_comes_apart_and_refusals_are_answers() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        text = RIGHT[body["messages"][-1]["content"]]
        replies: list[Reply] = [
            answer(text, reasoning_content="First I add."),
            answer(None, refusal="I will not."),
            answer(None),
            answer(None, finish="length", reasoning_content="Still thinking"),
        ]
        return replies[int(body["seed"])]

    with serving(script) as server:
        thought, refused, silent, cut = rollout(TASKS[:1], endpoint(server.url, seed=0), group_size=4)
    assert (thought.passed, thought.reasoning) == (True, "First I add.")
    assert (refused.passed, refused.text) == (False, "I will not.")
    assert (silent.passed, silent.text, silent.error) == (False, "", None)
    assert (cut.truncated, cut.reasoning, cut.error) == (True, "Still thinking", None)


def test_a_reward_in_tokens_reads_what_the_endpoint_counts() -> None:
    reward = reasonenv.rewards.Reward.shaped(length=0.1, length_unit="tokens", length_per=7)
    with serving(solve) as server:
        assert rollout(TASKS[:2], endpoint(server.url), group_size=1, reward=reward).rewards.tolist() == [
            [0.9],
            [0.9],
        ]
    with pytest.raises(InvalidArgument, match="in tokens, and policy `oracle` counts none"):
        rollout(TASKS, "oracle", reward=reward)


def test_conversations_of_many_turns_are_sent_whole() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        last = body["messages"][-1]["content"]
        open_ = last.split("Available positions: [")[1].split("]")[0].split(", ")
        return answer(f"<move>{open_[0]}</move>")

    with serving(script) as server:
        result = rollout(
            lambda: gymnasium.make("reasonenv/TicTacToe-v1", mode="text", opponent="random"),
            endpoint(server.url, system="Win."),
            n=4,
            group_size=2,
            sampling=Sampling(concurrency=3),
        )
    assert len(result) == 8
    longest = max(server.requests, key=lambda body: len(body["messages"]))["messages"]
    roles = [message["role"] for message in longest]
    assert roles[:2] == ["system", "system"]
    assert roles[2:] == ["user", "assistant"] * ((len(roles) - 3) // 2) + ["user"]
    assert all(one.usage and one.usage["completion_tokens"] == 7 * len(one.turns) for one in result)


def test_progress_is_told_of_each_answer_and_policies_mix() -> None:
    seen: list[Progress] = []
    with serving(solve) as server:
        summary = evaluate(
            TASKS,
            {"model": endpoint(server.url), "known": "oracle"},
            group_size=2,
            saving=Saving(on_progress=seen.append),
        )
    assert [row.pass_rate for row in summary] == [1, 1]
    assert (seen[-1].done, seen[-1].total) == (24, 24)
    assert len([now for now in seen if now.policy == "model"]) >= 12


def test_a_name_is_enough_where_the_environment_says_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(solve) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "of the environment")
        (row,) = evaluate(TASKS, "openai:some/model:free")
    assert row.pass_rate == 1
    assert row.policy == "openai:some/model:free"
    assert server.requests[0]["model"] == "some/model:free"
    assert server.headers[0]["authorization"] == "Bearer of the environment"
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(EndpointError, match="has no key; set OPENAI_API_KEY or give `api_key`"):
        evaluate(TASKS, "openai:m")


def test_a_coroutine_function_is_a_policy_too_also_within_a_running_loop() -> None:
    async def policy(context: Any, rollout: int) -> str | Completion:
        await asyncio.sleep(0)
        return RIGHT[context.prompt] if rollout else Completion("no", usage={"completion_tokens": 1})

    async def notebook() -> Any:
        return rollout(TASKS, policy, group_size=2)

    result = asyncio.run(notebook())
    assert result.passed.tolist() == [[False, True]] * 6
    assert result[0].usage == {"completion_tokens": 1}


def test_nothing_runs_when_all_work_is_told() -> None:
    async def work() -> int:
        return 1

    with Pump() as pump:
        for _ in range(200):
            told: list[int] = []
            pump.each([work] * 8, 8, lambda _, one: told.append(one))  # noqa: B023, called within the loop
            assert len(told) == 8
            assert asyncio.all_tasks(pump._loop) == set()


def test_a_policy_that_is_cancelled_ends_the_loop() -> None:
    async def cancelled(_context: Any, _rollout: int) -> str:
        raise asyncio.CancelledError

    with pytest.raises(CancelledError):
        rollout(TASKS, cancelled, group_size=2)


def test_an_error_of_a_coroutine_comes_out_as_it_is_and_nothing_is_lost(tmp_path: Path) -> None:
    asked: list[str] = []

    def policy(fails: bool) -> Any:
        async def answering(context: Any, _rollout: int) -> str:
            asked.append(context.id)
            await asyncio.sleep(0.001 * len(asked))
            if fails and len(asked) > 7:
                raise ZeroDivisionError(context.id)
            return RIGHT[context.prompt]

        return answering

    with pytest.raises(ZeroDivisionError):
        rollout(TASKS, {"p": policy(True)}, group_size=2, sampling=Sampling(concurrency=2), saving=tmp_path)
    held = (tmp_path / "pending.jsonl").read_text().count("\n")
    assert 6 <= held <= 7
    asked.clear()
    result = rollout(TASKS, {"p": policy(False)}, group_size=2, saving=tmp_path)
    assert len(asked) == 12 - held
    assert result.passed.all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Endpoint(""), "`model` is empty"),
        (lambda: Endpoint("m", temperature=-1), "`temperature` is -1, but must be a number of at least 0"),
        (lambda: Endpoint("m", max_tokens=0), "`max_tokens` is 0"),
        (lambda: Endpoint("m", stop=[3]), "`stop` has 3"),  # type: ignore[list-item]
        (lambda: Endpoint("m", extra={"messages": []}), "`extra` has `messages`"),
        (lambda: Retries(max_retries=-1), "`max_retries` is -1"),
        (
            lambda: Endpoint("m", retries={"max_retry": 1}),
            "no setting of `retries` `max_retry`",
        ),
        (lambda: rollout(TASKS, "oracle", sampling=Sampling(concurrency=0)), "`concurrency` is 0"),
    ],
)
def test_bad_arguments_are_named(make: Any, said: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=said):
        make()


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(reasonenv.ReasonEnvError, match=r"install reasonenv\[openai\]"):
        Endpoint("m")


def test_a_connection_that_ends_without_a_word_is_named_by_its_kind() -> None:
    error = openai.APIConnectionError(request=None)  # type: ignore[arg-type]
    error.__cause__ = ConnectionResetError()
    endpoint = Endpoint("m", api_key="none", base_url="http://localhost:1")
    assert endpoint._broken(error) == "the connection failed: ConnectionResetError"
