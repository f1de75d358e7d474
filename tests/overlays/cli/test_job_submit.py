"""`modelarts job submit`, `check` and `rerun`."""

import json
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import ENGINE, FLAVOR, JOB, Run

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
    request = {
        "metadata": {"name": "wire"},
        "algorithm": {
            "code_dir": "/work/code/",
            "boot_file": "/work/code/train.py",
            "engine": {"engine_id": ENGINE},
            "parameters": [{"name": "lr", "value": 0.1}],
        },
        "spec": {"resource": {"flavor_id": FLAVOR}},
    }
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


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (JOB.replace("flavor:", "flavour:"), "job.yaml:5:1", "flavour: unknown key; did you mean 'flavor'?"),
        (JOB + "spec: {resorce: {}}\n", "job.yaml:12:8", "unknown field; did you mean 'resource'?"),
        (JOB + "nodes: many\n", "job.yaml:12:1", "must be an integer, not 'many'"),
        (JOB + "nodes: 0\n", "job.yaml:12:1", "must be at least 1, not 0"),
        (JOB.replace("name: digits", "name: 2024"), "job.yaml:1:1", "must be a text, not 2024: write it in quotes"),
        (JOB.replace("name: digits", "name: my digits"), "job.yaml:1:1", "use 1 to 64 letters, digits, _ and -"),
        (JOB.replace("boot: train.py", "boot: tain.py"), "job.yaml:3:1: ", "boot: file tain.py does not exist in code"),
        (JOB.replace(f"engine: {ENGINE}\n", ""), "job.yaml", "algorithm.engine: is missing"),
        (JOB.replace(f"flavor: {FLAVOR}\n", ""), "job.yaml", "spec.resource.flavor_id: is missing"),
        ("name: [digits\ncode: code\n", "job.yaml:2:5", "not valid YAML"),
        ("name: a\nname: b\n", "job.yaml:2:1", "the key name is there twice"),
        ("- name: a\n", "job.yaml:1:1", "a job file is a mapping such as `name: digits`, not a list"),
        ("uid: 0\n" + JOB, "job.yaml:1:1: ", "uid: must be 1000"),
    ],
)
def test_a_wrong_file_is_rejected_before_anything_is_sent(
    run: Run, quick: Emulator, project: Path, text: str, place: str, said: str
) -> None:
    """The message has the place of the mistake."""
    Path("job.yaml").write_text(text)

    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 1, done.output
    assert place in done.stderr
    assert said in done.stderr
    assert list((quick.data_dir / "objects").glob("[!.]*")) == []

    Path("job.json").write_text('{\n "name": digits\n}')
    assert "job.json:2:10: not valid JSON: Expecting value" in run("job", "submit", "job.json").stderr


def test_check_reports_everything_that_is_wrong_at_once(run: Run, quick: Emulator, project: Path) -> None:
    quick.objects.put("obs://work/x", "")
    text = JOB.replace(FLAVOR, "modelarts.vm.cpu.9u").replace(ENGINE, "pytroch")
    text = text.replace("data_url: data", "data_url: obs://work/none/")
    Path("job.yaml").write_text(f"{text}nodes: 0\n")

    done = run("job", "check", "job.yaml")

    assert done.exit_code == 1
    assert "job.yaml:5:1: spec.resource.flavor_id: there is no flavor modelarts.vm.cpu.9u; did you mean" in done.stderr
    assert 'job.yaml:4:1: algorithm.engine: no engine fits "pytroch"' in done.stderr
    assert done.stderr.count("algorithm.engine") == 1
    assert "nothing is there: obs://work/none/" in done.stderr
    assert "job.yaml:12:1: spec.resource.node_count: must be at least 1" in done.stderr
    fields = [each["field"] for each in json.loads(run("job", "check", "job.yaml", "-o", "json").stdout)]
    assert "algorithm.engine" in fields
    submitted = run("job", "submit", "job.yaml")
    assert submitted.exit_code == 1
    assert submitted.stderr.splitlines()[1:] == done.stderr.splitlines()[1:]


def test_mistakes_of_every_kind_are_reported_together(run: Run, quick: Emulator, project: Path) -> None:
    """Unknown keys, wrong forms, missing folders, and values: each once, with line and column."""
    text = JOB.replace("flavor:", "flavour:").replace("  lr: 0.10", "  - lr").replace("code: code", "code: cod")
    Path("job.yaml").write_text(text.replace("data_url: data", "data_url: dat") + "nodes: 0\nuid: 0\n")

    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 1
    said = done.stderr
    assert "inputs.data_url: file or folder dat does not exist" in said
    assert "code: folder cod does not exist" in said
    assert "parameters: write NAME=VALUE" in said
    places = sorted(line.split(": ")[0].strip() for line in said.splitlines()[1:])
    assert places == [f"job.yaml:{place}" for place in ("10:1", "12:1", "13:1", "2:1", "5:1", "7:3")]


def test_local_paths_among_the_fields_of_the_request_name_the_keys_for_them(run: Run, project: Path) -> None:
    """The boot file, which is below the code directory, is not reported once more."""
    channel = {"name": "data_url", "remote": {"obs": {"obs_url": "./data"}}}
    request = {
        "metadata": {"name": "wire"},
        "algorithm": {
            "code_dir": "./code",
            "boot_file": "./code/train.py",
            "engine": {"engine_id": ENGINE},
            "inputs": [channel],
        },
        "spec": {"resource": {"flavor_id": FLAVOR}},
    }
    Path("job.json").write_text(json.dumps(request))

    done = run("job", "check", "job.json", "--offline")

    assert done.exit_code == 1
    assert 'for a local path, write "code: ./code" at the top level of a job file' in done.stderr
    assert 'for a local path, write "inputs: {data_url: ./data}" at the top level of a job file' in done.stderr
    assert "boot_file" not in done.stderr
    assert len(done.stderr.splitlines()) == 3


def test_a_wrong_option_is_named_instead_of_the_line_that_it_replaces(run: Run, quick: Emulator, project: Path) -> None:
    done = run("job", "check", "job.yaml", "--flavor", "modelarts.vm.cpu.9u", "--log-url", "logs")

    assert done.exit_code == 1
    assert "\n  --flavor: spec.resource.flavor_id: there is no flavor modelarts.vm.cpu.9u" in done.stderr
    assert "\n  --log-url: spec.log_export_path.obs_url: " in done.stderr


def test_the_format_is_the_same_option_as_everywhere(run: Run, quick: Emulator, project: Path) -> None:
    """`--output` names channels here, so that a format there is an error."""
    assert json.loads(run("job", "check", "job.yaml", "-o", "json").stdout) == []
    assert "-o json chooses how to print" in run("job", "submit", "job.yaml", "--output", "json").stderr


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
