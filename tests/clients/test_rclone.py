"""rclone, as an S3 client of any provider, synchronises folders with buckets."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.clients.conftest import output_of

from modelarts_emulator.server import Emulator

Run = Callable[..., str]
LARGE = bytes(range(256)) * (9 << 12)  # 9 MiB


@pytest.fixture(scope="module")
def rclone(emulator: Emulator, client_variables: dict[str, str]) -> Run:
    """Runs a command and returns what it prints."""
    if (program := shutil.which("rclone")) is None:
        pytest.skip("rclone is not installed: apt-get install rclone")
    settings = {
        "RCLONE_CONFIG_EMULATOR_TYPE": "s3",
        "RCLONE_CONFIG_EMULATOR_PROVIDER": "Other",
        "RCLONE_CONFIG_EMULATOR_ACCESS_KEY_ID": emulator.identity.access_key,
        "RCLONE_CONFIG_EMULATOR_SECRET_ACCESS_KEY": emulator.identity.secret_key,
        "RCLONE_CONFIG_EMULATOR_ENDPOINT": emulator.obs_endpoint,
        "RCLONE_CONFIG_EMULATOR_REGION": "eu-de",
    }
    options = ["--retries=1", "--low-level-retries=1", "--s3-chunk-size=5Mi", "--s3-upload-cutoff=5Mi"]

    return lambda *arguments: output_of(program, *arguments, *options, variables=client_variables | settings)


@pytest.fixture
def bucket(rclone: Run) -> str:
    name = f"rclone-{uuid.uuid4().hex[:12]}"
    rclone("mkdir", f"emulator:{name}")
    return name


def test_folders_are_synchronised_and_compared_by_md5(rclone: Run, bucket: str, tmp_path: Path) -> None:
    """A tree with a large file and odd names is the same after an upload and a download."""
    source = tmp_path / "source"
    for name in ("a.txt", "d/große Datei.bin", "d/e/quotes '\"&<>.txt"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(LARGE if "große" in name else name.encode())
    rclone("sync", str(source), f"emulator:{bucket}/tree")
    rclone("check", str(source), f"emulator:{bucket}/tree")
    rclone("copy", f"emulator:{bucket}/tree", str(tmp_path / "target"))

    found = {path.relative_to(source): path.read_bytes() for path in source.rglob("*") if path.is_file()}
    assert {path: (tmp_path / "target" / path).read_bytes() for path in found} == found
    assert sorted(rclone("lsf", f"emulator:{bucket}/tree").splitlines()) == ["a.txt", "d/"]


def test_ranges_copies_links_dates_and_removal(rclone: Run, bucket: str, tmp_path: Path) -> None:
    """Parts are read, objects are copied, moved and dated (in metadata) within the store, and a bucket is purged."""
    place = f"emulator:{bucket}"
    (tmp_path / "x").write_bytes(b"0123456789")
    rclone("copyto", str(tmp_path / "x"), f"{place}/x")
    assert rclone("cat", "--offset=2", "--count=3", f"{place}/x") == "234"
    rclone("copyto", f"{place}/x", f"{place}/y")
    rclone("moveto", f"{place}/y", f"{place}/z")
    assert rclone("cat", f"{place}/z") == "0123456789"
    assert "Signature=" in rclone("link", f"{place}/z")
    rclone("touch", "--timestamp=2020-01-02T03:04:05", f"{place}/z")
    assert "2020-01-02 03:04:05" in rclone("lsl", f"{place}/z")
    rclone("deletefile", f"{place}/z")
    assert "z" not in rclone("lsf", place).splitlines()
    rclone("purge", place)
    assert f"{bucket}/" not in rclone("lsf", "emulator:").splitlines()
