"""The pinned requirements belong together: whoever adds a dependency pins all of them anew."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OWN = "modelarts-toolkit"


def pins(root: Path, name: str) -> set[str]:
    """The pinned packages of a file, with version and marker."""
    text = (root / "requirements" / f"{name}.txt").read_text("utf-8")
    return set(re.findall(r"^[\w.-]+==[^\\\n]+", text, re.MULTILINE))


def declared(root: Path) -> dict[str, list[Requirement]]:
    """The requirements of pyproject.toml, by the extra or group that has them."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    lists = {
        "dependencies": project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
        **{f"group {name}": group for name, group in project["dependency-groups"].items()},
    }
    return {
        where: [Requirement(entry) for entry in entries if isinstance(entry, str) and not entry.startswith(OWN)]
        for where, entries in lists.items()
    }


def rejected_pins(requirements: list[Requirement], pinned: set[str]) -> set[str]:
    """The pins that one of these requirements does not allow."""
    allowed = {canonicalize_name(each.name): each.specifier for each in requirements}
    found = set()
    for pin in pinned:
        name, _, version = pin.partition(";")[0].strip().partition("==")
        specifier = allowed.get(canonicalize_name(name))
        if specifier is not None and not specifier.contains(version, prereleases=True):
            found.add(f"{name}=={version} does not meet {name}{specifier}")
    return found


def test_what_a_smaller_set_pins_the_larger_one_pins_too(root: Path) -> None:
    """`make demo` works with the versions that the tests have, with and without TensorBoard."""
    assert pins(root, "demo") - pins(root, "demo-tensorboard") == set()
    assert pins(root, "demo-tensorboard") - pins(root, "dev") == set()


def test_every_pin_meets_the_bounds_of_the_project(root: Path) -> None:
    """Otherwise the tests run with versions that users cannot install."""
    pinned = set().union(*(pins(root, name) for name in ("dev", "demo", "demo-tensorboard")))
    requirements = [each for entries in declared(root).values() for each in entries]

    assert rejected_pins(requirements, pinned) == set()
    assert rejected_pins([Requirement("httpx-retries>=99")], pinned) != set()


@pytest.mark.parametrize("where", ["dependencies", "cli", "contract", "emulator", "obs", "search", "tensorboard", "ui"])
def test_every_library_that_users_install_is_pinned_for_the_tests(root: Path, where: str) -> None:
    """A library that no test has is one that nobody tried."""
    pinned = {canonicalize_name(pin.partition("==")[0]) for pin in pins(root, "dev")}

    assert {each.name for each in declared(root)[where]} - pinned == set()


def test_every_library_that_users_install_has_its_reason_in_the_table_of_dependencies(root: Path) -> None:
    """A name somewhere in the prose of the decisions is no reason."""
    decisions = (root / "docs" / "decisions.md").read_text("utf-8")
    table = decisions.partition("\n## Dependencies\n")[2]
    explained = {name.strip() for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) for name in row.split(",")}
    installed = {
        each.name for where, entries in declared(root).items() if not where.startswith("group") for each in entries
    }

    assert installed - explained == set()
