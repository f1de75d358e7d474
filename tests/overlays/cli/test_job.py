"""`modelarts job`: submitting jobs, and looking at them; transcripts show the rest."""

import json
import re
from pathlib import Path

from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run, Submit

from modelarts_emulator.execution.protocol import Device
from modelarts_emulator.server import Emulator
from modelarts_toolkit import Config, ModelArts


def test_a_job_is_named_by_the_begin_of_its_id_or_name_or_as_the_last(run: Run, submit: Submit) -> None:
    """Too few characters of a name are rejected: the command may delete the job."""
    job = submit("digits-1795370952034960029")

    for word in (job.id, job.id[:6], job.name, "digits-1795", "--last"):
        assert json.loads(run("job", "get", word, "-o", "json").stdout)["metadata"]["id"] == job.id, word
    assert run("job", "get", "dig").exit_code == 6


def test_waiting_says_the_stage_of_a_job_that_does_not_start(run: Run) -> None:
    body = {"algorithm": {"engine": {"image_url": "i"}, "command": "c"}, "spec": {"resource": {"flavor_id": FLAVOR}}}
    with Emulator(executor="simulated", capacity={FLAVOR: 1}) as emulator:
        emulator.plans.add(job="*", duration=3600)
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            for name in ("first", "second"):
                ma.jobs.submit({"metadata": {"name": name}, **body})  # type: ignore[typeddict-item]
        done = run("job", "wait", "second", "--timeout", 3, **emulator.environment())

    assert done.exit_code == 5
    assert re.search(r":\d\d second Pending, stage scheduling since 20.*: The job waits", done.stderr)


def test_a_job_that_waits_for_a_gpu_says_so_and_the_emulator_says_who_has_it(run: Run) -> None:
    """Also as JSON; a job that runs has no reason."""
    with Emulator(executor="simulated", devices=[Device("GPU-0", "gpu", "0", "NVIDIA T4", 15 << 30)]) as emulator:
        environment = emulator.environment()
        emulator.plans.add(job="*", duration=3600)
        emulator.objects.put("obs://work/code/train.py", "")
        options = ["--code", "obs://work/code/", "--boot", "train.py", "--engine", ENGINE, "--flavor", "local.gpu"]
        for name in ("first", "second"):
            assert run("job", "submit", "--name", name, *options, "--detach", **environment).exit_code == 0, name
        run("job", "wait", "first", "--until", "Running")

        shown, document = run("job", "get", "second").stdout, run("job", "get", "second", "-o", "json").stdout
        running = run("job", "get", "first", "-o", "json").stdout
        status = run("emulator", "status", "--data-dir", emulator.data_dir).stdout
        found = json.loads(run("emulator", "status", "-o", "json", "--data-dir", emulator.data_dir).stdout)

    why = "The job is waiting for resources: it needs 1 GPU; of 1 GPU, 0 are free, and jobs before it may need them."
    assert re.search(rf"^Why +{re.escape(why)}$", shown, re.MULTILINE), shown
    assert json.loads(document)["why"] == why
    assert "why" not in json.loads(running)
    assert status.splitlines()[2:] == ["GPU 0, NVIDIA T4, 15 GB: first/worker-0"]
    assert [(task["name"], task["task"]) for task in found["devices"][0]["tasks"]] == [("first", "worker-0")]


def test_a_file_with_local_folders_is_uploaded_run_and_followed(run: Run, quick: Emulator, project: Path) -> None:
    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.10\ntrained\n" in done.stdout, "a hyperparameter is sent as it is written"
    assert "Uploaded code: 1 file to obs:" in done.stderr
    job = json.loads(run("job", "get", "--last", "-o", "json").stdout)
    assert job["metadata"]["name"] == "digits"
    code = job["algorithm"]["code_dir"]
    assert code.endswith("/code/"), "the folder keeps its name"
    assert job["algorithm"]["boot_file"] == f"{code}train.py"
    assert quick.objects.get(f"{code}train.py") == b"print('hello')\n"
    assert quick.objects.get(job["algorithm"]["inputs"][0]["remote"]["obs"]["obs_url"] + "train.csv") == b"1,2\n"
    assert "The output train_url is empty." in done.stderr
