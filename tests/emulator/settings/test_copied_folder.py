"""A copy of a stopped emulator's data folder is another emulator with the same state."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobRequest, ModelArts

SCRIPT = """\
import argparse, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--train_url")
pathlib.Path(parser.parse_args().train_url, "model.bin").write_text("weights")
print("loss: 0.5")
"""
BODY: JobRequest = {
    "kind": "job",
    "metadata": {"name": "digits"},
    "algorithm": {
        "code_dir": "obs://work/code/",
        "boot_file": "obs://work/code/train.py",
        "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
        "outputs": [{"name": "train_url", "remote": {"obs": {"obs_url": "obs://work/out/"}}}],
    },
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
}


def client(server: Emulator, monkeypatch: pytest.MonkeyPatch) -> ModelArts:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return ModelArts()


def copy(tmp_path: Path) -> Path:
    """Copy as `docs/emulator-control.md` says."""
    target = tmp_path / "new"
    subprocess.run(["cp", "-r", tmp_path / "old", target], check=True)
    target.chmod(0o700)
    (target / "credentials.toml").chmod(0o600)
    return target


def test_jobs_logs_outputs_and_users_are_there_in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same credentials are valid, and objects have the same times and ETags."""
    with Emulator(tmp_path / "old", paths="mapping") as server, client(server, monkeypatch) as ma:
        ma.obs.create_bucket("work")
        (tmp_path / "train.py").write_text(SCRIPT)
        ma.obs.upload(tmp_path / "train.py", "obs://work/code/")
        job = ma.jobs.submit(BODY).wait()
        before = ma.obs.list("obs://work/code/")
        password = server.identity.password

    with Emulator(copy(tmp_path), paths="mapping") as server, client(server, monkeypatch) as ma:
        assert server.identity.password == password
        assert ma.jobs.get("digits").id == job.id
        assert "loss: 0.5" in [*ma.jobs.get("digits").logs()]
        assert ma.obs.list("obs://work/code/") == before
        assert server.objects.get("obs://work/out/model.bin") == b"weights"


def test_a_simulated_job_continues_in_a_copy_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Emulator(tmp_path / "old", executor="simulated") as server, client(server, monkeypatch) as ma:
        server.clock.freeze()
        server.objects.put("obs://work/code/train.py", "")
        server.plans.add(job="*", duration=3600, log=["@0 begun", "@3000 nearly"])
        ma.jobs.submit(BODY)
        server.clock.advance(60)
        now = server.clock.now

    with Emulator(copy(tmp_path), executor="simulated") as server, client(server, monkeypatch) as ma:
        assert (ma.jobs.get("digits").phase, server.clock.now) == ("Running", now)
        server.clock.advance(3600)
        assert ma.jobs.get("digits").phase == "Completed"
        assert "nearly" in [*ma.jobs.get("digits").logs()]
