"""Data folders of earlier versions of the emulator: their jobs and objects are there, and go on."""

from __future__ import annotations

import os
import tarfile
from decimal import Decimal
from pathlib import Path

import boto3
import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

FOLDERS = Path(__file__).parents[1] / "data" / "emulator"


def extract(folder: Path, target: Path) -> None:
    """Extract the archive with times to the nanosecond, by which object storage distinguishes states of an object."""
    with tarfile.open(folder) as archive:
        archive.extractall(target, filter="data")
        for member in archive:
            if member.isfile():
                time_ns = int(Decimal(member.pax_headers.get("mtime", str(member.mtime))) * 10**9)
                os.utime(target / member.name, ns=(time_ns, time_ns))


@pytest.mark.parametrize("folder", sorted(FOLDERS.glob("data_folder_*.tar.xz")), ids=lambda path: path.stem)
def test_a_folder_of_an_earlier_version_opens_with_its_jobs_and_objects(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a second time; and what waited for room when the earlier version stopped runs now."""
    extract(folder, tmp_path)

    for _ in range(2):
        with Emulator(tmp_path, check_responses=True) as emulator, monkeypatch.context() as patch:
            for name, value in emulator.environment().items():
                patch.setenv(name, value)
            with ModelArts() as ma:
                jobs = {job.metadata.name: job for job in ma.v2.training_jobs.iter_training_jobs()}
                ma.wait(jobs["queued"], timeout=30)
                phases = {name: job.status.phase for name, job in jobs.items() if name != "queued"}
                log = "\n".join(ma.follow_logs(jobs["completed"]))
                algorithms = [item.metadata.name for item in ma.v2.algorithms.iter_algorithms()]
            keys = {name: os.environ[f"AWS_{name.upper()}"] for name in ("access_key_id", "secret_access_key")}
            s3 = boto3.client(
                "s3",
                endpoint_url=emulator.obs_endpoint,
                region_name="any",
                aws_access_key_id=keys["access_key_id"],
                aws_secret_access_key=keys["secret_access_key"],
            )
            found = s3.get_object(Bucket="bucket", Key="notes/readme.txt")
            content = found["Body"].read()
            s3.close()

        assert phases == {
            "completed": "Completed",
            "failed": "Failed",
            "terminated": "Terminated",
        }
        assert "what succeed" in log
        assert algorithms == ["algorithm"]
        assert content == b"hello"
        assert (found["ContentType"], found["Metadata"]) == ("text/x-notes", {"colour": "green"})
