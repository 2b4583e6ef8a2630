"""Tools of an environment over the protocol of OpenAI: requests name them, and calls of replies are made."""

import json
from typing import Any

import pytest
import reasonenv
from chat_server import Reply, answer, chunk, serving
from reasonenv.envs import wrappers
from reasonenv.rollouts import Completion, Endpoint, Record, rollout

TASK = reasonenv.family("chain_sum").sample(level=2)
RIGHT = TASK.wrap(TASK.solution.answer)
CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "1 + 1"}}</tool_call>'


def called(arguments: str, call_id: str = "call_x7", **more: Any) -> dict[str, Any]:
    function = {"name": "calculator", "arguments": arguments}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return answer(None, finish="tool_calls", tool_calls=calls, **more)


def played(replies: list[Reply], **settings: Any) -> tuple[list[dict[str, Any]], Record]:
    """One episode with a calculator; return the requests and the record."""
    with serving(
        lambda body, _: replies[sum(one["role"] == "assistant" for one in body["messages"])]
    ) as server:
        policy = Endpoint("m", base_url=server.url, api_key="x", **settings)
        env = wrappers.tools([TASK], ["calculator"], protocol="openai")
        (record,) = rollout(env, policy, n=1, group_size=1)
    return server.requests, record


def test_requests_have_the_tools_and_a_call_is_answered_under_its_id() -> None:
    requests, record = played([called('{"expression": "6 * 7"}'), answer(RIGHT)])
    assert all(one["tools"][0]["function"]["name"] == "calculator" for one in requests)
    question, call, result = requests[1]["messages"]
    assert (question["content"], call["tool_calls"][0]["id"]) == (TASK.prompt, "call_x7")
    assert result == {"role": "tool", "tool_call_id": "call_x7", "content": "42"}
    assert record.reward == 1.0
    assert record.turns[0]["info"]["tool_calls"] == 1


def test_a_streamed_call_comes_in_pieces() -> None:
    pieces = [
        {"index": 0, "id": "call_s", "type": "function", "function": {"name": "calculator", "arguments": ""}}
    ]
    pieces += [{"index": 0, "function": {"arguments": text}} for text in ('{"expression": ', '"6 * 7"}')]
    stream: list[Any] = [
        chunk([{"index": 0, "delta": {"tool_calls": [one]}, "finish_reason": None}]) for one in pieces
    ]
    stream.append(chunk([{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]))
    last: Reply = [chunk([{"index": 0, "delta": {"content": RIGHT}, "finish_reason": "stop"}])]
    requests, record = played([stream, last], extra={"stream": True})
    assert requests[1]["messages"][2] == {"role": "tool", "tool_call_id": "call_s", "content": "42"}
    assert record.reward == 1.0


@pytest.mark.parametrize("arguments", ["{]", "[1]", '{"expressoin": "1"}', '{"expression": "1 / 0"}'])
def test_a_malformed_call_keeps_its_id_its_name_and_its_arguments(arguments: str) -> None:
    requests, record = played([called(arguments), answer(RIGHT)])
    _, call, result = requests[1]["messages"]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"] == "call_x7"
    assert call["tool_calls"][0]["function"]["name"] == "calculator"
    if arguments == "{]":
        assert call["tool_calls"][0]["function"]["arguments"] == arguments
    assert result["content"].startswith("error: ")
    assert record.turns[0]["info"]["tool_errors"] == 1


def test_requests_without_such_an_environment_have_no_tools() -> None:
    with serving(lambda *_: called("{}")) as server:
        policy = Endpoint("m", base_url=server.url, api_key="x")
        (record,) = rollout([TASK], policy, group_size=1)
    assert "tools" not in server.requests[0]
    assert (record.text, record.reward) == ("", 0.0)


@pytest.mark.parametrize("text", [f"<think>{CALL}</think>{RIGHT}", f"I might {CALL} or not.</think>{RIGHT}"])
@pytest.mark.parametrize("protocol", ["text", "openai"])
def test_calls_in_reasoning_are_thoughts(text: str, protocol: Any) -> None:
    env = wrappers.tools([TASK], ["calculator"], protocol=protocol)
    (record,) = rollout(env, lambda tasks, _: [text for _ in tasks], n=1, group_size=1)
    assert len(record.turns) == 1
    assert record.turns[0]["info"]["tool_calls"] == 0
    assert record.reward == 1.0


def test_calls_after_reasoning_that_nobody_closed_are_made() -> None:
    env = wrappers.tools([TASK], ["calculator"], protocol="openai")
    calls = json.loads(json.dumps(called('{"expression": "6 * 7"}', content="<think>Hm"), default=str))
    message = calls["choices"][0]["message"]
    said = iter([Completion(action=message), Completion(RIGHT)])
    (record,) = rollout(env, lambda tasks, _: [next(said) for _ in tasks], n=1, group_size=1)
    assert record.turns[0]["info"]["tool_calls"] == 1


@pytest.mark.parametrize("finish", ["abort", "error", "insufficient_system_resource"])
def test_an_answer_that_the_server_broke_off_is_asked_for_again(finish: str) -> None:
    with serving(
        lambda _, before: answer("half an", finish=finish) if before == 0 else answer(RIGHT)
    ) as server:
        policy = Endpoint("m", base_url=server.url, api_key="x", retries={"backoff": 0.01})
        (record,) = rollout([TASK], policy, group_size=1)
        assert (record.reward, len(server.requests)) == (1.0, 2)
        policy = Endpoint("m", base_url=server.url, api_key="x", retries={"max_retries": 0})
    with serving(lambda *_: answer("half an", finish=finish)) as server:
        policy = Endpoint("m", base_url=server.url, api_key="x", retries={"max_retries": 0})
        (record,) = rollout([TASK], policy, group_size=1)
    assert record.error is not None
    assert finish in record.error
    assert record.reward is None


def test_one_forbidden_request_is_one_missing_answer() -> None:
    first, second = reasonenv.family("chain_sum").batch(count=2)

    def script(body: dict[str, Any], _: int) -> Reply:
        return (
            403
            if body["messages"][-1]["content"] == first.prompt
            else answer(second.wrap(second.solution.answer))
        )

    with serving(script) as server:
        policy = Endpoint("m", base_url=server.url, api_key="x")
        records = list(rollout([first, second], policy, group_size=1))
    assert [one.reward for one in records] == [None, 1.0]
    assert records[0].error is not None
    assert "403" in records[0].error
    assert len(server.requests) == 2
