"""Commands about tasks: list families, show and generate tasks, verify answers."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding

import reasonenv
from reasonenv import _checks
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import (
    AnswerStyle,
    AsJson,
    Count,
    Families,
    FamilyArgument,
    Levels,
    ParamsOption,
    Reading,
    Seed,
    Shard,
    Split,
    TemplateOption,
    Wrapper,
)
from reasonenv._cli.terminal import print_json
from reasonenv._files import is_same_file, writing
from reasonenv._native import Family, Task, Verdict
from reasonenv._progress import progress
from reasonenv._repeats import warn_of_repeats
from reasonenv.data._answers import Answers, judged, read_tasks, verdict_record
from reasonenv.data._shards import batches, read_shard, shard_range
from reasonenv.errors import InvalidArgument, UnknownName


@app.command()
def families(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD", help="List families with all of these words in their facts.", show_default=False
        ),
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="NAME", help="List families of one domain.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the task families, or those with the given words in their name, domain, skills or summary."""
    every = [reasonenv.family(name) for name in reasonenv.list_families()]
    domains = sorted({family.domain for family in every})
    if domain is not None and domain not in domains:
        raise _checks.unknown("domain", domain, domains)
    known = [
        family
        for family in every
        if domain in (None, family.domain) and all(word.lower() in _facts(family) for word in words or ())
    ]
    if not known:
        asked = " and ".join(f"`{word}`" for word in words or ())
        msg = f"no family has {asked} in its facts; the domains are {', '.join(domains)}"
        raise UnknownName(msg)
    if as_json:
        facts = (
            "name domain version summary top_level judged_by answer_tag reading guess_rate skills templates "
            "held_out_templates failures parts params_schema"
        )
        print_json([{fact: getattr(family, fact) for fact in facts.split()} for family in known])
        return
    console = Console(highlight=False)
    console.print(tables.families(known, console, whole=len(known) < len(every)))
    if len(known) == len(every):
        console.print("\nFewer of them: [bold]reasonenv families WORD[/bold] or [bold]--domain NAME[/bold]")
    console.print("An item as a reader sees it: [bold]reasonenv show FAMILY --level 2[/bold]")


def _facts(family: Family) -> str:
    return " ".join([family.name, family.domain, *family.skills, family.summary]).lower()


@app.command()
def show(
    name: FamilyArgument,
    *,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, max=10_000, help="Items of each level.")] = 1,
    level: Levels = "0",
    seed: Seed = 0,
    start: Annotated[
        int, typer.Option("--index", "-i", metavar="I", min=0, help="The first item's index.")
    ] = 0,
    split: Split = "train",
    param: ParamsOption = None,
    template: TemplateOption = None,
    wrapper: Wrapper = None,
    answer: AnswerStyle = None,
    wrong: Annotated[
        int,
        typer.Option(
            "--wrong", metavar="N", min=0, help="Also show this many wrong answers with what the judge says."
        ),
    ] = 0,
    solution: Annotated[
        bool, typer.Option("--solution/--no-solution", help="Whether to show the steps and the answer.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show tasks as a reader sees them: the prompt verbatim, the solution's steps, the answer."""
    params, style = options.params(param), options.style(template, wrapper, answer)
    tasks = [
        task
        for family, one in options.pairs([name], level)
        for task in family.batch(
            seed=seed, start=start, count=n, level=one, params=params, split=split, style=style
        )
    ]
    if as_json:
        print_json([task.to_dict() for task in tasks])
        return
    console = Console(highlight=False)
    for task in tasks:
        texts = [task.wrap(answer) for answer in task.wrong_answers(seed=seed)[:wrong]]
        console.print(
            tables.task_text(task, [(text, task.verify(text)) for text in texts], solution=solution),
            soft_wrap=True,
        )


@app.command()
def generate(
    family: Families,
    *,
    n: Count = 10,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write; '-' is stdout.")
    ] = "-",
    level: Levels = "0",
    split: Split = "train",
    seed: Seed = 0,
    start: Annotated[int, typer.Option("--start", metavar="I", min=0, help="The first item's index.")] = 0,
    param: ParamsOption = None,
    template: TemplateOption = None,
    wrapper: Wrapper = None,
    answer: AnswerStyle = None,
    shard: Shard = None,
) -> None:
    """Write tasks as JSON lines: prompt, solution, and everything the verifier needs.

    The same command writes the same bytes on any machine, and concatenated shards equal the whole.
    Fields: docs/records.md.
    """
    style, params = options.style(template, wrapper, answer), options.params(param)
    sources = [
        one.source(seed=seed, level=its, params=params, split=split, style=style)
        for one, its in options.pairs(family, level)
    ]
    for source in sources:
        warn_of_repeats(source, n)
    places = range(n * len(sources)) if shard is None else shard_range(n * len(sources), read_shard(shard))
    done = 0
    with writing(out) as file, progress() as tell:
        for number, tasks in batches(sources, n, places, start):
            file.write(tasks.to_jsonl())
            done += len(tasks)
            tell(done, len(places), sources[number].family.name)
    if out != "-":
        Console(stderr=True).print(f"{len(places)} tasks written to {out}", soft_wrap=True, highlight=False)


@app.command()
def verify(
    tasks: Annotated[str, typer.Argument(metavar="TASKS", help="Tasks, as `generate` writes them.")],
    answers: Annotated[
        str,
        typer.Argument(
            metavar="ANSWERS",
            help="Lines of {task_id, text}, or of strings in the order of the tasks; '-' is stdin.",
        ),
    ],
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a verdict for each answer there.")
    ] = None,
    reading: Reading = None,
    as_json: AsJson = False,
) -> None:
    """Verify answers in a file.

    Exits with 0 however many answers fail, and with 1 if a file cannot be read or an answer names no task.
    """
    if tasks == answers == "-":
        msg = "`TASKS` and `ANSWERS` are both '-', but only one of them can be stdin"
        raise InvalidArgument(msg)
    for name, path in (("TASKS", tasks), ("ANSWERS", answers)):
        if out is not None and is_same_file(out, path):
            msg = f"`--out` is {out}, which is `{name}` too and would be lost; name another file"
            raise InvalidArgument(msg)
    asked = read_tasks(tasks)
    tallies: dict[str, Answers] = {}
    seen: set[str] = set()

    def count(task: Task, verdict: Verdict) -> None:
        tallies.setdefault(task.family, Answers()).add(task.id, verdict)
        seen.add(task.id)

    if out is None:
        for task, verdict in judged(asked, answers, reading):
            count(task, verdict)
    else:
        with writing(out) as file:
            for task, verdict in judged(asked, answers, reading):
                count(task, verdict)
                file.write(json.dumps(verdict_record(task, verdict)) + "\n")
    if as_json:
        summary = {name: tally.to_dict() for name, tally in sorted(tallies.items())}
        print_json({"families": summary, "unanswered": len(asked) - len(seen)})
        return
    # Verdicts on stdout are for a script, so the summary goes to stderr.
    console = Console(stderr=out == "-", highlight=False)
    if tallies:
        console.print(tables.verdicts(dict(sorted(tallies.items()))))
    lines = [
        ([name], tally.answers - tally.passed, dict(tally.failures.most_common()))
        for name, tally in sorted(tallies.items())
    ]
    if failed := tables.failures(["family"], lines):
        console.print(Padding(failed, (1, 0, 0, 0)))
    if len(seen) < len(asked):
        console.print(f"\n{len(asked) - len(seen)} of {len(asked)} tasks have no answer", style="yellow")
