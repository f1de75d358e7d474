"""scripts/release.py: what keeps a release from being made, and what is left to do."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import release

PACKAGE = "overlays/modelarts_toolkit"
PROJECT = {
    "project": {"urls": {}},
    "tool": {"hatch": {"build": {"targets": {"wheel": {"packages": [PACKAGE]}}}}},
}


def wheel_of(folder: Path, names: list[str]) -> Path:
    wheel = folder / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as opened:
        for name in names:
            opened.writestr(name, "")
    return wheel


def tracked() -> list[str]:
    listed = release.run("git", "ls-files", "--cached", "--others", "--exclude-standard", PACKAGE).splitlines()
    return [name.removeprefix("overlays/") for name in listed if (release.ROOT / name).exists()]


def test_a_changelog_of_another_version_stops_the_release() -> None:
    with pytest.raises(release.ReleaseError, match=r"the version is 0\.2\.0, the newest section .* is 0\.1\.0"):
        release.check_changelog("0.2.0", "# Changelog\n\n## 0.1.0 (2026-01-01)\n")


@pytest.mark.parametrize("change", ["a file more", "a file less"])
def test_a_wheel_with_other_files_than_the_tree_stops_the_release(tmp_path: Path, change: str) -> None:
    names = tracked()
    names = [*names, "modelarts_toolkit/secret.pem"] if change == "a file more" else names[1:]

    with pytest.raises(release.ReleaseError, match="wheel and tracked files differ"):
        release.check_wheel(wheel_of(tmp_path, names), PROJECT)


def test_a_wheel_with_the_files_of_the_tree_is_accepted(tmp_path: Path) -> None:
    release.check_wheel(wheel_of(tmp_path, tracked()), PROJECT)


def test_what_is_open_ends_with_the_command_that_sets_the_tag() -> None:
    """A version without a date, and a project without an address, are named."""
    lines = list(release.open_points("0.1.0", PROJECT))

    assert "names no Repository" in "".join(lines)
    assert lines[-1].strip() == "then: git tag -a v0.1.0 -m v0.1.0"
