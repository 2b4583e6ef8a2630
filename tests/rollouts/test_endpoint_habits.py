"""Endpoints as people meet them: streams, rate limits, several answers, refused fields, long prompts."""

import itertools
import logging
import re
import time
from email.utils import formatdate
from typing import Any

import pytest
import reasonenv
from chat_server import Reply, answer, chunk, pieces, serving
from fast_server import fast_server
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import Record, Sampling, evaluate, rollout

pytest.importorskip("openai", reason="needs the `openai` extra")

from reasonenv.rollouts._endpoint import Endpoint
from reasonenv.rollouts._replies import asked_wait, is_overflow, room_for_answer
from reasonenv.rollouts._retries import EndpointError

TASKS = reasonenv.family("chain_sum").batch(count=3, level=1, split="eval")
RIGHT = {task.prompt: task.wrap(task.solution.answer) for task in TASKS}


def right(body: dict[str, Any]) -> str:
    return RIGHT[body["messages"][-1]["content"]]


def endpoint(url: str, **more: Any) -> Endpoint:
    waits = {"backoff": 0.001, "max_retries": 2, "timeout": 10} | more.pop("retries", {})
    return Endpoint("m", base_url=url, **({"api_key": "secret", "retries": waits} | more))


def test_a_stream_is_joined_to_the_answer_that_it_is() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        assert body["stream_options"] == {"include_usage": True}
        kinds = [
            pieces(right(body), reasoning_content="First I add."),
            pieces("I was just", finish="length"),
            pieces(right(body), reasoning="Then."),
        ]
        return kinds[int(body["seed"])]

    with serving(script) as server:
        whole, cut, other = rollout(
            TASKS[:1], endpoint(server.url, seed=0, extra={"stream": True}), group_size=3
        )
    assert (whole.passed, whole.reasoning) == (True, "First I add.")
    assert whole.usage == {"prompt_tokens": 11, "completion_tokens": 7}
    assert (cut.truncated, cut.text) == (True, "I was just")
    assert other.reasoning == "Then."


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ([*pieces("The answer")[:2], None], "the connection failed|the reply is malformed"),
        (pieces("The answer", finish=None), "the reply is malformed: the stream ended before the answer"),
        ([{"error": {"message": "out of memory"}}], "the reply is malformed: .*out of memory"),
        (b"data: {broken\n\n", "the reply is malformed"),
    ],
)
def test_a_stream_that_breaks_is_asked_again_and_never_half_an_answer(first: Any, said: str) -> None:
    def script(always: bool) -> Any:
        return lambda body, before: first if always or before == 0 else pieces(right(body))

    with serving(script(False)) as server:
        assert rollout(TASKS, endpoint(server.url, extra={"stream": True}), group_size=1).passed.all()
    with serving(script(True)) as server:
        result = rollout(TASKS[:1], endpoint(server.url, extra={"stream": True}), group_size=1)
    (one,) = result.errors
    assert one.verdict is None
    assert re.match(said, one.error or "")


def test_a_rate_limit_with_a_time_is_waited_for_by_all_and_counts_as_no_retry() -> None:
    limits = iter([(429, {"message": "slow down"}, {"Retry-After": "0.15"})] * 6)
    times: list[float] = []

    def script(body: dict[str, Any], _before: int) -> Reply:
        times.append(time.monotonic())
        return next(limits, None) or answer(right(body))

    with serving(script) as server:
        policy = endpoint(server.url, retries={"max_retries": 1})
        result = rollout(TASKS, policy, group_size=1, sampling=Sampling(concurrency=1))
    assert result.passed.all()
    assert len(times) == 9
    assert min(later - at for at, later in itertools.pairwise(times[:7])) >= 0.14


def test_a_wait_that_is_too_long_ends_the_rollout_and_names_the_reason() -> None:
    limit: Reply = (429, {"message": "Rate limit reached. Please try again in 8h0m0s."}, {})
    with serving(lambda _body, _before: limit) as server:
        result = rollout(TASKS[:1], endpoint(server.url, retries={"max_wait": 1}), group_size=1)
        assert len(server.requests) == 1
    assert (result[0].error or "").startswith("HTTP 429: ")
    spent: Reply = (429, {"message": "You exceeded your quota", "code": "insufficient_quota"}, {})
    with serving(lambda _body, _before: spent) as server, pytest.raises(EndpointError, match="pay for more"):
        rollout(TASKS[:1], endpoint(server.url), group_size=1)


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "2.5"}, "", 2.5),
        ({"retry-after-ms": "120", "retry-after": "1"}, "", 0.12),
        ({"retry-after": "lots"}, "try again in 6m0.5s", 360.5),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, "", 360),
        (
            {
                "x-ratelimit-reset-requests": "120ms",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "6m0s",
                "x-ratelimit-remaining-tokens": "149",
            },
            "",
            0.12,
        ),
        ({"ratelimit-reset": "7"}, "", 7),
        ({}, 'Quota exceeded. {"retryDelay": "34s"}', 34),
        ({}, "Please retry in 34.07s.", 34.07),
        ({}, "slow down", None),
        ({"retry-after": "nan"}, "", None),
    ],
)
def test_the_time_to_wait_is_read_from_all_the_places_where_it_is(
    headers: dict[str, str], text: str, seconds: float | None
) -> None:
    assert asked_wait(headers, text) == (None if seconds is None else pytest.approx(seconds))


def test_points_in_time_count_from_now() -> None:
    now = time.time()
    for headers in (
        {"retry-after": formatdate(now + 20, usegmt=True)},
        {"x-ratelimit-reset": str(int(1000 * (now + 20)))},
        {"x-ratelimit-reset": str(int(now + 20))},
    ):
        assert asked_wait(headers, "") == pytest.approx(20, abs=2)
    assert asked_wait({"retry-after": formatdate(now - 20, usegmt=True)}, "") == 0


def test_several_answers_come_from_one_request() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        reply = answer(right(body))
        texts = [right(body), "no", right(body), "a long answer that is wrong"][: body.get("n", 1)]
        reply["choices"] = [
            {"index": at, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            for at, text in enumerate(texts)
        ]
        return reply

    with serving(script) as server:
        result = rollout(TASKS, endpoint(server.url, seed=5, extra={"n": 4}), group_size=8)
    assert sorted((body["n"], body["seed"]) for body in server.requests) == [(4, 5)] * 3 + [(4, 9)] * 3
    assert result.passed.tolist() == [[True, False, True, False] * 2] * 3
    used = [one.usage or {} for one in result]
    assert sum(one["prompt_tokens"] for one in used) == 11 * 6
    assert sum(one["completion_tokens"] for one in used) == 7 * 6
    assert used[3]["completion_tokens"] >= used[1]["completion_tokens"]


@pytest.mark.parametrize("refuses", [False, True])
def test_a_server_without_n_is_asked_one_at_a_time(refuses: bool, caplog: pytest.LogCaptureFixture) -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        if refuses and body.get("n", 1) > 1:
            return 400, {"message": "Only n=1 is supported: `n` must be 1"}, {}
        return answer(right(body) if body["seed"] % 2 else "no")

    with serving(script) as server:
        policy = endpoint(server.url, seed=0, extra={"n": 4})
        result = rollout(TASKS, policy, group_size=4, sampling=Sampling(concurrency=4))
        assert result.passed.tolist() == [[False, True] * 2] * 3
        assert [one.rollout for one in result] == [0, 1, 2, 3] * 3
        assert len(server.requests) == 12 + refuses
        assert len([body for body in server.requests if "n" in body]) == 1
    assert "ignores `n`" in caplog.text


def test_refused_fields_are_left_out_or_renamed_once(caplog: pytest.LogCaptureFixture) -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        if "seed" in body:
            return 422, {"message": "seed: Extra inputs are not permitted"}, {}
        if "max_tokens" in body:
            said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return 400, {"message": said}, {}
        assert body["max_completion_tokens"] == 64
        return answer(right(body))

    with serving(script) as server:
        policy = endpoint(server.url, seed=0, max_tokens=64, retries={"max_retries": 0})
        assert rollout(TASKS, policy, group_size=2, sampling=Sampling(concurrency=1)).passed.all()
        assert len(server.requests) == 6 + 2
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "the endpoint of `openai:m` refuses `seed`, which is now left out",
        "the endpoint of `openai:m` refuses `max_tokens`, which is now left out",
    ]


OVERFLOWS = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    "maximum context length is 2048 tokens; you requested 3000 tokens (2488 in the messages, 512 more)",
    "the request exceeds the available context size, try increasing it",
    "prompt is too long: 215000 tokens > 200000 maximum",
]


@pytest.mark.parametrize("said", OVERFLOWS)
def test_a_prompt_beyond_the_context_is_an_answer_that_says_so(said: str, tmp_path: Any) -> None:
    long = TASKS[1].prompt

    def script(body: dict[str, Any], _before: int) -> Reply:
        if body["messages"][-1]["content"] == long:
            return 400, {"message": said, "code": None}, {}
        return answer(right(body))

    with serving(script) as server:
        result = rollout(TASKS, endpoint(server.url, max_tokens=512), group_size=2, saving=tmp_path)
        assert len(server.requests) == 6
    assert not result.errors
    assert result.passed.tolist() == [[True, True], [False, False], [True, True]]
    assert result.truncated.tolist() == [[False, False], [True, True], [False, False]]
    one = Record.load(tmp_path)[2]
    assert (one.text, one.error) == ("", None)
    assert (one.note or "").startswith("the prompt does not fit the model's context (HTTP 400: ")
    assert (tmp_path / "summary.json").exists()


def test_an_answer_that_would_not_fit_is_asked_for_with_the_room_that_there_is() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        if body["max_tokens"] > 48:
            said = (
                "This model's maximum context length is 2048 tokens. However, you requested 2512 tokens "
                "(2000 in the messages, 512 in the completion)."
            )
            return 400, {"message": said}, {}
        return answer(right(body))

    with serving(script) as server:
        result = rollout(TASKS[:1], endpoint(server.url, max_tokens=512), group_size=1)
        assert [body["max_tokens"] for body in server.requests] == [512, 48]
    assert result.passed.all()
    assert room_for_answer("You passed 10 input tokens, but the model's context length is only 8 tokens") == 0
    assert not is_overflow(400, None, "this is status 400")


def test_sampling_settings_reach_the_model_unless_it_has_its_own() -> None:
    with serving(lambda body, _before: answer(right(body))) as server:
        sampling = Sampling(temperature=0.7, max_tokens=32, stop="END")
        own = endpoint(server.url, temperature=0.2)
        (row,) = evaluate(TASKS, own, sampling=sampling)
    body = server.requests[0]
    assert (body["temperature"], body["max_tokens"], body["stop"]) == (0.2, 32, ["END"])
    assert own.sampling == {"temperature": 0.2}
    assert row.pass_rate == 1
    with pytest.raises(InvalidArgument, match=r"`temperature` is 0\.7, but no policy is a model"):
        evaluate(TASKS, "oracle", sampling=Sampling(temperature=0.7))
    with pytest.raises(InvalidArgument, match="`temperature` is -1"):
        Sampling(temperature=-1)


def test_chunks_without_choices_do_no_harm() -> None:
    def script(body: dict[str, Any], _before: int) -> Reply:
        return [chunk([]), *pieces(right(body))]

    with serving(script) as server:
        assert rollout(TASKS[:1], endpoint(server.url, extra={"stream": True}), group_size=1).passed.all()


def test_many_requests_at_once_all_get_their_answers() -> None:
    """The small form of a load test; `python tests/support/fast_server.py` runs 10,000 requests."""
    with fast_server() as server:
        policy = Endpoint("m", base_url=server.url, api_key="none")
        result = rollout(TASKS, policy, group_size=100, sampling=Sampling(concurrency=64))
    assert len(result) == server.requests == 300
    assert 16 < server.most_at_once <= 64
    assert not result.errors
