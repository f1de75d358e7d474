"""`modelarts job submit`, `check` and `rerun`."""

import json
from pathlib import Path

from tests.overlays.cli.conftest import FLAVOR, Run, job_request

from modelarts_emulator.server import Emulator

VENDOR_FILE = f"""\
name: vendor
code-dir: obs://work/code/
boot-file: train.py
framework-type: PyTorch
framework-version: pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64
data-url: obs://work/data/
log-url: obs://work/logs/
train-instance-type: {FLAVOR}
train-instance-count: 1
env-variables:
  LEVEL: yes
"""


def submitted(run: Run, name: str = "--last") -> dict:
    return json.loads(run("job", "get", name, "-o", "json").stdout)


def test_a_file_with_local_folders_is_uploaded_run_and_followed(run: Run, quick: Emulator, project: Path) -> None:
    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.10\ntrained\n" in done.stdout, "a hyperparameter is sent as it is written"
    assert "Uploaded code: 1 file to obs:" in done.stderr
    job = submitted(run)
    assert job["metadata"]["name"] == "digits"
    code = job["algorithm"]["code_dir"]
    assert code.endswith("/code/"), "the folder keeps its name"
    assert job["algorithm"]["boot_file"] == f"{code}train.py"
    assert quick.objects.get(f"{code}train.py") == b"print('hello')\n"
    assert quick.objects.get(job["algorithm"]["inputs"][0]["remote"]["obs"]["obs_url"] + "train.csv") == b"1,2\n"
    assert "The output train_url is empty." in done.stderr


def test_options_go_before_the_file(run: Run, quick: Emulator, project: Path) -> None:
    options = "--name other --parameter lr=0.5 --parameter epochs=3 --description d -d -q"
    done = run("job", "submit", "job.yaml", *options.split())

    job = submitted(run)
    assert done.stdout.strip() == job["metadata"]["id"]
    assert done.stderr == ""
    assert (job["metadata"]["name"], job["metadata"]["description"]) == ("other", "d")
    assert {each["name"]: each["value"] for each in job["algorithm"]["parameters"]} == {"lr": "0.5", "epochs": "3"}


def test_a_file_of_the_vendors_command_works_unchanged(run: Run, quick: Emulator, project: Path) -> None:
    quick.objects.put("obs://work/code/train.py", "")
    quick.objects.put("obs://work/data/x", "")
    Path("vendor.yaml").write_text(VENDOR_FILE)

    done = run("job", "submit", "vendor.yaml", "--output", "model=obs://work/out/", "--train-instance-count", 2)

    assert done.exit_code == 0, done.stderr
    job = submitted(run)
    assert job["algorithm"]["boot_file"] == "obs://work/code/train.py"
    assert job["algorithm"]["engine"]["engine_version"].startswith("pytorch_1.8.0")
    assert job["algorithm"]["environments"] == {"LEVEL": "yes"}
    assert job["algorithm"]["inputs"][0]["name"] == "data_url"
    assert job["algorithm"]["outputs"][0]["name"] == "model"
    assert job["spec"]["resource"]["node_count"] == 2
    assert job["spec"]["log_export_path"]["obs_url"] == "obs://work/logs/"


def test_a_file_may_have_the_fields_of_the_request_as_json(run: Run, quick: Emulator, project: Path) -> None:
    quick.objects.put("obs://work/code/train.py", "")
    request = job_request("wire", parameters=[{"name": "lr", "value": 0.1}])
    Path("job.json").write_text(json.dumps(request, indent=1))

    assert run("job", "submit", "job.json").exit_code == 0
    assert run("job", "submit", "-", "--detach", stdin=json.dumps(request)).exit_code == 0
    assert submitted(run, "wire")["algorithm"]["parameters"][0]["value"] == "0.1"


def test_the_exit_status_is_that_of_the_job(run: Run, emulator: Emulator, quick: Emulator, project: Path) -> None:
    quick.plans.add(job="*", exit_code=1, log=["MemoryError"])

    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 3
    assert "The node ran out of memory." in done.stderr


def test_a_job_is_run_once_more_with_other_hyperparameters(run: Run, quick: Emulator, project: Path) -> None:
    run("job", "submit", "job.yaml")

    done = run("job", "rerun", "digits", "--parameter", "lr=0.7")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.7" in done.stdout
    job = submitted(run)
    assert job["metadata"]["name"].startswith("digits-")


def test_local_paths_among_the_fields_of_the_request_name_the_keys_for_them(run: Run, project: Path) -> None:
    """The boot file, which is below the code directory, is not reported once more."""
    channel = {"name": "data_url", "remote": {"obs": {"obs_url": "./data"}}}
    request = job_request("wire", code_dir="./code", boot_file="./code/train.py", inputs=[channel])
    Path("job.json").write_text(json.dumps(request))

    done = run("job", "check", "job.json", "--offline")

    assert done.exit_code == 1
    assert 'for a local path, write "code: ./code" at the top level of a job file' in done.stderr
    assert 'for a local path, write "inputs: {data_url: ./data}" at the top level of a job file' in done.stderr
    assert "boot_file" not in done.stderr
    assert len(done.stderr.splitlines()) == 3


def test_check_without_a_service(run: Run, project: Path) -> None:
    assert run("job", "check", "job.yaml", "--offline").exit_code == 0
    Path("code/deep").mkdir()
    for number in range(1001):
        Path(f"code/deep/{number}").touch()

    done = run("job", "check", "job.yaml", "--offline")

    assert done.exit_code == 1
    assert "a code directory has at most 1000 files, not 1002" in done.stderr
    assert "job.yaml:2:1" in done.stderr


def test_what_the_service_was_seen_to_reject_is_a_warning(run: Run, tmp_path: Path) -> None:
    """No page forbids it, so the job is not called wrong."""
    body = {
        "kind": "job",
        "metadata": {"name": "warned"},
        "algorithm": {"command": "true", "engine": {"image_url": "swr.eu-de.example.com/group/trainer:1"}},
        "spec": {"resource": {"pool_id": "pool-1", "flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }
    (tmp_path / "job.json").write_text(json.dumps(body))

    done = run("job", "check", tmp_path / "job.json", "--offline")

    assert done.exit_code == 0
    assert done.stderr.count("warning: ") == 2
    assert "algorithm.engine.image_url: leave out the registry's host (swr.eu-de.example.com)" in done.stderr
    assert "spec.resource.flavor_id: leave out modelarts.vm.cpu.8u" in done.stderr
