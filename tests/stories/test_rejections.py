"""Bad input gets a clear error, and the command line ends with a status that is right."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

import pytest
from tests.stories.conftest import MODELARTS, EmulatorProcess

from modelarts_toolkit import ApiError, ModelArts, Unauthorized

ENGINE: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}


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
    "missing boot file": ({"algorithm": {"boot_file": "/stories/code/absent.py"}}, "ModelArts.2758"),
    "malformed OBS URL": ({"algorithm": {"code_dir": "not a url", "boot_file": "not a url/boot.py"}}, "ModelArts."),
    "too many nodes": ({"spec": {"resource": {"flavor_id": "modelarts.vm.cpu.2u", "node_count": 5}}}, "ModelArts.2793"),
}


@pytest.mark.parametrize(("change", "expected"), REJECTED.values(), ids=REJECTED)
def test_a_job_that_cannot_run_is_rejected_with_the_documented_code(
    ma: ModelArts, submit: Any, change: dict[str, Any], expected: str
) -> None:
    submit(ma, "code", "print('fine')\n").wait()
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


def started(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MODELARTS, "emulator", *options], capture_output=True, text=True, timeout=300, check=False)


def test_a_folder_serves_one_emulator_at_a_time(emulator_process: EmulatorProcess) -> None:
    done = started("--port", "0", "--obs-port", "0", "--data-dir", str(emulator_process.data_dir))

    assert done.returncode == 1
    assert str(emulator_process.data_dir) in done.stderr


def test_ctrl_c_stops_the_emulator_cleanly(emulator_process: EmulatorProcess) -> None:
    assert emulator_process.end(signal.SIGINT) == 0
