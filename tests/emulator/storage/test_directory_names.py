"""The sorted names of directories, of which large ones are read once while they do not change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from modelarts_emulator.storage.directory_names import Directory, DirectoryNames

COUNT = 100
HOUR_NS = 3600 * 10**9


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A directory of many files, which was changed an hour ago."""
    for number in range(COUNT):
        (tmp_path / f"{number:04}").touch()
    return aged(tmp_path)


def aged(folder: Path, age_ns: int = HOUR_NS) -> Path:
    changed_ns = Directory.at(str(folder)).seen_ns - age_ns  # type: ignore[union-attr]
    os.utime(folder, ns=(changed_ns, changed_ns - changed_ns % 1000 + 1))
    return folder


def names_of(names: DirectoryNames, folder: Path, first: str = "") -> list[str]:
    directory = Directory.at(str(folder))
    assert directory is not None
    return list(names.of(directory, first))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The directories that were read."""
    found: list[str] = []
    read = os.scandir

    def scan(path: str) -> os._ScandirIterator[str]:
        found.append(path)
        return read(path)

    monkeypatch.setattr(os, "scandir", scan)
    return found


def test_a_large_directory_is_read_once_for_all_pages(large: Path, reads: list[str]) -> None:
    names = DirectoryNames(large=COUNT)

    pages = [names_of(names, large, f"{first:04}")[:10] for first in range(0, COUNT, 10)]

    assert [f"{number:04}" for number in range(COUNT)] == [name for page in pages for name in page]
    assert reads == [str(large)]


def test_names_that_are_added_removed_or_replaced_are_seen_at_once(large: Path) -> None:
    names = DirectoryNames(large=COUNT)
    before = names_of(names, large)

    (large / "0000").unlink()
    (large / "0001").unlink()
    (large / "0001").mkdir()
    (large / "new").touch()

    assert ["0001/", *before[2:], "new"] == names_of(names, large)


@pytest.mark.parametrize("changed_ns", [10**18, 4 * 10**18 + 1])
def test_a_directory_whose_next_change_might_not_show_is_read_again(
    large: Path, reads: list[str], changed_ns: int
) -> None:
    """Its file system counts in milliseconds or longer, or its change is not in the past."""
    os.utime(large, ns=(changed_ns, changed_ns))
    names = DirectoryNames(large=COUNT)

    for _ in range(2):
        names_of(names, large)

    assert reads == [str(large)] * 2


def test_a_link_may_lead_to_another_kind_of_thing_later(large: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The directory with the link does not change then."""
    target = tmp_path_factory.mktemp("elsewhere") / "target"
    target.touch()
    (large / "link").symlink_to(target)
    names = DirectoryNames(large=COUNT)
    assert names_of(names, aged(large), "l") == ["link"]

    target.unlink()
    target.mkdir()

    assert names_of(names, large, "l") == ["link/"]


def test_the_names_of_few_directories_are_kept(tmp_path: Path, reads: list[str]) -> None:
    """Those that were kept first are forgotten when there are too many."""
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
        for number in range(COUNT):
            (folder / str(number)).touch()
        aged(folder)
    names = DirectoryNames(large=COUNT, most=2 * COUNT)

    for folder in [*folders, *folders[::-1]]:
        assert len(names_of(names, folder)) == COUNT

    assert [Path(path).name for path in reads] == ["a", "b", "c", "a"]
