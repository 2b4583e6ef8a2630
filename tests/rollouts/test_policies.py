import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import reasonenv
from reasonenv._cli import app
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts._policies import BUILT_IN, BestConstant, Noisy, Policy, make_policy, policy_name
from typer.testing import CliRunner

FAMILIES = reasonenv.list_families()
SPECS = ["oracle", "noisy:0.5", "best-constant", "echo", "empty"]


@pytest.fixture
def batch(family: str) -> reasonenv.Batch:
    return reasonenv.family(family).batch(seed=5, count=24, level=1, split="eval")


def test_the_oracle_is_always_right(batch: reasonenv.Batch) -> None:
    assert batch.verify(make_policy("oracle")(batch, 0)).passed.all()


def test_noise_is_between_never_and_always(batch: reasonenv.Batch) -> None:
    assert make_policy("noisy:0")(batch, 0) == make_policy("oracle")(batch, 0)
    for rollout in range(3):
        assert not batch.verify(make_policy("noisy:1")(batch, rollout)).passed.any()
    right = [batch.verify(make_policy("noisy:0.5")(batch, rollout)).passed.sum() for rollout in range(10)]
    assert 0.3 < sum(right) / 240 < 0.7


@pytest.mark.parametrize("spec", ["echo", "empty"])
def test_policies_that_know_nothing_never_pass(batch: reasonenv.Batch, spec: str) -> None:
    assert not batch.verify(make_policy(spec)(batch, 0)).passed.any()


@pytest.mark.parametrize("spec", SPECS)
def test_an_answer_does_not_depend_on_the_batch(batch: reasonenv.Batch, spec: str) -> None:
    whole = list(make_policy(spec, seed=9)(batch, 2))
    random.seed(0)
    assert list(make_policy(spec, seed=9)(batch[::-1], 2)) == whole[::-1]
    alone = [make_policy(spec, seed=9)([task], 2)[0] for task in batch[:4]]
    assert alone == whole[:4]


def test_a_constant_passes_no_more_than_the_family_declares(batch: reasonenv.Batch, family: str) -> None:
    rate = reasonenv.family(family).guess_rate
    passed = batch.verify(make_policy("best-constant")(batch, 0)).passed.mean()
    # Three standard errors above the declared rate happen by chance once in a thousand.
    assert passed <= rate + 3 * (max(rate, 0.005) / len(batch)) ** 0.5


def test_seed_and_rollout_each_change_what_is_broken() -> None:
    batch = reasonenv.family(FAMILIES[0]).batch(count=64)
    answers = {
        (seed, rollout): tuple(Noisy(0.5, seed=seed)(batch, rollout))
        for seed in range(2)
        for rollout in range(2)
    }
    assert len(set(answers.values())) == 4


def test_answers_are_the_same_in_another_process() -> None:
    code = (
        "import reasonenv; from reasonenv.rollouts._policies import make_policy\n"
        f"batch = reasonenv.family({FAMILIES[0]!r}).batch(count=30, level=2)\n"
        "print(repr([list(make_policy(p, seed=4)(batch, 1)) for p in ('noisy:0.5', 'best-constant')]))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    batch = reasonenv.family(FAMILIES[0]).batch(count=30, level=2)
    here = [list(make_policy(p, seed=4)(batch, 1)) for p in ("noisy:0.5", "best-constant")]
    assert runs == {repr(here) + "\n"}


def test_a_constant_is_fitted_once_per_params() -> None:
    policy = BestConstant(probe=50)
    family = reasonenv.family(FAMILIES[0])
    for level in (0, 1, 0):
        policy(family.batch(count=3, level=level), 0)
        policy(family.batch(count=3, level=level)[:], 0)
    assert len(policy._fitted) == 2


def test_a_posed_task_has_a_constant_too() -> None:
    family = reasonenv.family(FAMILIES[0])
    posed = family.task(family.sample(level=2).problem)
    assert posed.params is None
    assert posed.wrap(BestConstant().answer(FAMILIES[0], family.level_params(0))) in BestConstant()(
        [posed], 0
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("orcale", r"no policy `orcale`; did you mean `oracle`\?"),
        ("nosy:0.2", r"no policy `nosy:0.2`; did you mean `noisy`\?"),
        ("gpt", r"no policy `gpt`; there are oracle, noisy:P"),
        ("noisy", r"`noisy`: P is ``, but must be a number between 0 and 1, as in `noisy:0.3`"),
        ("noisy:x", "P is `x`"),
        ("noisy:1.5", "P is `1.5`, but must be a number between 0 and 1"),
        ("noisy:-0.1", "P is `-0.1`, but must be a number between 0 and 1"),
        ("noisy:nan", "P is `nan`, but must be a number between 0 and 1"),
        ("echo:0.5", "`echo` takes no number; write `echo`"),
    ],
)
def test_a_wrong_name_is_told_what_would_be_right(spec: str, message: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        make_policy(spec)


def test_names_are_what_they_were_asked_by() -> None:
    assert [policy_name(make_policy(spec)) for spec in SPECS] == SPECS
    assert [name.partition(":")[0] for name in BUILT_IN] == [
        spec.partition(":")[0]
        for spec in [
            "oracle",
            "noisy:P",
            "best-constant",
            "echo",
            "empty",
            "probe",
            "shortcut",
            "game",
            "openai",
            "hf",
            "vllm",
        ]
    ]
    assert all(isinstance(make_policy(spec), Policy) for spec in SPECS)
    assert policy_name(lambda tasks, _rollout: [""] * len(tasks)) == "<lambda>"
    assert [list(make_policy(spec)([], 0)) for spec in SPECS] == [[]] * 5


OWN = """
class Blank:
    name = "blank"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def __call__(self, tasks, rollout):
        return [f"{self.seed}"] * len(tasks)


class Fixed:
    def __init__(self, text):
        self.text = text


def shout(tasks, rollout):
    return [prompt.upper() for prompt in tasks.prompts]


nothing = 3
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module of the caller in the working folder, which is not on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    (tmp_path / "my_policies.py").write_text(OWN)
    yield "my_policies"
    sys.modules.pop("my_policies", None)


@pytest.mark.parametrize(("attribute", "called"), [("shout", "shout"), ("Blank", "blank")])
@pytest.mark.parametrize(
    "command",
    [
        "eval chain_sum -n 2 --policy {}",
        "benchmark run core --only chain_sum -n 2 --policy {}",
        "run first.yaml",
    ],
)
def test_every_command_finds_a_policy_of_the_working_folder(
    command: str, attribute: str, called: str, own: str
) -> None:
    place = f"{own}:{attribute}"
    Path("first.yaml").write_text(f"policy: '{place}'\ngenerator: chain_sum\nn: 2\ngroup_size: 1\n")
    told = CliRunner().invoke(app, [*command.format(place).split(), "--json"])
    assert told.exit_code == 0, told.output
    assert f'"policy": "{called}"' in told.stdout


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("my_policies:shot", "cannot be imported: module 'my_policies' has no attribute 'shot'"),
        ("my_policies.py:shout", "write `my_policies` for the module"),
        ("my_policies:Fixed", "my_policies:Fixed, needs `text`"),
        ("my_policies:nothing", "`policies` has 3, but must have"),
        ("broken:shout", "cannot be imported: SyntaxError"),
    ],
)
def test_a_place_without_a_policy_is_a_mistake(place: str, said: str, own: str) -> None:
    assert own
    Path("broken.py").write_text("def shout(:")
    with pytest.raises(InvalidArgument, match=re.escape(said)):
        reasonenv.evaluate("chain_sum", place, n=1)


def test_a_class_is_no_policy() -> None:
    with pytest.raises(InvalidArgument, match=r"the class Noisy; give an object of it"):
        reasonenv.evaluate("chain_sum", Noisy, n=1)  # type: ignore[arg-type]
