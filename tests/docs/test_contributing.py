"""Checks of a contribution: the workflow of pull requests, and the hooks of pre-commit."""

import re

import pytest
import yaml
from pages import ROOT

GENERATOR = (ROOT / "rust/dev/src/generate.rs").read_text(encoding="utf-8")
WATCHED = re.compile(
    next(
        hook["files"]
        for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
        for hook in repo["hooks"]
        if hook["id"] == "generated"
    )
)


def test_pull_requests_run_what_ci_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    assert "pull_request" in workflow[True]  # YAML reads `on` as a truth value
    assert workflow["jobs"]["check"]["steps"][-1] == {"run": "bash .ci/run"}


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r'"((?:docs|python|tests)/[^"{}]+|README\.md)"', GENERATOR)))
)
def test_the_hook_for_generated_files_watches_each(path: str) -> None:
    assert WATCHED.match(path if (ROOT / path).is_file() else f"{path}/")
    assert (ROOT / path).exists()


def test_the_hook_for_generated_files_watches_what_makes_them() -> None:
    sources = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("rust/**/*.rs")]
    assert sources
    assert [path for path in sources if not WATCHED.match(path)] == []
