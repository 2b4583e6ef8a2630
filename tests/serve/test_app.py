"""`reasonenv.serve`: verification and environments over HTTP do what they do here."""

import json
import re
import subprocess
import sys
from typing import Any

import gymnasium
import jsonschema
import numpy as np
import pytest
import reasonenv
from reasonenv import integrations
from reasonenv._plain import plain
from reasonenv.serve import Server
from serve_checks import PROBLEM, call, counted, item, post, served, sessions_of, tasks

server = pytest.fixture(scope="module")(served)
sessions = pytest.fixture(sessions_of)


def test_every_family_is_judged_as_it_is_here(server: Server) -> None:
    rows, verdicts = [], []
    for task in tasks():
        for text in (task.wrap(task.solution.answer), "no idea"):
            rows.append(item(text, task.problem, task.family))
            verdicts.append(plain(task.verify(text).to_dict()))
    status, answer = post(server, "/v1/verify", {"items": rows})
    assert status == 200
    assert answer["verdicts"] == verdicts
    assert answer["rewards"] == [float(verdict["passed"]) for verdict in verdicts]


def test_a_problem_may_be_an_object_and_a_reward_may_be_named(server: Server) -> None:
    asked = {"items": [item("<answer>35</answer>", json.loads(PROBLEM))], "reward": "partial"}
    status, answer = post(server, "/v1/verify", asked)
    assert status == 200
    assert answer["rewards"] == [answer["verdicts"][0]["score"]]
    status, answer = post(server, "/v1/verify", {**asked, "reward": {"correct": 1, "format": 0.25}})
    assert (status, answer["rewards"]) == (200, [0.25])
    said = "<answer>36</answer> or so"
    for reading in ("strict", "lenient"):
        verdict = reasonenv.verify("chain_sum", PROBLEM, said, reading)
        answer = post(server, "/v1/verify", {"items": [item(said)], "reading": reading})[1]
        assert answer == {"rewards": [float(verdict.passed)], "verdicts": [plain(verdict.to_dict())]}


def test_parts_that_a_family_lacks_pay_nothing(server: Server) -> None:
    tree = reasonenv.family("ascii_tree").sample()
    rows = [item(), item("x", tree.problem, "ascii_tree")]
    status, answer = post(server, "/v1/verify", {"items": rows, "reward": "edge_f1"})
    assert status == 200
    assert answer["rewards"] == [0.0, 0.0]


def test_the_problems_of_data_sets_are_judged_as_they_are(server: Server) -> None:
    task = reasonenv.family("countdown").sample(index=2)
    prompt, problem, _ = integrations.item(task)
    rows = [{"problem": problem, "text": text} for text in (task.wrap(task.solution.answer), prompt)]
    assert post(server, "/v1/verify", {"items": rows})[1]["rewards"] == [1.0, 0.0]
    for bad in ("{}", "[", '{"family": 7, "problem": "{}"}', "7", {"terms": [1]}):
        status, answer = post(server, "/v1/verify", {"items": [{"problem": bad, "text": ""}]})
        assert (status, answer["error"]["type"]) == (422, "InvalidTask"), answer


def test_the_problems_of_rows_bring_their_verifier(server: Server) -> None:
    own = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}], verifier="number_equal")
    task = reasonenv.family("countdown").sample()
    problems = [integrations.item(one).problem for one in (own[0], task, own[0])]
    texts = ["<answer>4.0</answer>", task.wrap(task.solution.answer), "5"]
    items = [{"problem": problem, "text": text} for problem, text in zip(problems, texts, strict=True)]
    answer = post(server, "/v1/verify", {"items": items})[1]
    assert answer["rewards"] == [1.0, 1.0, 0.0]
    wanted = integrations.score_all(texts, problems)
    assert answer["verdicts"] == [plain(one.to_dict()) for one in wanted]
    for at, wrong in (
        (0, {"answer": "four"}),
        (1, {"version": 999}),
        (2, {"verifier": {"verifier": "nope"}}),
    ):
        bad = json.dumps(json.loads(problems[at]) | wrong)
        status, answer = post(server, "/v1/verify", {"items": [items[1], {"problem": bad, "text": "x"}]})
        assert (status, answer["error"]["field"]) == (422, "items[1].problem"), answer


def test_rows_of_ones_own_are_judged_by_any_verifier(server: Server) -> None:
    for name in reasonenv.verifiers.list_verifiers():
        judge = reasonenv.verifiers.from_config({"verifier": name})
        assert isinstance(judge, reasonenv.verifiers.Verifier | reasonenv.verifiers.PythonVerifier)
        row = judge.example
        texts = [row["right"], row["wrong"]]
        if isinstance(judge, reasonenv.verifiers.Verifier):
            texts = [f"<answer>{text}</answer>" for text in texts]
        asked: dict[str, Any] = {"verifier": name, "texts": texts, "references": [row["reference"]] * 2}
        status, answer = post(server, "/v1/verify/rows", asked)
        assert status == 200, (name, answer)
        assert answer["verdicts"] == [plain(one.to_dict()) for one in judge(texts, [row["reference"]] * 2)]
    config = {"verifier": "choice", "extract": "boxed"}
    asked = {"verifier": config, "texts": [r"so \boxed{B}"], "references": ["B"]}
    assert post(server, "/v1/verify/rows", asked)[1]["rewards"] == [1.0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud800",
        "\udfff<answer>36</answer>",
        "<answer>" * 5000,
        "\u202e36",
        "NaN",
        "{" * 9000,
        "🙂" * 999,
    ],
    ids=ascii,
)
def test_any_model_text_gets_its_verdict(server: Server, text: str, sessions: Any) -> None:
    status, answer = post(server, "/v1/verify", {"items": [item(text)]})
    assert status == 200
    assert answer["verdicts"] == [plain(reasonenv.verify("chain_sum", PROBLEM, text).to_dict())]
    status, answer = post(
        server, "/v1/verify/rows", {"verifier": "exact_match", "texts": [text], "references": ["36"]}
    )
    assert status == 200
    for keywords in (
        {"env": "reasonenv/ChainSum-v1"},
        {"env": "reasonenv/Nim-v1", "kwargs": {"mode": "text"}},
    ):
        begun = sessions(**keywords)[1]["session"]
        status, answer = post(server, f"/v1/sessions/{begun}/step", {"action": text})
        assert status == 200, answer


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        (b"", 400, "InvalidBody"),
        (b"{", 400, "InvalidBody"),
        (b"[]", 400, "InvalidBody"),
        (b"null", 400, "InvalidBody"),
        (DEEP.encode(), 400, "InvalidBody"),
        (b'{"items":' + DEEP.encode(), 400, "InvalidBody"),
        (b'{"items": NaN}', 400, "InvalidBody"),
        (b'{"items": -Infinity}', 400, "InvalidBody"),
        (b'{"items": ' + b"9" * 10_000 + b"}", 400, "InvalidBody"),
        ('{"items": []}'.encode("utf-16"), 400, "InvalidBody"),
        (b'{"items": ["\xff\xfe"]}', 400, "InvalidBody"),
        (b"\xef\xbb\xbf{}", 400, "InvalidBody"),
        (b"{}", 422, "InvalidArgument"),
        (b'{"items": {}}', 422, "InvalidArgument"),
        (b'{"items": [], "itmes": 1}', 422, "UnknownName"),
        (b'{"items": [1]}', 422, "InvalidArgument"),
        (b'{"items": [{}]}', 422, "InvalidArgument"),
        (b'{"items": [], "reading": "loose"}', 422, "UnknownName"),
        (b'{"items": [], "reading": []}', 422, None),
        (b'{"items": [], "reward": 7}', 422, "InvalidArgument"),
        (b'{"items": [], "reward": {"correct": 1e999}}', 422, "InvalidArgument"),
        (b'{"items": [' + b"0," * 600 + b"0]}", 413, "TooLarge"),
        (b" " * 300_001, 413, "TooLarge"),
    ],
    ids=lambda value: ascii(value[:24]) if isinstance(value, bytes) else None,
)
def test_a_bad_body_is_answered_with_what_would_be_right(
    server: Server, body: bytes, status: int, name: str | None
) -> None:
    found, answer, _ = call(server, "POST", "/v1/verify", body)
    assert found == status, answer
    assert name is None or answer["error"]["type"] == name
    message = answer["error"]["message"]
    assert message
    assert not message.endswith(".")


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        (item(problem=""), "InvalidProblem"),
        (item(problem="[]"), "InvalidProblem"),
        (item(problem="[" * 50_000), "InvalidProblem"),
        (item(problem='{"terms":[1e999]}'), "InvalidProblem"),
        (item(problem='{"terms":[NaN]}'), "InvalidProblem"),
        (item(problem={"terms": "many"}), "InvalidProblem"),
        (item(problem={"terms": [10**400]}), "InvalidProblem"),
        (item(problem="\ud800"), "InvalidProblem"),
        (item(problem={"\ud800": 1}), "InvalidProblem"),
        (item(problem=7), "InvalidArgument"),
        (item(family="nope"), "UnknownName"),
        (item(family=None), "InvalidTask"),
        (item(text=7), "InvalidArgument"),
        (item(text=None), "InvalidArgument"),
    ],
    ids=ascii,
)
def test_a_bad_item_is_named_by_its_place(server: Server, bad: dict[str, Any], name: str) -> None:
    status, answer = post(server, "/v1/verify", {"items": [item(), item("?"), bad]})
    assert status == 422
    assert re.match(r"items\[2\]\.(text|problem|family)$", answer["error"]["field"])
    assert answer["error"]["field"] in answer["error"]["message"]
    assert answer["error"]["type"] in (name, name.replace("Name", "Family"))


def test_hostile_problems_of_every_family_are_refused_by_name(server: Server) -> None:
    for name in reasonenv.list_families():
        problems: list[object] = [{}, {"x": [[[]]]}, '{"a":' * 2000, "0"]
        for problem in problems:
            status, answer = post(server, "/v1/verify", {"items": [item(problem=problem, family=name)]})
            assert (status, answer["error"]["type"]) == (422, "InvalidProblem"), (name, answer)


def test_hostile_verifiers_and_references_are_refused_by_name(server: Server) -> None:
    rows = {"texts": ["a"], "references": ["a"]}
    for asked in (
        {**rows, "verifier": "nope"},
        {**rows, "verifier": 7},
        {**rows, "verifier": {"verifier": "regex_match", "pattern": "("}},
        {**rows, "verifier": {"verifier": "all_of", "judges": 3}},
        {**rows, "verifier": {"verifier": "exact_match", "normalize": "os.system"}},
        {**rows, "verifier": "number_equal"},
        {**rows, "verifier": "exact_match", "references": [7]},
        {**rows, "verifier": "exact_match", "references": []},
        {**rows, "verifier": "exact_match", "references": [[["a"]]]},
    ):
        status, answer = post(server, "/v1/verify/rows", asked)
        assert status == 422, (asked, answer)


def test_sessions_step_as_environments_do(server: Server, sessions: Any) -> None:
    for name, keywords in (
        ("reasonenv/TicTacToe-v1", {"opponent": "random"}),
        ("reasonenv/ChainSum-v1", {"level": 2}),
        ("reasonenv/Nim-v1", {"mode": "text"}),
    ):
        env = gymnasium.make(name, disable_env_checker=True, **keywords)
        observation, info = env.reset(seed=7)
        status, answer = sessions(env=name, kwargs=keywords, seed=7)
        assert status == 201
        assert (answer["observation"], answer["info"]) == (plain(observation), plain(info))
        path = f"/v1/sessions/{answer['session']}"
        over = False
        while not over:
            action: Any = "<answer>3</answer>"
            if isinstance(env.action_space, gymnasium.spaces.Discrete):
                action = int(np.flatnonzero(info["action_mask"])[0])
            observation, reward, terminated, truncated, info = env.step(action)
            status, answer = post(server, f"{path}/step", {"action": action})
            assert status == 200
            assert answer == {
                "observation": plain(observation),
                "reward": reward,
                "terminated": terminated,
                "truncated": truncated,
                "info": plain(info),
            }
            over = terminated or truncated
        status, answer = post(server, f"{path}/step", {"action": action})
        assert (status, answer["error"]["type"]) == (409, "ResetNeeded")
        assert post(server, f"{path}/reset", {"seed": 7})[0] == 200


def test_sessions_take_tools_by_name(server: Server, sessions: Any) -> None:
    database = "CREATE TABLE t (a INT); INSERT INTO t VALUES (7)"
    keywords: dict[str, Any] = {
        "mode": "tools",
        "tools": ["calculator", {"name": "sql", "database": database}],
    }
    env = gymnasium.make("reasonenv/ChainSum-v1", disable_env_checker=True, **keywords)
    env.reset(seed=7)
    path = f"/v1/sessions/{sessions(env='reasonenv/ChainSum-v1', kwargs=keywords, seed=7)[1]['session']}/step"
    function = {"name": "sql", "arguments": '{"query": "SELECT a + 1 FROM t"}'}
    for action in (
        '<tool_call>{"name": "calculator", "arguments": {"expression": "2 + 2"}}</tool_call>',
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]},
        "<tool_call>{</tool_call>",
        "<answer>3</answer>",
    ):
        seen, reward, *_, info = env.step(action)
        status, answer = post(server, path, {"action": action})
        assert status == 200
        assert (answer["observation"], answer["reward"], answer["info"]) == (seen, reward, plain(info))
    assert info["calls_sql"] == 1
    for tools, told in (
        ([{"name": "search"}], "needs the option `documents`"),
        ([{"name": "sql", "database": "/etc/passwd"}], "`database` cannot be made"),
        (["calculators"], "no tool `calculators`"),
    ):
        status, answer = sessions(env="reasonenv/ChainSum-v1", kwargs={"mode": "tools", "tools": tools})
        assert status == 422
        assert told in answer["error"]["message"]


def test_every_environment_can_be_a_session(server: Server) -> None:
    rows = [{"question": "2 + 2?", "answer": "4"}]
    for name in call(server, "GET", "/v1/names")[1]["environments"]:
        keywords = {"rows": rows} if name == "reasonenv/Rows-v1" else {}
        status, answer = post(server, "/v1/sessions", {"env": name, "kwargs": keywords, "seed": 1})
        assert status == 201, (name, answer)
        assert call(server, "DELETE", f"/v1/sessions/{answer['session']}")[0] == 204


@pytest.mark.parametrize(
    ("env", "keywords", "name"),
    [
        ("CartPole-v1", {}, "UnknownName"),
        ("os:reasonenv/ChainSum-v1", {}, "UnknownName"),
        (7, {}, "InvalidArgument"),
        ("reasonenv/ChainSum-v1", {"level": 99}, "InvalidParams"),
        ("reasonenv/ChainSum-v1", {"nope": 1}, "UnknownName"),
        ("reasonenv/ChainSum-v1", [], "InvalidArgument"),
        ("reasonenv/ChainSum-v1", {"render_mode": "human"}, "UnknownName"),
        ("reasonenv/ChainSum-v1", {"max_episode_steps": "a"}, "InvalidArgument"),
        ("reasonenv/Nim-v1", {"opponent": "nobody"}, None),
        ("reasonenv/Rows-v1", {"rows": "/etc/hostname"}, "InvalidArgument"),
        ("reasonenv/Rows-v1", {"rows": [1]}, None),
    ],
)
def test_a_session_that_cannot_be_is_refused(
    server: Server, env: object, keywords: object, name: str | None
) -> None:
    status, answer = post(server, "/v1/sessions", {"env": env, "kwargs": keywords})
    assert status == 422, answer
    assert name is None or answer["error"]["type"] == name
    assert counted(server, "reasonenv_sessions") == 0


def test_bad_steps_change_nothing(server: Server, sessions: Any) -> None:
    session = sessions(env="reasonenv/TicTacToe-v1", seed=1)[1]["session"]
    for action in ("a", None, 1.5, [1], {"a": 1}, "\ud800"):
        status, answer = post(server, f"/v1/sessions/{session}/step", {"action": action})
        assert (status, answer["error"]["type"]) == (422, "InvalidArgument"), answer
    for seed in (-1, "a", 2**64, 1.5):
        assert post(server, f"/v1/sessions/{session}/reset", {"seed": seed})[0] == 422
    assert post(server, f"/v1/sessions/{session}/step", {"action": 4})[0] == 200
    assert post(server, "/v1/sessions/unknown/step", {"action": 4})[0] == 404


def test_the_page_of_endpoints_loads_nothing(server: Server) -> None:
    status, page, headers = call(server, "GET", "/docs")
    assert (status, headers["content-type"].split(";")[0]) == (200, "text/html")
    assert not re.search(r"<script|src=|<link|https?:", page)
    paths = call(server, "GET", "/openapi.json")[1]["paths"]
    assert "/v1/verify" in paths
    for path in paths:
        assert f" {path}</code>" in page
    assert all(f"<code>{name}</code>" in page for name in ("verifier", "texts", "references"))
    assert call(server, "GET", "/redoc")[0] == 404


def test_responses_are_what_the_schema_says(server: Server, sessions: Any) -> None:
    schema = call(server, "GET", "/openapi.json")[1]

    def validate(path: str, method: str, status: int, body: object) -> None:
        responses = schema["paths"][path][method]["responses"]
        of_status = responses.get(str(status), responses["default"])["content"]["application/json"]["schema"]
        jsonschema.validate(body, {**of_status, "components": schema["components"]})

    row = {"verifier": "choice", "texts": ["<answer>A</answer>"], "references": [["A", "B"]]}
    for path, body in (
        ("/v1/verify", {"items": [item(), item("?")], "reward": "format"}),
        ("/v1/verify", {"items": [item(problem="?")]}),
        ("/v1/verify/rows", row),
        ("/v1/verify/rows", {**row, "references": []}),
        ("/v1/sessions", {"env": "nope"}),
    ):
        status, answer = post(server, path, body)
        validate(path, "post", status, answer)
        requests = schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        jsonschema.validate(body, {**requests, "components": schema["components"]})
    status, answer = sessions(env="reasonenv/TicTacToe-v1", seed=2**64 - 1)
    validate("/v1/sessions", "post", status, answer)
    path = f"/v1/sessions/{answer['session']}"
    for name in ("step", "step", "reset"):
        status, answer = post(server, f"{path}/{name}", {"action": 4} if name == "step" else {})
        validate(f"/v1/sessions/{{id}}/{name}", "post", status, answer)
    for path in ("/health", "/v1/names"):
        validate(path, "get", 200, call(server, "GET", path)[1])


@pytest.mark.parametrize(
    ("path", "body", "field", "said"),
    [
        ("/v1/verify", {}, "items", "missing"),
        ("/v1/verify", {"items": 7}, "items", "is 7, but must be a valid list"),
        ("/v1/verify", {"items": [item(), {"text": ""}]}, "items[1].problem", "missing"),
        ("/v1/verify", {"items": [item(), item(7)]}, "items[1].text", "must be a valid string"),
        ("/v1/verify", {"items": [item(problem=7)]}, "items[0].problem", "a valid string or a valid dict"),
        ("/v1/verify", {"items": [item() | {"answer": "bare"}]}, "items[0].answer", "'tag' or 'boxed'"),
        ("/v1/verify", {"items": [item() | {"anwser": "tag"}]}, "items[0].anwser", "no field"),
        ("/v1/verify", {"items": [item(family="chain_smu")]}, "items[0].family", "chain_sum"),
        ("/v1/verify", {"items": [], "reading": "loose"}, "reading", "'strict'"),
        ("/v1/verify", {"items": [], "reward": "much"}, "reward", "much"),
        ("/v1/verify", {"items": [], "reward": {"correct": "all"}}, "reward", "'all', but must be a number"),
        ("/v1/verify", {"items": [item()] * 501}, "items", "501"),
        ("/v1/verify/rows", {"verifier": "nope", "texts": [], "references": []}, "verifier", "nope"),
        ("/v1/verify/rows", {"verifier": "choice", "texts": [], "references": ["A"]}, "references", "1"),
        (
            "/v1/verify/rows",
            {"verifier": "choice", "texts": [""], "references": [["A", 7]]},
            "references[0][1]",
            "is 7, but must be a valid string",
        ),
        ("/v1/sessions", {"env": "reasonenv/Chess-v1"}, "env", "Chess"),
        ("/v1/sessions", {"env": "reasonenv/Nim-v1", "kwargs": {"level": 99}}, "kwargs", "level"),
        ("/v1/sessions", {"env": "reasonenv/Nim-v1", "seed": -1}, "seed", "-1"),
        ("/v1/verify", [], None, "object"),
    ],
    ids=str,
)
def test_errors_name_the_field(server: Server, path: str, body: object, field: str | None, said: str) -> None:
    status, answer = post(server, path, body)
    assert status in {400, 413, 422}
    assert answer["error"]["field"] == field
    assert said in answer["error"]["message"]
    assert field is None or field in answer["error"]["message"]


def test_what_needs_the_extra_says_so() -> None:
    code = """
import sys
sys.modules["fastapi"] = None
from reasonenv.serve import Limits
from reasonenv.serve import Server
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("ImportError: reasonenv.serve needs FastAPI")
    assert done.stderr.splitlines()[-1].endswith("pip install 'reasonenv[serve]'")
    assert "line 5" in done.stderr
