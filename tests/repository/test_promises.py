"""What the prose promises is there: commands, reasons, generated files, and the borders between the parts."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml


def workflow_of(root: Path, name: str) -> Any:
    return yaml.safe_load((root / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"))


def targets(root: Path) -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", (root / "Makefile").read_text(), re.MULTILINE))


def test_every_make_command_in_the_prose_exists(texts: dict[Path, str], root: Path) -> None:
    promised = {
        (str(file), verb)
        for file, text in texts.items()
        if file.suffix == ".md"
        for verb in re.findall(r"(?:^|`)make ([a-z][\w-]*)", text, re.MULTILINE)
    }

    assert {verb for _, verb in promised} >= {"demo", "test"}
    assert {promise for promise in promised if promise[1] not in targets(root)} == set()


def test_every_target_is_on_the_menu(root: Path) -> None:
    """`make` prints what a newcomer needs, `make help-all` every target."""
    short, menu = (
        subprocess.run(["make", "-s", *target], cwd=root, capture_output=True, text=True, check=True).stdout
        for target in ((), ("help-all",))
    )
    verbs = set(targets(root))

    assert {verb for verb in verbs if f"make {verb} " not in menu} == set()
    assert re.findall(r"make ([\w-]+)", short.replace("make help-all", "")) == [
        "help", "setup", "demo", "test", "check", "contract", "generate", "site", "release"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["Makefile", "scripts/test_lowest.sh", "tests/mutation.toml"])
def test_every_test_that_a_command_names_exists(root: Path, name: str) -> None:
    """A test that moved would no longer run there."""
    named = re.findall(r"\btests/[\w/.-]+", (root / name).read_text("utf-8"))

    assert [path for path in named if not (root / path).exists()] == []


def test_continuous_integration_runs_the_test_command_of_the_readme(root: Path) -> None:
    assert "scripts/ci.py" in (root / ".ci" / "run").read_text()
    commands = tomllib.loads((root / "scripts" / "ci.toml").read_text())["steps"]
    steps = re.findall(r"make (?:--\S+ )?([a-z][\w-]*)", " ".join(commands.values()))
    assert {"test", "lint", "diff-api", "test-lowest", "test-postgresql"} <= set(steps)
    assert "ALL=1" in commands["test"]
    assert set(steps) <= set(targets(root))
    assert "make test" in (root / "README.md").read_text()


def test_every_local_link_in_the_prose_leads_somewhere(texts: dict[Path, str], root: Path) -> None:
    """Into the repository, or to a page of the reference, which is made with the site."""
    made = {root / "docs" / "reference" / f"{name}.md" for name in ("iam", "v1", "v2", "cli")}
    broken = [
        f"{file}: {link}"
        for file, text in texts.items()
        if file.suffix == ".md"
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        if not (path := (root / file.parent / link).resolve()).exists() and path not in made
    ]

    assert broken == []


def test_the_forge_runs_what_the_makefile_has(root: Path) -> None:
    """Workflows are short: their steps are targets, or the script of CI, on every Python of the package's metadata."""
    workflow, nightly = (workflow_of(root, name) for name in ("ci", "nightly"))
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    at_night = [step["run"].split()[1] for job in nightly["jobs"].values() for step in job["steps"] if "run" in step]
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    classifiers = tomllib.loads((root / "pyproject.toml").read_text())["project"]["classifiers"]

    made = {command.split()[1] for command in commands if command.startswith("make ")}
    assert {"test", "test-lowest", "diff-api", "release"} <= made <= targets(root)
    assert ".ci/run" in commands
    assert {"soak", "stock-tools", "mutation"} == set(at_night) <= targets(root)
    assert matrix == [found[1] for name in classifiers if (found := re.search(r":: (3\.\d+)$", name))]


def test_the_forge_runs_no_action_that_others_can_change(root: Path) -> None:
    """A tag can be moved; the hash of a commit cannot."""
    steps = [
        step["uses"]
        for name in ("ci", "nightly")
        for job in workflow_of(root, name)["jobs"].values()
        for step in job["steps"]
        if "uses" in step
    ]

    assert [each for each in steps if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each)] == []


def test_the_readme_of_the_package_has_no_link_into_the_repository(root: Path) -> None:
    """What an index shows has no file beside it."""
    text = (root / "README.md").read_text("utf-8")
    for change in tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"][
        "fancy-pypi-readme"
    ]["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)

    assert re.findall(r"\]\((?!https?://)[^)]*\)|(?:src|href|srcset)=\"(?!https?://)[^\"]*", text) == []


def test_no_finding_of_the_contract_run_is_known(root: Path) -> None:
    """A finding in the baseline would never be one again."""
    assert json.loads((root / "tests" / "contract" / "baseline.json").read_text())["findings"] == {}
