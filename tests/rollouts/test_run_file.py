"""Runs that a file describes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv._cli import app
from reasonenv._records import InvalidRun
from reasonenv.curriculum import SCHEDULERS
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.rollouts import Record, Saving, _places, rollout
from reasonenv.rollouts._policies import BUILT_IN
from reasonenv.rollouts._run_file import PARTS, read_run_file
from typer.testing import CliRunner

YAML = """
# Two policies on one family.
generator: {name: sorting, level: 1, seed: 3}
policy: ["noisy:0.5", oracle]
verifier: strict
reward: {name: shaped, format: 0.1}
n: 5
group_size: 3
seed: 4
"""


def written(folder: Path, text: str, name: str = "first.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def upper(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
    """A third-party policy."""
    return [task.prompt.upper() for task in tasks]


class Fixed:
    """A third-party policy with arguments."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, tasks: Sequence[Any], _rollout: int) -> list[str]:
        return [self.text] * len(tasks)


def brief(task: Any, history: Sequence[Any]) -> str:
    """A third-party state builder."""
    return f"{task.prompt}\nturn {len(history)}"


def test_a_file_says_what_the_call_says(tmp_path: Path) -> None:
    result = read_run_file(written(tmp_path, YAML)).start(tmp_path / "run")
    source = reasonenv.family("sorting").source(level=1, seed=3)
    reward = reasonenv.rewards.Reward.shaped(format=0.1)
    called = rollout(
        source, ["noisy:0.5", "oracle"], n=5, group_size=3, seed=4, reading="strict", reward=reward
    )
    texts = [[(one.task_id, one.text, one.reward) for one in made] for made in (result, called)]
    assert texts[0] == texts[1]
    assert (tmp_path / "run/run.yaml").read_text() == YAML
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "config.json",
        "prompts.jsonl",
        "run.yaml",
        "summary.json",
        "traces.jsonl",
    ]


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    content = read_run_file(written(tmp_path, YAML)).content
    as_json = written(tmp_path, json.dumps(content), "a.json")
    toml = """
policy = ["noisy:0.5", "oracle"]
verifier = "strict"
n = 5
group_size = 3
seed = 4
generator = { name = "sorting", level = 1, seed = 3 }
reward = { name = "shaped", format = 0.1 }
"""
    assert read_run_file(as_json).content == content
    assert read_run_file(written(tmp_path, toml, "a.toml")).content == content


def test_the_same_file_goes_on_and_another_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, YAML)
    first = read_run_file(file).start(tmp_path / "run")
    (tmp_path / "run/summary.json").unlink()
    assert list(read_run_file(file).start(tmp_path / "run")) == list(first)
    other = written(tmp_path, YAML.replace("n: 5", "n: 6"))
    with pytest.raises(InvalidRun, match="was made by another file: `n` is 5 there and 6 here; name another"):
        read_run_file(other).start(tmp_path / "run")
    assert len(read_run_file(other).start(Saving(folder=tmp_path / "run", overwrite=True))) == 36


def test_a_file_that_could_not_run_keeps_no_better_one_out(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="`n` is 0"):
        read_run_file(written(tmp_path, YAML.replace("n: 5", "n: 0"))).start(tmp_path / "run")
    assert len(read_run_file(written(tmp_path, YAML)).start(tmp_path / "run")) == 30
    assert (tmp_path / "run/run.yaml").read_text() == YAML


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in PARTS for name in PARTS[kind]])
def test_every_part_of_the_table_is_there(kind: str, name: str) -> None:
    assert callable(_places.found(PARTS[kind][name]))


@pytest.mark.parametrize(
    ("generator", "source"),
    [
        ("sorting", "sorting"),
        ("{name: family, name_: 1}", None),
        ("{name: mixture, sources: [sorting, {name: tsp, level: 1}], weights: [2, 1]}", "mixture"),
        ("{name: environment, id: reasonenv/Sorting-v1, level: 2}", "reasonenv/Sorting-v1"),
    ],
)
def test_generators_by_name(generator: str, source: str | None, tmp_path: Path) -> None:
    file = written(tmp_path, f"generator: {generator}\npolicy: oracle\nn: 3\ngroup_size: 2\n")
    if source is None:
        with pytest.raises(
            UnknownName, match="generator `family` has no argument `name_`; did you mean `name`"
        ):
            read_run_file(file).start(tmp_path / "run")
        return
    result = read_run_file(file).start(tmp_path / "run")
    assert result.passed.all()
    assert {one.source for one in result} == {source}


def test_tasks_and_rows_of_a_file(tmp_path: Path) -> None:
    tasks = written(tmp_path, reasonenv.family("tsp").batch(count=3).to_jsonl(), "tasks.jsonl")
    file = written(tmp_path, f"generator: {{name: tasks, path: {tasks}}}\npolicy: oracle\ngroup_size: 1\n")
    assert len(read_run_file(file).start(tmp_path / "a")) == 3


def test_rows_of_a_file_are_evaluated_each_once_in_their_own_words(tmp_path: Path) -> None:
    lines = [f'{{"q": "{number} + 1?", "a": {number + 1}}}\n' for number in range(64)]
    rows = written(tmp_path, "".join(lines), "rows.jsonl")
    generator = f"{{name: rows, path: {rows}, question: q, answer: a, verifier: number_equal}}"
    policy = "{name: 'test_run_file:Fixed', text: '<answer>4</answer>'}"
    file = written(tmp_path, f"generator: {generator}\npolicy: {policy}\nn: 64\ngroup_size: 1\n")
    result = read_run_file(file).start(tmp_path / "b")
    assert len({record.task_id for record in result}) == len(result) == 64
    assert result.passed.sum() == 1
    assert result.summary[0].distinct == 64
    prompts = reasonenv.from_rows(rows, question="q", answer="a", verifier="number_equal").prompts
    assert sorted(record.prompt for record in result) == sorted(prompts)
    assert [record.prompt for record in result] != prompts  # in any order, so that few are a fair sample
    file = written(tmp_path, f"generator: {generator[:-1]}, shuffle: false}}\npolicy: {policy}\nn: 3\n")
    assert [group[0].prompt for group in read_run_file(file).start(tmp_path / "c").groups] == prompts[:3]
    file = written(tmp_path, f"generator: {generator[:-1]}, shufle: false}}\npolicy: {policy}\n")
    with pytest.raises(UnknownName, match="did you mean `shuffle`"):
        read_run_file(file).start(tmp_path / "d")


@pytest.mark.parametrize("name", sorted(SCHEDULERS))
def test_curricula_by_name(name: str, tmp_path: Path) -> None:
    curriculum = f"{{name: {name}, space: [sorting, chain_sum], seed: 1, rollouts: 2}}"
    file = written(tmp_path, f"curriculum: {curriculum}\npolicy: 'noisy:0.5'\nn: 4\n")
    result = read_run_file(file).start(tmp_path / "run")
    assert len(result.groups) == 4


def test_composed_environments_by_name(tmp_path: Path) -> None:
    text = """
generator: {name: chain_sum, level: 1}
state_builder: test_run_file:brief
policy: {name: noisy, probability: 0.5}
verifier: lenient
reward: {name: weights, weights: {correct: 1, format: 0.5}}
n: 4
group_size: 2
"""
    result = read_run_file(written(tmp_path, text)).start(tmp_path / "a")
    assert all(one.prompt.endswith("turn 0") for one in result)
    assert set(result[0].reward_parts) >= {"correct", "format"}
    asking = "environment: double_check\ngenerator: chain_sum\npolicy: oracle\nn: 2\ngroup_size: 2\n"
    result = read_run_file(written(tmp_path, asking)).start(tmp_path / "b")
    assert result.passed.all()
    assert {len(one.turns) for one in result} == {2}


def test_loggers_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    text = f"generator: sorting\npolicy: oracle\nn: 2\ngroup_size: 2\nlogger: {{name: jsonl, path: {log}}}\n"
    result = read_run_file(written(tmp_path, text)).start(tmp_path / "a")
    logged = [Record.from_dict(json.loads(line)) for line in log.read_text().splitlines()]
    assert logged == list(result)
    text = "generator: sorting\npolicy: oracle\nn: 1\ngroup_size: 1\nlogger: print\n"
    read_run_file(written(tmp_path, text)).start(tmp_path / "b")
    assert capsys.readouterr().out == f"oracle  {result[0].group_id}  0  reward 1\n"


def test_policies_by_name_and_by_place(tmp_path: Path) -> None:
    for name in BUILT_IN:
        if ":" in name:
            continue
        file = written(tmp_path, f"generator: sorting\npolicy: {name}\nn: 1\ngroup_size: 1\n")
        assert len(read_run_file(file).start(tmp_path / name)) == 1
    file = written(tmp_path, "generator: sorting\npolicy: 'test_run_file:upper'\nn: 1\ngroup_size: 1\n")
    (one,) = read_run_file(file).start(tmp_path / "own")
    assert one.text == one.prompt.upper()
    pytest.importorskip("openai", reason="needs the `openai` extra")
    text = "generator: sorting\npolicy: {name: openai, model: m, temperature: -1}\n"
    with pytest.raises(InvalidArgument, match="`policy`: `temperature` is -1, but must be"):
        read_run_file(written(tmp_path, text)).start(tmp_path / "x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("polcy: oracle\ngenerator: sorting", "no key `polcy`; did you mean `policy`"),
        ("generator: sorting", "has no `policy`; name one"),
        ("policy: oracle", "must have either a `generator` or a `curriculum`"),
        ("policy: oracle\ngenerator: sortng", "`generator`: no generator `sortng`; did you mean `sorting`"),
        ("policy: orcale\ngenerator: sorting", "`policy`: no policy `orcale`; did you mean `oracle`"),
        ("policy: 'noisy:2'\ngenerator: sorting", "`policy`: `noisy:2`: P is `2`, but must be a number"),
        (
            "policy: [oracle, 3]\ngenerator: sorting",
            r"`policy\[1\]` is 3, but must be a name, or have a `name`",
        ),
        ("policy: {name: noisy, probabilty: 1}\ngenerator: sorting", "did you mean `probability`"),
        (
            "policy: {name: noisy}\ngenerator: sorting",
            "`policy`, which is noisy, needs `probability`; give its arguments beside",
        ),
        (
            "policy: {name: oracle, x: 1}\ngenerator: sorting",
            "`policy` is `oracle`, which takes no arguments",
        ),
        (
            "policy: 'no.such:thing'\ngenerator: sorting",
            "`policy` is `no.such:thing`, which cannot be imported",
        ),
        ("policy: oracle\ngenerator: {name: sorting, level: 99}", "`generator`: .*`level` is 99"),
        (
            "policy: oracle\ngenerator: {name: mixture, sources: [{nam: x}]}",
            r"no key of `sources\[0\]` `nam`",
        ),
        (
            "policy: oracle\ngenerator: sorting\nverifier: strikt",
            "`verifier` is 'strikt', but tasks judge by",
        ),
        ("policy: oracle\ngenerator: sorting\nreward: {name: shaped, lenght: 1}", "did you mean `length`"),
        ("policy: oracle\ngenerator: sorting\nreward: nothing", "no reward `nothing`"),
        (
            "policy: oracle\ngenerator: sorting\nstop: never",
            "`stop`: it is `never`, but must be the place of",
        ),
        ("policy: oracle\ngenerator: sorting\nlogger: jsn", "`logger`: no logger `jsn`"),
        ("policy: oracle\ncurriculum: {name: unifrm, space: [sorting]}", "no scheduler `unifrm`"),
        ("policy: oracle\ngenerator: sorting\nn: many", "`n` is 'many', but must be a whole number"),
        ("policy: oracle\ngenerator: sorting\npolicy: empty", "`policy` is there twice"),
        ("policy: oracle\ngenerator: {name: sorting, level: 0, level: 9}", "`level` is there twice"),
        ("policy: 'test_run_file:Fixed'\ngenerator: sorting", "test_run_file:Fixed, needs `text`"),
        ("[oracle]", "must hold keys with values"),
        ("policy: {", "cannot be read as yaml"),
    ],
)
def test_mistakes_name_the_key(text: str, said: str, tmp_path: Path) -> None:
    file = written(tmp_path, text + "\n")
    with pytest.raises(reasonenv.ReasonEnvError, match=said):
        read_run_file(file).start(tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '{"policy": "oracle", "policy": "empty"}'), ("a.toml", "n = 1\nn = 2")]
)
def test_no_format_takes_a_key_twice(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidArgument, match=rf"{name} cannot be read as .*(twice|overwrite)"):
        read_run_file(tmp_path / name)


def test_folders_of_a_run_that_is_refused_are_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "policy: oracle\ngenerator: sorting\nn: many\n")
    assert CliRunner().invoke(app, ["run", "first.yaml"]).exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["first.yaml"]


def test_the_command_runs_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, YAML)
    told = CliRunner().invoke(app, ["run", "first.yaml", "--json"])
    assert told.exit_code == 0
    assert [row["policy"] for row in json.loads(told.stdout)["rows"]] == ["noisy:0.5", "oracle"]
    assert len(Record.load(tmp_path / "runs/first")) == 30
    again = CliRunner().invoke(app, ["run", "first.yaml"])
    assert again.exit_code == 0
    assert "run folder: runs/first" in again.stdout
    wrong = CliRunner().invoke(app, ["run", "second.yaml"])
    assert wrong.exit_code == 1
    assert "second.yaml: no such file or directory; check the path" in wrong.stderr


def test_a_file_grows_trees(tmp_path: Path) -> None:
    path = tmp_path / "trees.yaml"
    environment = "generator: {name: environment, id: reasonenv/TicTacToe-v1, opponent: self}\n"
    rest = "policy: game:random\nn: 2\ngroup_size: 3\n"
    tree = "sampling: {tree: {width: null, branch_at: moves, budget: 20}}\n"
    path.write_text(environment + rest + tree)
    result = read_run_file(path).start(tmp_path / "run")
    assert [tree.root.visits for tree in result.trees] == [20, 20]
    path.write_text(environment + rest + "sampling: {tree: {breadth: 3}}\n")
    with pytest.raises(UnknownName, match=r"no setting of `sampling.tree` .*breadth"):
        read_run_file(path).start(tmp_path / "other")
