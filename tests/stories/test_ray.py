"""Jobs on a Ray cluster of three nodes: they meet, are stopped, restarted and found again, and wait for what is not."""

from __future__ import annotations

import json
import re
import signal
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.ray_cluster import RayCluster
from tests.stories.conftest import ENGINE, EmulatorProcess, eventually
from tests.stories.first_version import train_and_watch
from tests.stories.test_two_nodes import MEET, logs

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.errors import JobFailed, JobStopped

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
PYTORCH = ROOT / ".cache/engines/pytorch/bin/python"
COUNTING = """
import os, pathlib, time
runs = pathlib.Path(os.environ["RUNS"])
with runs.open("a") as stream:
    stream.write(os.environ["VC_TASK_INDEX"] + "\\n")
print("begun", flush=True)
while not pathlib.Path(os.environ["RELEASE"]).exists():
    time.sleep(0.05)
"""
SEARCH: Any = {
    "reward_attrs": [{"name": "accuracy", "mode": "max", "regex": r"accuracy: (\S+)"}],
    "search_params": [{"name": "lr", "param_type": "continuous", "lower_bound": "0.0", "upper_bound": "1.0"}],
    "algo_configs": [{"name": "anneal_search", "params": [{"key": "num_samples", "value": "10"}]}],
}
Submit = Callable[..., Any]


@pytest.fixture(scope="module")
def emulator(ray_cluster: RayCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """An emulator that all stories share."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ray_cluster.environment.items():
            patch.setenv(name, value)
        engines = {"PyTorch*": PYTORCH} if PYTORCH.exists() else {}
        with Emulator(tmp_path_factory.mktemp("ray"), executor="ray", engines=engines, stop_grace_s=0.5) as running:
            yield running


@pytest.fixture
def submit(tmp_path: Path) -> Submit:
    """Upload a script and submit it; keyword arguments are variables of the job."""

    def run(ma: ModelArts, name: str, script: str, nodes: int = 1, restarts: int = 0, **environments: str) -> str:
        (tmp_path / name).mkdir()
        (tmp_path / name / "boot.py").write_text(textwrap.dedent(script))
        ma.obs.create_bucket("stories")
        ma.obs.upload(tmp_path / name, f"obs://stories/{name}/")
        annotations = {"fault-tolerance/job-retry-num": str(restarts)} if restarts else {}
        algorithm: Any = {"code_dir": f"/stories/{name}/", "boot_file": f"/stories/{name}/boot.py", "engine": ENGINE}
        job = ma.jobs.submit(
            {
                "kind": "job",
                "metadata": {"name": name, "annotations": annotations},
                "algorithm": algorithm | {"environments": environments},
                "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": nodes}},
            }
        )
        return str(job.id)

    return run


def events(ma: ModelArts, job_id: str) -> str:
    return "\n".join(event.message or "" for event in ma.v2.events.iter_training_job_events(job_id))


def phase(ma: ModelArts, job_id: str) -> str:
    return str(ma.v2.training_jobs.show_training_job_details(job_id).status.phase)


def test_two_nodes_meet_by_the_variables_that_the_service_presets(ma: ModelArts, submit: Submit) -> None:
    """Each task runs on a node of its own; the first one listens, and the second one finds it."""
    job_id = submit(ma, "meet", MEET, nodes=2)
    job = ma.jobs.wait(job_id, timeout=60)

    first, second = logs(ma, job_id)
    assert job.phase == "Completed", first + second
    assert "node 0 knows 3" in first
    assert "node 1 knows 3" in second


def test_pytorch_trains_one_model_on_two_nodes(ma: ModelArts) -> None:
    """The example of the repository, as it is: gradients are averaged between the nodes by gloo."""
    if not PYTORCH.exists():
        pytest.skip("PyTorch is not installed for it: make engine-pytorch")
    ma.obs.create_bucket("modelarts-examples")
    ma.obs.upload(ROOT / "examples/digits-on-nodes/code", "obs://modelarts-examples/digits-on-nodes/code/")
    ma.obs.upload(ROOT / "examples/digits/data", "obs://modelarts-examples/digits/data/")
    job = ma.jobs.submit(json.loads((ROOT / "examples/digits-on-nodes/job.json").read_text()))
    ma.jobs.wait(job, timeout=90)
    weights = re.findall(r"node \d ends with weights (\w+)", "\n".join(logs(ma, job.id)))

    assert len(weights) == 2
    assert len(set(weights)) == 1


def test_a_script_that_fails_ends_the_job_and_the_other_node(ma: ModelArts, submit: Submit) -> None:
    script = "import os, sys, time\nsys.exit(3) if os.environ['VC_TASK_INDEX'] == '1' else time.sleep(600)"
    job_id = submit(ma, "fails", script, nodes=2)
    with pytest.raises(JobFailed):
        ma.jobs.wait(job_id, timeout=60)

    statuses = ma.v2.training_jobs.show_training_job_details(job_id).status.task_statuses
    assert {status.task: status.exit_code for status in statuses} == {"worker-0": 143, "worker-1": 3}


def test_a_job_is_stopped_and_deleted(ma: ModelArts, submit: Submit) -> None:
    """Also one that waits because the cluster has not enough nodes; an event says so. Their nodes are free again."""
    job_id = submit(ma, "stopped", "import time\nprint('begun', flush=True)\ntime.sleep(600)")
    next(iter(ma.jobs.logs(job_id, follow=True)))
    waiting = submit(ma, "waits", "print('never')", nodes=4)
    eventually(
        lambda: "the cluster has 3 of the 4 nodes with 8 CPU" in events(ma, waiting),
        "an event says why the job waits",
    )
    for each in (job_id, waiting):
        ma.jobs.stop(each)
        with pytest.raises(JobStopped):
            ma.jobs.wait(each, timeout=30)
        ma.v2.training_jobs.delete_training_job(each)

    assert ma.jobs.wait(submit(ma, "on-all", "print('done')", nodes=3), timeout=60).phase == "Completed"


def test_a_job_whose_node_is_lost_is_restarted(
    ma: ModelArts, submit: Submit, ray_cluster: RayCluster, tmp_path: Path
) -> None:
    """The daemon of a node is killed: what ran there is gone, and the second attempt runs on the other nodes."""
    runs, release = tmp_path / "runs.txt", tmp_path / "released.txt"
    job_id = submit(ma, "lost", COUNTING, nodes=3, restarts=1, RUNS=str(runs), RELEASE=str(release))
    eventually(lambda: runs.exists() and len(runs.read_text().split()) == 3, "all tasks run")
    ray_cluster.lose_node()
    eventually(lambda: phase(ma, job_id) == "Pending", "the job is restarted, and waits for a third node")
    release.touch()
    ray_cluster.add_node()

    assert ma.jobs.wait(job_id, timeout=60).phase == "Completed"
    assert sorted(runs.read_text().split()) == sorted(["0", "1", "2"] * 2)


def test_a_killed_front_end_finds_its_jobs_again(
    ray: RayCluster, submit: Submit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job runs on meanwhile, another one is submitted while Ray cannot be reached; each runs once."""
    emulator = EmulatorProcess(tmp_path / "data", more=("--executor", "ray"))
    emulator.start()
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    runs, release = tmp_path / "runs.txt", tmp_path / "released.txt"
    with ModelArts() as ma:
        jobs = [submit(ma, "first", COUNTING, RUNS=str(runs), RELEASE=str(release))]
        eventually(runs.exists, "the job runs")
        emulator.end(signal.SIGKILL)
        with monkeypatch.context() as patch:
            patch.setenv("RAY_ADDRESS", "127.0.0.1:1")
            emulator.start()
        jobs.append(submit(ma, "second", COUNTING, RUNS=str(runs), RELEASE=str(release)))
        eventually(lambda: "cannot be reached" in events(ma, jobs[1]), "an event says why the job waits")
        assert phase(ma, jobs[0]) == "Running"
        emulator.end(signal.SIGKILL)
        emulator.start()
        release.touch()
        assert [ma.jobs.wait(job, timeout=60).phase for job in jobs] == ["Completed"] * 2

    emulator.end(signal.SIGINT)
    assert runs.read_text().split() == ["0", "0"]


def test_an_emulator_without_ray_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is submitted."""
    monkeypatch.delenv("MODELARTS_EMULATOR_RAY_PYTHON", raising=False)
    with pytest.raises(EmulatorError, match=r"--executor ray needs Ray, .*pip install 'modelarts-toolkit\[ray\]'"):
        Emulator(tmp_path, executor="ray").__enter__()


def test_a_search_runs_its_trials_on_the_cluster(ma: ModelArts, tmp_path: Path) -> None:
    """Each trial is a job at Ray; their lines are in the joint log."""
    pytest.importorskip("hyperopt")
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "boot.py").write_text("import sys\nprint('accuracy: 0.' + sys.argv[1][-1])\n")
    ma.obs.create_bucket("stories")
    ma.obs.upload(tmp_path / "search", "obs://stories/search/")
    code: Any = {"code_dir": "/stories/search/", "boot_file": "/stories/search/boot.py", "engine": ENGINE}
    resource: Any = {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}
    algorithm = code | {"policies": {"auto_search": SEARCH}}
    job = ma.jobs.submit(
        {"kind": "job", "metadata": {"name": "search"}, "algorithm": algorithm, "spec": {"resource": resource}}
    )
    job.wait(timeout=90)

    assert len(job.trials()) == 10
    assert len([line for line in job.logs() if "accuracy: 0." in line]) == 10


def test_a_job_of_version_1_runs_on_the_cluster_and_tensorboard_shows_its_results(
    ma: ModelArts, tmp_path: Path
) -> None:
    assert "Done exporting!" in train_and_watch(ma, tmp_path)


def test_a_job_that_ends_while_no_emulator_runs_frees_its_nodes(
    ray: RayCluster, ma: ModelArts, submit: Submit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another emulator finds room for a job that needs all of them."""
    runs, release = tmp_path / "runs.txt", tmp_path / "released.txt"
    with Emulator(tmp_path / "data", executor="ray") as ended, monkeypatch.context() as patch:
        for name, value in ended.environment().items():
            patch.setenv(name, value)
        with ModelArts() as other:
            submit(other, "continues", COUNTING, nodes=3, RUNS=str(runs), RELEASE=str(release))
            eventually(lambda: runs.exists() and len(runs.read_text().split()) == 3, "all tasks run")
    release.touch()
    next_job = submit(ma, "next", COUNTING, nodes=3, RUNS=str(runs), RELEASE=str(release))

    assert ma.jobs.wait(next_job, timeout=60).phase == "Completed"
    assert len(runs.read_text().split()) == 6
