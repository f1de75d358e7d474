"""Jobs of a team on its Slurm cluster: the same service, and Slurm decides when and where they run."""

from __future__ import annotations

import json
import re
import signal
import textwrap
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.emulator.visualization.event_files import Scalars
from tests.slurm import CATALOGUE, SlurmCluster
from tests.stories.conftest import EmulatorProcess, eventually, job_body, upload
from tests.stories.test_many_crashes import SEARCH
from tests.stories.test_two_nodes import logs, meet

from modelarts_toolkit import ModelArts

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
PYTORCH = ROOT / ".cache/engines/pytorch"
WAITING = """
    import os, pathlib, time
    with open(os.environ["RUNS"], "a") as runs:
        runs.write(os.environ["VC_TASK_INDEX"] + "\\n")
    print("waiting", flush=True)
    while not pathlib.Path(os.environ["GATE"]).exists():
        time.sleep(0.05)
    print("finished", flush=True)
"""


@pytest.fixture(scope="module")
def shared_front_end(
    slurm_cluster: SlurmCluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmulatorProcess]:
    """`modelarts emulator --executor slurm` in a process of its own, which all stories share."""
    folder = tmp_path_factory.mktemp("slurm")
    catalogue = folder / "catalogue.toml"
    catalogue.write_text(CATALOGUE)
    more = ["--executor", "slurm", "--catalogue", str(catalogue)]
    if PYTORCH.exists():
        more += ["--engine", f"PyTorch*={PYTORCH}/bin/python"]
    emulator = EmulatorProcess(folder / "data", tuple(more))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in slurm_cluster.environment.items():
            patch.setenv(name, value)
        emulator.start()
    yield emulator
    if emulator.process is not None:
        emulator.end(signal.SIGINT)


@pytest.fixture
def front_end(
    slurm: SlurmCluster,
    shared_front_end: EmulatorProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> EmulatorProcess:
    """The front end, whose variables are set."""
    for name, value in shared_front_end.environment().items():
        monkeypatch.setenv(name, value)
    return shared_front_end


@pytest.fixture
def ma(front_end: EmulatorProcess) -> Iterator[ModelArts]:
    with ModelArts() as connected:
        yield connected


def submit(ma: ModelArts, folder: Path, script: str, nodes: int = 1, **members: Any) -> Any:
    """Upload the script and submit it; `members` replace those of the job's metadata and algorithm."""
    upload(ma, folder, script)
    environments = {"GATE": str(folder / "gate"), "RUNS": str(folder / "runs")}
    return ma.jobs.submit(
        job_body(f"on-slurm-{uuid.uuid4().hex[:8]}", nodes=nodes, **{"environments": environments, **members})
    )


def events(ma: ModelArts, job: Any) -> str:
    return "\n".join(event.message for event in ma.v2.events.iter_training_job_events(job.id))


def starts(folder: Path) -> list[str]:
    runs = folder / "runs"
    return sorted(runs.read_text().split()) if runs.exists() else []


def test_two_nodes_of_a_cluster_meet_by_the_addresses_that_slurm_gives_them(ma: ModelArts, tmp_path: Path) -> None:
    """The first host listens on its node's address."""
    job = meet(ma, tmp_path)

    messages = events(ma, job)
    assert re.search(r"\[worker-0\] The job is job \d+ of Slurm\.", messages)
    assert re.search(r"\[worker-1\] The task is on node node\d, in job \d+ of Slurm\.", messages)


def test_pytorch_trains_one_model_on_two_nodes_of_a_cluster(ma: ModelArts, tmp_path: Path) -> None:
    """Every gradient of every step is averaged between the nodes by gloo."""
    if not PYTORCH.exists():
        pytest.skip("PyTorch is not installed for it: make engine-pytorch")
    example = ROOT / "examples/digits-on-nodes"
    body = json.loads((example / "job.json").read_text())
    bucket = body["algorithm"]["code_dir"].split("/")[1]
    ma.obs.create_bucket(bucket)
    ma.obs.upload(example / "code", f"obs://{bucket}/digits-on-nodes/code/")
    ma.obs.upload(ROOT / "examples/digits/data", f"obs://{bucket}/digits/data/")
    job = ma.jobs.submit(body)
    job.wait(timeout=300)
    weights = [re.findall(r"ends with weights (\w+)", text) for text in logs(ma, job.id)]

    assert len(weights[0]) == 1
    assert weights[0] == weights[1]


def test_a_job_runs_on_when_the_front_end_is_killed_and_the_next_one_finds_it(
    front_end: EmulatorProcess, ma: ModelArts, tmp_path: Path
) -> None:
    job = submit(ma, tmp_path, WAITING, nodes=2)
    eventually(lambda: starts(tmp_path) == ["0", "1"], "both tasks run")
    front_end.end(signal.SIGKILL)
    front_end.start()
    (tmp_path / "gate").touch()
    done = job.wait()

    assert done.phase == "Completed"
    assert starts(tmp_path) == ["0", "1"]
    assert [line for line in done.logs(follow=True) if "Service" not in line] == ["waiting", "finished"]


def test_a_search_runs_its_trials_as_jobs_of_slurm(ma: ModelArts, tmp_path: Path) -> None:
    algorithm = {"name": "anneal_search", "params": [{"key": "num_samples", "value": "10"}]}
    script = """
        import sys
        lr = float(next(text for text in sys.argv if text.startswith("--lr=")).split("=")[1])
        print(f"accuracy: {lr / 2}", flush=True)
    """
    job = submit(ma, tmp_path, script, policies={"auto_search": {**SEARCH, "algo_configs": [algorithm]}})
    done = job.wait(timeout=300)
    table = ma.v2.hyperparameter_searches.show_auto_search_trials(job.id).to_dict()["items"]

    assert done.phase == "Completed"
    assert len(table["data"]) == 10


OF_VERSION_1 = """
    import argparse
    import moxing as mox

    parser = argparse.ArgumentParser()
    parser.add_argument("--data_url"), parser.add_argument("--train_url")
    given, _ = parser.parse_known_args()
    mox.file.copy_parallel(given.data_url, "data")
    mox.file.copy_parallel("data", given.train_url)
    print("Done exporting!")
"""


def train_and_watch(ma: ModelArts, folder: Path) -> str:
    """Let a job copy a curve to its results, and look at it with TensorBoard; returns the job's log."""
    (folder / "train.py").write_text(textwrap.dedent(OF_VERSION_1))
    curve = Scalars(folder / "data")
    file = curve.add(0.5, 0.25)
    curve.close()
    ma.obs.create_bucket("first")
    ma.obs.upload(folder / "train.py", "obs://first/code/")
    ma.obs.upload(file, "obs://first/data/")
    config: Any = {
        "worker_server_num": 1,
        "app_url": "/first/code/",
        "boot_file_url": "/first/code/train.py",
        "engine_id": 4,
        "data_url": "/first/data/",
        "train_url": "/first/results/",
        "flavor": {"code": "modelarts.vm.cpu.8u"},
    }
    job = ma.v1_jobs.submit({"job_name": "first", "config": config})
    ma.v1_jobs.get(job).wait(timeout=300)

    board = ma.v1.visualization_jobs.create_visualization_job({"job_name": "curve", "train_url": "/first/results"})
    board_id = int(board.job_id or 0)
    try:
        eventually(lambda: shown_curve(ma, board_id) == [0.5, 0.25], "TensorBoard shows the curve")
    finally:
        ma.v1.visualization_jobs.delete_visualization_job(board_id)
    return "\n".join(ma.v1_jobs.get(job).logs())


def shown_curve(ma: ModelArts, board_id: int) -> list[float]:
    """The values of the curve that the TensorBoard of the job shows now."""
    url = ma.v1.visualization_jobs.show_visualization_job(board_id).service_url
    if not url:
        return []
    found = httpx.get(f"{url}data/plugin/scalars/scalars", params={"run": ".", "tag": "loss"})
    return [value for _, _, value in found.json()] if found.is_success else []


def test_a_job_of_version_1_runs_as_a_job_of_slurm_and_tensorboard_shows_its_results(
    ma: ModelArts, slurm: SlurmCluster, tmp_path: Path
) -> None:
    log = train_and_watch(ma, tmp_path)
    shown = slurm.run("squeue", "--noheader", "--states=COMPLETED", "--sort=-i", "--format=%j").split()

    assert "Done exporting!" in log
    assert shown[0].startswith("modelarts-")


def test_a_restarted_job_finds_its_checkpoint(ma: ModelArts, tmp_path: Path) -> None:
    script = """
        import pathlib, sys
        step = pathlib.Path(sys.argv[1].partition("=")[2], "step.txt")
        step.write_text(str(int(step.read_text()) + 1 if step.exists() else 1))
        print("step", step.read_text(), flush=True)
    """
    place = {"obs": {"obs_url": f"/stories/{uuid.uuid4().hex}/"}}
    job = submit(ma, tmp_path, script, outputs=[{"name": "model", "remote": place, "prefetch_to_local": True}]).wait()

    job.restart().wait()

    assert [line for line in job.logs() if line.startswith("step ")] == ["step 1", "step 2"]


def test_a_job_that_loses_its_node_is_restarted_elsewhere(ma: ModelArts, slurm: SlurmCluster, tmp_path: Path) -> None:
    """Its annotation allows a restart; the daemon of the node is killed."""
    job = submit(ma, tmp_path, WAITING, annotations={"fault-tolerance/job-retry-num": "1"})
    eventually(lambda: starts(tmp_path) == ["0"], "the task runs")
    (node,) = eventually(lambda: re.findall(r"The task is on node (node\d)", events(ma, job)), "it says where")
    slurm.lose_node(node)
    try:
        eventually(lambda: starts(tmp_path) == ["0", "0"], "it runs again")
        (tmp_path / "gate").touch()
        done = job.wait()
    finally:
        slurm.start_node(node)
        slurm.wait_until_idle()

    assert done.phase == "Completed"
    assert "The job is being restarted (1 of 1): worker-0: node lost." in events(ma, job)
    assert [record.end_reason for record in done.details.status.running_records] == ["node lost", "job completed"]
