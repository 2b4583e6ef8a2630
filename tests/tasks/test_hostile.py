"""Arguments of any type and size: every call soon raises an error of the package."""

import inspect
import itertools
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest
import reasonenv
from reasonenv import _native
from reasonenv.errors import InvalidProblem

HUGE = (-1, 2, 255, 10**12, 2**62, 2**63, 2**64, -(2**63), 10**40)
ODD: tuple[Any, ...] = (
    1.5,
    float("nan"),
    "x",
    "\ud800",
    None,
    b"x",
    [],
    {},
    object(),
    True,
    np.int64(3),
    range(10**12),
)


def _objects() -> dict[str, Any]:
    kind = reasonenv.family("chain_sum")
    task = kind.sample(level=1)
    batch = kind.batch(count=3, level=1)
    verdicts = batch.verify(batch.prompts)
    return {
        "family": kind,
        "source": kind.source(level=1),
        "task": task,
        "batch": batch,
        "verdict": verdicts[0],
        "verdicts": verdicts,
        "solution": task.solution,
        "certificate": kind.certify(task.problem),
        "step": task.verify_steps(["1 + 1 = 2"])[0],
    }


OBJECTS = _objects()
FUNCTIONS = (
    "common_failures",
    "family",
    "list_families",
    "list_readings",
    "set_num_threads",
    "verify",
    "verify_all",
)
# A valid value for each parameter that is not under test.
RIGHT: dict[str, Any] = {
    "aim": "harder",
    "families": ["chain_sum"],
    "family": "chain_sum",
    "indices": [0],
    "problem": OBJECTS["task"].problem,
    "problems": [OBJECTS["task"].problem],
    "steps": [],
    "task": OBJECTS["task"],
    "tasks": [OBJECTS["task"]],
    "text": "x",
    "texts": ["x", "x", "x"],
    "answer": "1",
}


def _calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, thing in OBJECTS.items():
        for method in dir(type(thing)):
            own = getattr(thing, method)
            if callable(own) and (not method.startswith("__") or method == "__getitem__"):
                yield f"{name}.{method}", own
    for name in FUNCTIONS:
        yield name, getattr(_native, name)


def _parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    return [each for each in inspect.signature(call).parameters.values() if each.name != "self"]


def _bound(parameters: list[inspect.Parameter], tested: str, value: Any) -> tuple[list[Any], dict[str, Any]]:
    args: list[Any] = []
    named: dict[str, Any] = {}
    for each in parameters:
        if each.name == tested:
            given = value
        elif each.default is inspect.Parameter.empty:
            given = RIGHT.get(each.name, 0)
        else:
            continue
        if each.kind is inspect.Parameter.POSITIONAL_ONLY:
            args.append(given)
        else:
            named[each.name] = given
    return args, named


@pytest.mark.parametrize(("name", "call"), [pytest.param(*each, id=each[0]) for each in _calls()])
def test_no_argument_panics_hangs_or_raises_outside_the_tree(name: str, call: Callable[..., Any]) -> None:
    reasonenv.set_num_threads(0)  # another test may have left fewer
    threads = reasonenv.num_threads()
    parameters = _parameters(call)
    for each, value in itertools.product(parameters, (*HUGE, *ODD)):
        args, named = _bound(parameters, each.name, value)
        start = time.monotonic()
        try:
            call(*args, **named)
        except (reasonenv.ReasonEnvError, TypeError, IndexError) as error:
            assert not isinstance(error, OverflowError)  # noqa: PT017
        # Not a speed limit: only an endless call takes so long.
        assert time.monotonic() - start < 20, (name, each.name, value)
    reasonenv.set_num_threads(0)
    assert reasonenv.num_threads() == threads


def _batch(**named: Any) -> Any:
    return reasonenv.family("chain_sum").batch(**named)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: _batch(count=10**12), "`count` is 1000000000000, but must be a whole number between 0 and"),
        (lambda: _batch(count=-1), "`count` is -1"),
        (lambda: _batch(count=2**62), "`count` is 4611686018427387904"),
        (lambda: _batch(count=1.5), "`count` is 1.5"),
        (lambda: _batch(seed=None), "`seed` is None"),
        (lambda: _batch(seed="0"), "`seed` is '0'"),
        (lambda: _batch(level=1.5), "`level` is 1.5, but must be between 0 and 9"),
        (lambda: _batch(level=10), "`level` is 10, but must be between 0 and 9"),
        (lambda: _batch(params=3), "`params` is 3, but must be a dict"),
        (lambda: _batch(start=2**64 - 1, count=2), "`start` is 18446744073709551615"),
        (lambda: OBJECTS["source"].tasks(range(10**12)), "`indices` holds 1000000000000 indices"),
        (lambda: OBJECTS["source"].tasks(range(2**70)), "`indices` holds more than"),
        (lambda: OBJECTS["source"].tasks([0, -1]), "`indices[1]` is -1"),
        (lambda: OBJECTS["source"][:], "give the slice a `stop`"),
        (lambda: OBJECTS["source"][0 : 10**12], "`slice` is 1000000000000"),
        (lambda: OBJECTS["batch"].repeat(10**9), "`count` is 1000000000"),
        (lambda: OBJECTS["batch"].verify(["x"]), "1 texts for 3 tasks; give one for each"),
        (lambda: OBJECTS["batch"].verify("xyz"), "`texts` is one str"),
        (lambda: OBJECTS["batch"].verify([1, 2, 3]), "`texts[0]` is 1, but must be text"),
        (lambda: reasonenv.Batch(cast("Any", [1])), "`tasks[0]` is int"),
        (
            lambda: reasonenv.set_num_threads(10**6),
            "`threads` is 1000000, but must be a whole number between 0 and 1024",
        ),
    ],
)
def test_an_error_names_the_argument_its_value_and_what_would_be_right(
    call: Callable[[], Any], told: str
) -> None:
    with pytest.raises(reasonenv.ReasonEnvError) as raised:
        call()
    assert told in str(raised.value)


def test_the_last_index_is_an_index() -> None:
    last = _batch(start=2**64 - 1, count=1)
    assert last[0].index == 2**64 - 1
    assert last[0] == OBJECTS["family"].sample(index=2**64 - 1)


def test_lone_surrogates_are_text_like_any_other() -> None:
    task = OBJECTS["task"]
    assert task.verify("<answer>\ud800</answer>").failures[0] == "malformed_answer"
    assert not reasonenv.verify("chain_sum", task.problem, "\ud800").passed


@pytest.mark.parametrize("name", sorted(set(OBJECTS) - {"family", "source"}))
def test_everything_a_judge_gives_pickles(name: str) -> None:
    thing = OBJECTS[name]
    again = pickle.loads(pickle.dumps(thing))
    assert list(again) == list(thing) if name in ("batch", "verdicts") else again == thing


def test_a_claim_from_outside_is_believed_unless_it_is_to_be_certified() -> None:
    import json  # noqa: PLC0415

    task = reasonenv.family("shortest_path").sample(level=1)
    problem = json.loads(task.problem)
    problem["shortest"] += 1
    false = json.dumps(problem)
    longer = task.wrap(task.solution.answer)
    assert reasonenv.verify("shortest_path", false, longer).passed
    with pytest.raises(InvalidProblem, match="`shortest`"):
        reasonenv.verify("shortest_path", false, longer, certified=True)
    with pytest.raises(InvalidProblem, match="`shortest`"):
        reasonenv.verify_all(["shortest_path"], [false], [longer], certified=True)
    with pytest.raises(InvalidProblem, match="`shortest`"):
        reasonenv.family("shortest_path").task(false, certified=True)


def test_a_batch_is_of_any_families() -> None:
    names = reasonenv.list_families()
    batch = reasonenv.Batch(reasonenv.family(name).sample(level=1) for name in names)
    assert batch.families == names
    assert batch.levels == [1] * len(names)
    completions = [task.wrap(task.solution.answer) for task in batch]
    assert batch.verify(completions).passed.all()
    wrong = batch.verify([task.wrap(task.wrong_answers()[0]) for task in batch])
    assert not wrong.passed.any()
    for name, values in wrong.parts.items():
        has = np.array([name in verdict.parts for verdict in wrong])
        assert (np.isnan(values) == ~has).all()
    groups = batch[:2].repeat(3) + batch[-1:]
    assert groups.ids == [batch.ids[0]] * 3 + [batch.ids[1]] * 3 + [batch.ids[-1]]
    assert list(pickle.loads(pickle.dumps(groups))) == list(groups)


def test_a_source_iterates_indexes_and_slices() -> None:
    source = OBJECTS["source"]
    assert list(itertools.islice(source, 3)) == list(source[:3]) == [source[i] for i in range(3)]
    assert source[10:20:5].ids == [source[10].id, source[15].id]
    with pytest.raises(IndexError):
        source[-1]
