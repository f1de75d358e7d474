"""A job that runs again continues from the checkpoint that it delivered before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.stories.conftest import connect, eventually, job_body, upload

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

COUNT = """
import pathlib, sys, time
folder = pathlib.Path(dict(each[2:].split("=", 1) for each in sys.argv[1:])["model"])
step = folder / "step.txt"
done = int(step.read_text()) + 1 if step.exists() else 1
step.write_text(str(done))
print("step", done, flush=True)
if done == 2:
    time.sleep(60)
"""


def train(ma: ModelArts, folder: Path, annotations: dict[str, str]) -> Any:
    """Submit a job that counts its attempts in its output, which is restored."""
    upload(ma, folder, COUNT)
    output = {"name": "model", "remote": {"obs": {"obs_url": "/stories/restored/out/"}}}
    outputs = [output | {"prefetch_to_local": True}]
    return ma.jobs.submit(job_body("restored", annotations=annotations, outputs=outputs))


def steps(job: Any) -> list[str]:
    return [line for line in job.logs() if line.startswith("step ")]


def test_a_job_that_is_restarted_and_preempted_finds_its_checkpoint_each_time(
    emulator: Emulator, ma: ModelArts, tmp_path: Path
) -> None:
    """The first run delivers, the second one is preempted and delivers, the third one continues from there."""
    job = train(ma, tmp_path, {"fault-tolerance/job-retry-num": "1"}).wait()
    job.restart()
    eventually(lambda: steps(job) == ["step 1", "step 2"], "the second run prints")
    emulator.faults.add(job=job.id, kind="preempted")

    job.wait()

    assert steps(job) == ["step 1", "step 2", "step 3"]
    assert emulator.objects.get("obs://stories/restored/out/step.txt") == b"3"


def test_a_simulated_job_says_that_its_outputs_are_restored(tmp_path: Path) -> None:
    with (
        Emulator(data_dir=tmp_path / "simulated", executor="simulated", check_responses=True) as emulator,
        connect(emulator) as ma,
    ):
        restored = train(ma, tmp_path, {})
        emulator.clock.advance(60)
        messages = [event.message for event in restored.events()]

    assert "[worker-0][time used: 0.000s] Download training output(parameter name: model) finished." in messages
