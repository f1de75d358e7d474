"""`modelarts job`: looking at jobs, and ending them."""

import json
import re
from pathlib import Path

import yaml
from tests.overlays.cli.conftest import FLAVOR, Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Config, ModelArts


def test_a_job_is_named_by_the_begin_of_its_id_or_name_or_as_the_last(run: Run, submit: Submit) -> None:
    """Too few characters of a name are rejected: the command may delete the job."""
    job = submit("digits-1795370952034960029")

    for word in (job.id, job.id[:6], job.name, "digits-1795", "--last"):
        assert json.loads(run("job", "get", word, "-o", "json").stdout)["metadata"]["id"] == job.id, word
    assert run("job", "get", "dig").exit_code == 6


def test_a_job_is_shown_as_fields_or_as_the_document_of_the_service(
    run: Run, submit: Submit, service: Emulator
) -> None:
    job = submit("digits")
    service.clock.advance(1)

    shown = run("job", "get", "digits").stdout

    assert "Name         digits\n" in shown
    assert "Phase        Running\n" in shown
    assert yaml.safe_load(run("job", "get", "digits", "-o", "yaml").stdout) == job.refresh().details.to_dict()


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


def test_outputs_and_logs_are_downloaded(run: Run, submit: Submit, service: Emulator, tmp_path: Path) -> None:
    submit("digits", outputs=[{"name": "train_url", "remote": {"obs": {"obs_url": "obs://work/out/"}}}])
    service.clock.advance(30)
    service.objects.put("obs://work/out/model.bin", "weights")

    done = run("job", "download", "digits", tmp_path / "out", "--logs", "--wait", "-o", "json")

    assert json.loads(done.stdout)["files"] == 2
    assert (tmp_path / "out" / "train_url" / "model.bin").read_text() == "weights"
    assert (tmp_path / "out" / "logs" / "worker-0.log").stat().st_size > 0


def test_an_output_that_cannot_be_stored_does_not_cost_the_others(
    run: Run, submit: Submit, service: Emulator, tmp_path: Path
) -> None:
    """The folder of a channel may be a link that leads elsewhere."""
    channels = ["first", "second"]
    submit(
        "digits",
        outputs=[{"name": name, "remote": {"obs": {"obs_url": f"obs://work/{name}/"}}} for name in channels],
    )
    for name in channels:
        service.objects.put(f"obs://work/{name}/model.bin", "weights")
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "first").symlink_to(tmp_path / "elsewhere")

    done = run("job", "download", "digits", tmp_path / "out")

    assert done.exit_code == 1
    assert "output 'first' leads out of" in done.stderr
    assert (tmp_path / "out" / "second" / "model.bin").read_text() == "weights"
    assert list((tmp_path / "elsewhere").iterdir()) == []
