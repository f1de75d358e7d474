"""The files of the repository, as git sees them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def files() -> list[Path]:
    """Every file that is or could be committed, relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listing.stdout.decode().split("\0")
    return sorted({Path(name) for name in names if name and (ROOT / name).is_file()})


@pytest.fixture(scope="session")
def texts(files: list[Path]) -> dict[Path, str]:
    """The text of every file that is UTF-8 text."""
    found = {}
    for file in files:
        content = (ROOT / file).read_bytes()
        if b"\0" not in content:
            found[file] = content.decode("utf-8")
    return found
