"""Cut a release, and check what it is made from: docs/releasing.md."""

import argparse
import datetime
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACEHOLDER = "OWNER"
# The text before a version, and the version.
DECLARED = re.compile(r'^(\[workspace\.package\]\nversion = ")([^"]+)', re.MULTILINE)
CITED = re.compile(r"^(version: )(.+)$", re.MULTILINE)
# The packages of the workspace: those that come from no registry.
LOCKED = re.compile(r'^(name = ".+"\nversion = ")([^"]+)(?="\n(?!source))', re.MULTILINE)


def read(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="utf-8", newline="\n")


def version(root: Path) -> str:
    """The version in Cargo.toml, the only place that sets it."""
    found: str = tomllib.loads(read(root, "Cargo.toml"))["workspace"]["package"]["version"]
    return found


def repository(root: Path) -> str:
    """The repository's URL, which pyproject.toml alone knows."""
    found: str = tomllib.loads(read(root, "pyproject.toml"))["project"]["urls"]["Repository"]
    return found


def sections(root: Path) -> dict[str, str]:
    """The sections of the changelog by their titles ("Unreleased", "0.1.0 - 2026-12-01"), newest first."""
    parts = re.split(r"^## \[(.+)\](.*)\n", read(root, "CHANGELOG.md"), flags=re.MULTILINE)
    return {
        name + day: text.strip() for name, day, text in zip(*(parts[at::3] for at in (1, 2, 3)), strict=True)
    }


def releases(root: Path) -> dict[str, str]:
    """The notes of each release by its version, newest first."""
    return {title.split()[0]: notes for title, notes in sections(root).items() if title != "Unreleased"}


def disagreements(root: Path) -> list[str]:
    """Files that repeat the version and disagree with Cargo.toml."""
    wanted = version(root)
    found = [("CITATION.cff", match[2]) for match in CITED.finditer(read(root, "CITATION.cff"))]
    found += [("Cargo.lock", match[2]) for match in LOCKED.finditer(read(root, "Cargo.lock"))]
    found += [("CHANGELOG.md", newest) for newest in list(releases(root))[:1]]
    unlike = dict.fromkeys((file, other) for file, other in found if other != wanted)
    return [f"{file} has {other}, Cargo.toml {wanted}" for file, other in unlike]


def cut(root: Path, new: str, day: datetime.date) -> None:
    """Turn the unreleased section of the changelog into that of a version, and have every file name it."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", new):
        raise SystemExit(f"VERSION={new!r} is not a version like 0.1.0")
    if new in releases(root):
        raise SystemExit(f"VERSION={new} is released already: CHANGELOG.md has it")
    if [int(part) for part in new.split(".")] < [int(part) for part in version(root).split(".")]:
        raise SystemExit(f"VERSION={new} is older than {version(root)}, which Cargo.toml has")
    if not sections(root).get("Unreleased"):
        raise SystemExit("CHANGELOG.md has nothing under Unreleased")
    heading = f"## [Unreleased]\n\n## [{new}] - {day}\n"
    write(root, "CHANGELOG.md", read(root, "CHANGELOG.md").replace("## [Unreleased]\n", heading, 1))
    for name, pattern in {"Cargo.toml": DECLARED, "Cargo.lock": LOCKED, "CITATION.cff": CITED}.items():
        write(root, name, pattern.sub(rf"\g<1>{new}", read(root, name)))


def check(root: Path, tag: str, url: str) -> list[str]:
    """Reasons why this tag cannot be released from this URL."""
    wrong, wanted = disagreements(root), version(root)
    if tag != f"v{wanted}":
        wrong.append(f"the tag is {tag}, Cargo.toml has {wanted}")
    if wanted not in releases(root):
        wrong.append(f"CHANGELOG.md has no section for {wanted}: run make release VERSION={wanted}")
    if repository(root) != url:
        wrong.append(f"[project.urls] of pyproject.toml names {repository(root)}, and this is {url}")
    return wrong


def link(root: Path) -> None:
    """Make the README's links absolute, because PyPI shows it without the repository."""
    there = f"{repository(root)}/blob/v{version(root)}/"
    write(root, "README.md", re.sub(r"\]\((?!https?:|#)", f"]({there}", read(root, "README.md")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("cut", help="name a version in every file").add_argument("version")
    checking = commands.add_parser("check", help="fail if this tag cannot be released")
    checking.add_argument("tag")
    checking.add_argument("url")
    commands.add_parser("notes", help="print the notes of this release")
    commands.add_parser("link", help="make the links of the README absolute")
    given = parser.parse_args()
    match given.command:
        case "cut":
            cut(ROOT, given.version, datetime.datetime.now(datetime.UTC).date())
            print(f"CHANGELOG.md, CITATION.cff, Cargo.toml and Cargo.lock name {given.version}. Next:")
            if PLACEHOLDER in repository(ROOT):
                print(f"  put this repository's URL for {repository(ROOT)} in pyproject.toml")
            print(f'  git commit --all --message "Release {given.version}"')
            print(f'  git tag --annotate v{given.version} --message "reasonenv {given.version}"')
            print(f"  git push --atomic origin main v{given.version}")
        case "check":
            sys.exit("\n".join(check(ROOT, given.tag, given.url)) or 0)
        case "notes":
            print(releases(ROOT)[version(ROOT)])
        case "link":
            link(ROOT)


if __name__ == "__main__":
    main()
