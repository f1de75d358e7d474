"""What goes wrong on the way to object storage, as a user of the toolkit meets it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.storage.uploads import PART


@pytest.fixture(scope="module")
def running() -> Iterator[Emulator]:
    with Emulator(executor="simulated") as emulator:
        yield emulator


@pytest.fixture
def emulator(running: Emulator) -> Emulator:
    """One server for all tests, without objects and faults at the begin of each."""
    running.reset()
    return running


def _applied(emulator: Emulator) -> int:
    """How many calls the faults have changed."""
    return sum(fault["applied"] for fault in emulator.faults.list())


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("PUT", {"kind": "status", "status": 503}),
        ("PUT", {"kind": "drop", "moment": "before"}),
        ("PUT", {"kind": "drop", "moment": "after"}),
        ("GET", {"kind": "status", "status": 503}),
        ("GET", {"kind": "html", "status": 502}),
        ("GET", {"kind": "drop", "moment": "before"}),
        ("GET", {"kind": "drop", "moment": "body"}),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.get("moment", value.get("status"))),
)
def test_files_come_through_although_object_storage_fails_now_and_then(
    emulator: Emulator, environment: dict[str, str], tmp_path: Path, operation: str, fault: dict[str, Any]
) -> None:
    """Buckets that are made, code that is uploaded, outputs that are fetched."""
    source = tmp_path / "source"
    source.mkdir()
    for number in range(4):
        (source / f"{number}.bin").write_bytes(random.Random(number).randbytes(300_000))
    for after in (0, 2, 4):
        emulator.faults.add(document="obs", operations=[operation], after=after, count=1, **fault)

    with ModelArts() as ma:
        ma.obs.create_bucket("stories")
        ma.obs.upload(source, "obs://stories/files/")
        ma.obs.download("obs://stories/files/", tmp_path / "fetched")

    assert _applied(emulator) >= 2
    fetched = {path.name: path.read_bytes() for path in (tmp_path / "fetched").iterdir()}
    assert fetched == {path.name: path.read_bytes() for path in source.iterdir()}


@pytest.mark.parametrize("moment", ["after", "body"])
@pytest.mark.parametrize("after", [0, 1], ids=["the begin of an upload", "its end"])
def test_large_files_come_through_although_a_response_is_lost(
    emulator: Emulator, environment: dict[str, str], tmp_path: Path, after: int, moment: str
) -> None:
    content = random.Random(1).randbytes(PART + 1)
    (tmp_path / "large").write_bytes(content)
    emulator.faults.add(kind="drop", moment=moment, document="obs", operations=["POST"], after=after, count=1)

    with ModelArts() as ma:
        ma.obs.create_bucket("stories")
        ma.obs.upload(tmp_path / "large", "obs://stories/large")
        stored = (emulator.data_dir / "objects" / "stories" / "large").read_bytes()

    assert stored == content
    assert _applied(emulator) == 1
