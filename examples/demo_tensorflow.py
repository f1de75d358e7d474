"""The TensorFlow use case of the first API version in one run: a job that copies its data itself, and TensorBoard.

`make demo ENGINE=tensorflow`. Exit status 0 means: the job completed, TensorBoard shows its loss, and the downloaded
model named at least 95 % of the held-out digits right. `--numpy` does the same without TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from demo import PASS_MARK, Calls, DemoError, Terminal, emulator, main

from modelarts_api.v1.models import CreatedTrainingJob
from modelarts_toolkit import ModelArts

ROOT = Path(__file__).parents[1]
EXAMPLE = Path(__file__).parent / "mnist-v1"
PYTHON = ROOT / ".cache" / "engines" / "tensorflow" / "bin" / "python"
BUCKET = "test-modelarts"
RUNNING, COMPLETED = 8, 10
FINAL = (10, 11, 12, 13, 14)
POLL_S = 0.2
TENSORBOARD_TIMEOUT_S = 120.0


def run(folder: Path, terminal: Terminal, numpy: bool) -> None:
    if not numpy and not PYTHON.exists():
        raise DemoError(f"there is no {PYTHON}: say make engine-tensorflow")
    state = folder / "emulator"
    state.mkdir(parents=True, exist_ok=True)
    calls = Calls(terminal)
    options = () if numpy else ("--engine", f"TensorFlow*={PYTHON}")
    body = json.loads((EXAMPLE / "job.json").read_text())
    if numpy:
        body["config"]["boot_file_url"] = body["config"]["boot_file_url"].replace("_tf.py", "_np.py")
    with emulator(state, terminal, *options) as _, ModelArts() as ma:
        upload(ma, folder, terminal)
        walk(ma, body, terminal, calls, folder)


def upload(ma: ModelArts, folder: Path, terminal: Terminal) -> None:
    """Put code and data where the use case has them."""
    sys.path.insert(0, str(EXAMPLE))
    from make_dataset import write_dataset

    count = write_dataset(folder / "dataset")
    ma.obs.create_bucket(BUCKET)
    ma.obs.upload(EXAMPLE / "code", f"obs://{BUCKET}/mnist-tensorflow-code/")
    data = ma.obs.upload(folder / "dataset", f"obs://{BUCKET}/dataset-mnist/")
    terminal.step("", "upload", f"{count} images in MNIST's format, {data.bytes / 1000:.0f} kB, to obs://{BUCKET}/")


def walk(ma: ModelArts, body: Any, terminal: Terminal, calls: Calls, folder: Path) -> None:
    """The steps of the use case, then TensorBoard, the proof that the model is good, and the end of both jobs."""
    wanted = body["config"]
    with calls.step(1, "token") as result:
        result.append(f"project {ma.iam.projects.list_projects().projects[0].name}")
    with calls.step(2, "specs") as result:
        specs = ma.v1.resource_specs.list_job_resource_specs(job_type="train").specs
        spec = next(spec for spec in specs if spec.spec_code == wanted["flavor"]["code"])
        result.append(f"{len(specs)}, one is {spec.spec_code}")
    with calls.step(3, "engines") as result:
        engines = ma.v1.engines.list_job_engines(job_type="train").engines
        engine = next(engine for engine in engines if engine.engine_id == wanted["engine_id"])
        result.append(f"{len(engines)}, one is {engine.engine_name} {engine.engine_version}")
    with calls.step(4, "job") as result:
        job = ma.v1.training_jobs.create_training_job(body)
        result.append(f"{job.job_name} {job.version_name}, id {job.job_id}, status {job.status}")
    terminal.step(5, "details", f"GET    /v1/…/training-jobs/{job.job_id}/versions/{job.version_id}, again and again")
    lines = list(train(ma, job, terminal))
    losses = sum(line.startswith("epoch ") for line in lines)
    if "Done exporting!" not in lines:
        raise DemoError("the log of the job does not end as the use case prints it")
    show(ma, terminal, calls, losses)
    judge(ma, terminal, folder, losses)
    with calls.step(9, "delete") as result:
        ma.v1.training_jobs.delete_training_job(int(job.job_id))
        result.append("the job and its version are gone")


def train(ma: ModelArts, job: CreatedTrainingJob, terminal: Terminal) -> Iterator[str]:
    """Follow the version to its end by the log's cursors; yield each line."""
    job_id, version_id = int(job.job_id), int(job.version_id or 0)
    began, cursor, status = time.monotonic(), "", job.status
    is_over = False
    while not is_over:
        version = ma.v1.training_job_versions.show_training_job_version(job_id, version_id)
        is_over = version.status in FINAL  # what the log has now is all
        if version.status != status:
            status = version.status
            terminal.line(f"   status {status} after {time.monotonic() - began:.1f} s")
        files = ma.v1.logs.list_training_job_log_files(job_id, version_id).log_file_list
        for log_file in files[:1]:
            page = ma.v1.logs.show_training_job_log(
                job_id, version_id, log_file=log_file, base_line=cursor, lines=500, order="desc"
            )
            cursor = str(page.end_line)
            for line in filter(None, str(page.content).splitlines()):
                terminal.line(terminal.paint("2", f"   │ {line}"))
                yield line
        if not is_over:
            time.sleep(POLL_S)
    if status != COMPLETED:
        raise DemoError(f"the job ended with status {status}")


def show(ma: ModelArts, terminal: Terminal, calls: Calls, epochs: int) -> None:
    """Open TensorBoard on the results, and read the curve that it draws."""
    with calls.step(6, "board") as result:
        body: Any = {"job_name": "mnist-board", "train_url": f"/{BUCKET}/mnist-model/output/logs/"}
        board = ma.v1.visualization_jobs.create_visualization_job(body)
        result.append(f"visualization job {board.job_id}, status {board.status}")
    job_id = int(board.job_id)
    deadline = time.monotonic() + TENSORBOARD_TIMEOUT_S
    curve: list[Any] = []
    while len(curve) < epochs:
        found = ma.v1.visualization_jobs.show_visualization_job(job_id)
        if found.status in FINAL or time.monotonic() > deadline:
            raise DemoError(f"TensorBoard shows no curve, its job has status {found.status}: {found.error_message}")
        if found.status == RUNNING and found.service_url:
            curve = scalars(found.service_url, "loss")
        time.sleep(POLL_S)
    terminal.step("", "", f"TensorBoard at {found.service_url}")
    terminal.step(
        "", "", f"its curve of the loss has {len(curve)} points, from {curve[0][2]:.3f} to {curve[-1][2]:.3f}"
    )
    with calls.step(7, "stop") as result:
        ma.v1.visualization_jobs.stop_visualization_job(job_id)
        result.append("TensorBoard is stopped")


def scalars(service_url: str, tag: str) -> list[Any]:
    """The points of a curve as TensorBoard's page gets them: time, step, value; empty as long as there are none."""
    plugin = f"{service_url.rstrip('/')}/data/plugin/scalars"
    tags = httpx.get(f"{plugin}/tags").raise_for_status().json()
    for name, found in tags.items():
        if tag in found:
            return list(httpx.get(f"{plugin}/scalars", params={"run": name, "tag": tag}).raise_for_status().json())
    return []


def judge(ma: ModelArts, terminal: Terminal, folder: Path, epochs: int) -> None:
    """Download the results, and score the model on images that were never uploaded."""
    from mnist_score import score

    files = ma.obs.download(f"obs://{BUCKET}/mnist-model/output/", folder / "outputs").files
    history = json.loads((folder / "outputs" / "metrics.json").read_text())["epochs"]
    accuracy = score(folder / "outputs" / "model.npz")
    terminal.step(8, "results", f"{files} files, downloaded from obs://{BUCKET}/mnist-model/output/")
    verdict = f"{accuracy:.1%} of the held-out digits named right (at least {PASS_MARK:.0%} wanted)"
    terminal.step("", "model", terminal.paint("1;32" if accuracy >= PASS_MARK else "1;31", verdict))
    if accuracy < PASS_MARK:
        raise DemoError("the model is not good enough")
    if len(history) != epochs:
        raise DemoError(f"{epochs} epochs were followed in the log, but {len(history)} were trained")


if __name__ == "__main__":
    more = argparse.ArgumentParser(add_help=False)
    more.add_argument("--numpy", action="store_true", help="train with numpy, without TensorFlow")
    raise SystemExit(main("The TensorFlow use case of the first API version, on the emulator", run, more))
