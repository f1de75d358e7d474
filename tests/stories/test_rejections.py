"""Bad input gets a clear error, and the command line ends with a status that is right."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import MODELARTS, EmulatorProcess

from modelarts_api.v2.models import CreateTrainingJobRequestDict
from modelarts_toolkit import ApiError, ConfigError, ModelArts, ObsError, Unauthorized

ENGINE: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}


def test_without_credentials_the_error_names_what_is_missing_and_how_to_set_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in list(os.environ):
        if name.startswith(("MODELARTS_", "OS_", "HUAWEICLOUD_", "AWS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    with pytest.raises(ConfigError) as rejection, ModelArts() as ma:
        ma.v2.flavors.show_training_job_flavors()

    assert "MODELARTS_" in str(rejection.value)


def test_a_wrong_password_is_rejected_with_401_and_never_shown(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OS_PASSWORD", "not-the-password")

    with pytest.raises(Unauthorized) as rejection, ModelArts() as ma:
        ma.v2.flavors.show_training_job_flavors()

    assert rejection.value.status == 401
    assert rejection.value.error_code
    assert "not-the-password" not in f"{rejection.value!r} {rejection.value}"


REJECTED = {
    "unknown flavor": ({"spec": {"resource": {"flavor_id": "no.such.flavor", "node_count": 1}}}, "flavor"),
    "unknown engine": ({"algorithm": {"engine": {"engine_id": "no-such-engine"}}}, "engine"),
    "boot file outside": ({"algorithm": {"boot_file": "/stories/elsewhere/boot.py"}}, "ModelArts.2792"),
    "missing boot file": ({"algorithm": {"boot_file": "/stories/code/absent.py"}}, "ModelArts.2758"),
    "malformed OBS URL": ({"algorithm": {"code_dir": "not a url", "boot_file": "not a url/boot.py"}}, "ModelArts."),
    "too many nodes": ({"spec": {"resource": {"flavor_id": "modelarts.vm.cpu.2u", "node_count": 5}}}, "ModelArts.2793"),
}


@pytest.mark.parametrize(("change", "expected"), REJECTED.values(), ids=REJECTED)
def test_a_job_that_cannot_run_is_rejected_with_the_documented_code(
    ma: ModelArts, submit: Any, change: dict[str, Any], expected: str
) -> None:
    ma.jobs.wait(submit(ma, "code", "print('fine')\n"))
    body: Any = {
        "kind": "job",
        "metadata": {"name": "rejected"},
        "algorithm": {"code_dir": "/stories/code/", "boot_file": "/stories/code/boot.py", "engine": ENGINE},
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }
    for part, members in change.items():
        body[part] = {**body[part], **members}

    with pytest.raises(ApiError) as rejection:
        ma.v2.training_jobs.create_training_job(body)

    assert rejection.value.status == 400
    assert expected.lower() in f"{rejection.value.error_code} {rejection.value.error_msg}".lower()
    assert ma.v2.training_jobs.list_training_jobs({"limit": 50, "offset": 0}).total == 1


def test_a_job_name_can_be_used_once(ma: ModelArts, submit: Any) -> None:
    job = submit(ma, "twice", "print('once')\n")
    body: CreateTrainingJobRequestDict = {
        "kind": "job",
        "metadata": {"name": "twice"},
        "algorithm": {"code_dir": "/stories/twice/", "boot_file": "/stories/twice/boot.py", "engine": ENGINE},
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }

    with pytest.raises(ApiError) as rejection:
        ma.v2.training_jobs.create_training_job(body)

    assert rejection.value.error_code == "ModelArts.2751"
    assert ma.jobs.wait(job).phase == "Completed"


def test_an_object_that_is_not_there_is_named(ma: ModelArts, tmp_path: Path) -> None:
    with pytest.raises(ObsError, match="nowhere"):
        ma.obs.download("obs://nowhere/file", tmp_path / "file")


def started(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MODELARTS, "emulator", *options], capture_output=True, text=True, timeout=20, check=False)


def test_a_port_in_use_is_an_error_that_names_the_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        done = started("--port", str(port), "--obs-port", "0", "--data-dir", str(tmp_path / "data"))

    assert done.returncode == 1
    assert str(port) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_folder_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")

    done = started("--port", "0", "--obs-port", "0", "--data-dir", str(file / "data"))

    assert done.returncode == 1
    assert str(file) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_serves_one_emulator_at_a_time(emulator_process: EmulatorProcess) -> None:
    done = started("--port", "0", "--obs-port", "0", "--data-dir", str(emulator_process.data_dir))

    assert done.returncode == 1
    assert str(emulator_process.data_dir) in done.stderr


def test_ctrl_c_stops_the_emulator_cleanly(emulator_process: EmulatorProcess) -> None:
    assert emulator_process.end(signal.SIGINT) == 0
