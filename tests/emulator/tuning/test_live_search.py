"""Searches whose trials are scripts that really run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.databases import NewDatabase
from tests.emulator.tuning.conftest import make_body, make_policy

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.server import Emulator

SCRIPT = b"""
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
lr = parser.parse_known_args()[0].lr
for epoch in (1, 2):
    print(f"epoch {epoch} loss: {epoch * 2}")
    print(f"accuracy: {1 - (lr - 0.3) ** 2 - 0.1 / epoch}", flush=True)
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, new_database: Any, log_in: Any) -> Iterator[Any]:
    """A client of one emulator for all searches: the library that proposes values takes a second to load."""
    options: dict[str, Any] = {"database_url": new_database(), "check_responses": True, "paths": "mapping"}
    with Emulator(tmp_path_factory.mktemp("live"), **options) as running:
        yield log_in(running)


def rows(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table["header"], cells, strict=True)) for cells in table["data"]]


def test_a_search_runs_its_trials_and_finds_better_values(live: Any) -> None:
    """Ten trials run, report what they print, improve on the first ones, and are analysed."""
    params = [{"key": "num_samples", "value": "10"}, {"key": "n_initial_points", "value": "4", "type": "Integer"}]
    configs = [{"name": "tpe_search", "params": params}]
    job = live.create_job(make_body(live, SCRIPT, algo_configs=configs))
    assert job["algorithm"]["policies"] == {"auto_search": make_policy(algo_configs=configs)}
    path = f"/training-jobs/{job['metadata']['id']}"
    live.eventually(lambda: live.call("GET", f"{path}/autosearch-trials").json()["total"] >= 6)
    ended = live.wait_for_phase(job["metadata"]["id"], "Completed", "Failed", "Abnormal")
    assert ended["status"]["phase"] == "Completed", ended["status"]

    listed = live.call("GET", f"{path}/autosearch-trials").json()
    assert (listed["total"], listed["count"], listed["limit"], listed["offset"]) == (10, 10, 50, 0)
    trials = rows(listed["items"])
    assert {(trial["status"], trial["done"], trial["training_iteration"]) for trial in trials} == {
        ("TERMINATED", "True", "2")
    }
    for trial in trials:
        lr = trial["config"]["lr"]
        assert float(trial["reward_attr"]) == pytest.approx(1 - (lr - 0.3) ** 2 - 0.05), trial
        assert (trial["accuracy"], trial["loss"]) == (trial["reward_attr"], "4"), trial
    assert max(float(trial["best_reward"]) for trial in trials[4:]) > 0.94

    reports = rows(live.call("GET", f"{path}/autosearch-trials/{trials[0]['trial_id']}").json())
    assert [(report["done"], report["training_iteration"]) for report in reports] == [
        ("False", "1"),
        ("False", "2"),
        ("True", "2"),
    ]

    analysis = live.call("GET", f"{path}/autosearch-parameter-analysis").json()
    assert analysis["header"] == ["parameters", "the mean/std of importance"]
    ((name, importance),) = analysis["data"]
    assert name == "lr"
    assert re.fullmatch(r"1\.0000/0\.0000", importance)

    preview = live.call("GET", f"{path}/tasks/worker-0/logs/preview").json()["content"]
    assert f"[{trials[0]['trial_id']}] epoch 2 loss: 4\n" in preview


def test_a_trial_can_be_stopped_early_and_counts_with_its_last_reward(live: Any) -> None:
    """The stopped trial ends as the others do, the search continues, and terminating the job ends all of it."""
    script = b"import time\nprint('accuracy: 0.5', flush=True)\ntime.sleep(60)\n"
    job_id = live.create_job(make_body(live, script))["metadata"]["id"]
    path = f"/training-jobs/{job_id}"

    def trials() -> list[dict[str, Any]]:
        return rows(live.call("GET", f"{path}/autosearch-trials").json()["items"])

    live.eventually(lambda: [trial["reward_attr"] for trial in trials()] == ["0.5", "0.5"])
    first = trials()[0]["trial_id"]
    response = live.call("POST", f"{path}/autosearch-trial-earlystop/{first}")
    assert (response.status_code, response.json()) == (200, {"earlystop_trial": first})
    live.eventually(lambda: len(trials()) == 3)
    assert [(trial["status"], trial["done"]) for trial in trials()][:2] == [
        ("TERMINATED", "True"),
        ("RUNNING", "False"),
    ]

    again = live.call("POST", f"{path}/autosearch-trial-earlystop/{first}")
    assert (again.status_code, again.json()["error_code"]) == (400, "ModelArts.2788")
    live.call("POST", f"{path}/actions", json={"action_type": "terminate"})
    live.wait_for_phase(job_id, "Terminated")
    assert len(trials()) == 3
    live.call("DELETE", path)
    live.eventually(lambda: not any(job_id in entry.name for entry in (live.emulator.data_dir / "jobs").iterdir()))
    live.eventually(lambda: not (live.emulator.data_dir / "searches" / job_id).exists())


def test_a_regular_expression_that_never_ends_ends_the_search_and_nothing_else(live: Any) -> None:
    """The emulator responds meanwhile, and the job fails with the reason."""
    script = b"print('a' * 60 + 'b', flush=True)\n"
    regex = [{"name": "accuracy", "mode": "max", "regex": "(a|aa)+$"}]
    job_id = live.create_job(make_body(live, script, reward_attrs=regex))["metadata"]["id"]
    live.wait_for_phase(job_id, "Running")
    assert live.call("GET", "/training-job-flavors").status_code == 200
    ended = live.wait_for_phase(job_id, "Failed")
    assert "it takes too long" in ended["status"]["task_statuses"][0]["message"]


def test_a_line_counts_once_it_is_written_to_its_end(staged: Any, puppet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = staged.create_job(make_body(staged))["metadata"]["id"]
    trial = staged.eventually(lambda: next((name for name in puppet.specs if name.startswith(f"{job_id}-")), None))
    reads: list[Any] = []
    original = puppet.logs

    def logs(*given: Any) -> Any:
        reads.append(given)
        return original(*given)

    monkeypatch.setattr(puppet, "logs", logs)
    puppet.report(trial, TaskReport("worker-0", "running", started_at=1000.0))
    for text in (b"accuracy: 0", b".5\n"):
        with puppet.log_file(trial, "worker-0").open("ab") as stream:
            stream.write(text)
        reads.clear()
        staged.eventually(lambda: len(reads) >= 6)  # two for each look

    shown, *_ = rows(staged.call("GET", f"/training-jobs/{job_id}/autosearch-trials").json()["items"])
    assert (shown["reward_attr"], shown["training_iteration"]) == ("0.5", "1")


FLAVOR = "modelarts.vm.cpu.8u"


class World:
    """An emulator whose clock is frozen, and its client."""

    def __init__(self, emulator: Emulator, api: Any) -> None:
        self.emulator, self.api = emulator, api

    def create(self, algorithm: str = "anneal_search", **plan: str) -> str:
        body = make_body(self.api, algorithm=algorithm)
        annotations = {"log": "accuracy: {lr}", "duration": "10"} | plan
        names = {name: name if "/" in name else f"emulator/{name.replace('_', '-')}" for name in annotations}
        body["metadata"]["annotations"] = {names[name]: text for name, text in annotations.items()}
        body["spec"]["log_export_path"] = {"obs_url": f"/{self.api.bucket}/logs/"}
        body["spec"]["resource"] = {"flavor_id": FLAVOR, "node_count": 1}
        job_id = self.api.create_job(body)["metadata"]["id"]
        self.emulator.clock.advance(0)
        return str(job_id)

    def trials(self, job_id: str) -> list[dict[str, Any]]:
        table = self.api.call("GET", f"/training-jobs/{job_id}/autosearch-trials").json()["items"]
        return [dict(zip(table["header"], row, strict=True)) for row in table["data"]]

    def statuses(self, job_id: str) -> list[str]:
        return [trial["status"] for trial in self.trials(job_id)]

    def found(self, job_id: str) -> list[tuple[float, str]]:
        return [(trial["config"]["lr"], trial["reward_attr"]) for trial in self.trials(job_id)]

    def log(self, job_id: str) -> str:
        response = self.api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview")
        return str(response.json()["content"])


@pytest.fixture
def open_world(log_in: Any) -> Callable[..., Any]:
    @contextmanager
    def start(folder: Path, **options: Any) -> Iterator[World]:
        with Emulator(folder, executor="simulated", **options) as emulator:
            emulator.clock.freeze()
            api = log_in(emulator)
            yield World(emulator, api)
            api.close()

    return start


@pytest.fixture
def world(tmp_path: Path, open_world: Callable[..., Any], new_database: NewDatabase) -> Iterator[World]:
    with open_world(tmp_path, database_url=new_database()) as opened:
        yield opened


@pytest.mark.parametrize("algorithm", ["bayes_opt_search", "tpe_search", "anneal_search"])
def test_equal_searches_end_alike_two_trials_at_a_time(world: World, algorithm: str) -> None:
    """The values of a trial follow from the seed and from what was found before, and come near to the best."""
    found = []
    for attempt in range(2):
        begun = world.emulator.clock.now
        job_id = world.create(algorithm)
        assert world.statuses(job_id) == ["RUNNING", "RUNNING"], attempt
        world.emulator.clock.advance(50)
        job = world.api.job(job_id)
        assert (job["status"]["phase"], job["status"]["duration"]) == ("Completed", 50_000), attempt
        assert world.emulator.clock.now == begun + 50, attempt
        found.append(world.found(job_id))

    assert len({lr for lr, _ in found[0]}) == 10
    assert all(float(reward) == pytest.approx(lr) for lr, reward in found[0])
    assert max(float(reward) for _, reward in found[0]) > 0.7
    if algorithm == "anneal_search":  # the ids of trials differ, the values do not
        assert found[0] == found[1]


def test_the_values_of_a_trial_do_not_depend_on_which_trial_is_faster(world: World) -> None:
    """The third one waits for the end of the first, and follows from its result alone."""
    calm = world.create(log="accuracy: -{lr}")  # the second trial has the best result so far
    world.emulator.clock.advance(50)
    expected = [lr for lr, _ in world.found(calm)]
    for stopped, number in ((0, 3), (1, 2)):
        job_id = world.create(log="accuracy: -{lr}")
        world.emulator.clock.advance(5)
        trial_id = world.trials(job_id)[stopped]["trial_id"]
        world.api.call("POST", f"/training-jobs/{job_id}/autosearch-trial-earlystop/{trial_id}")
        world.emulator.clock.advance(1)
        assert len(world.trials(job_id)) == number, stopped
        world.emulator.clock.advance(60)
        assert [lr for lr, _ in world.found(job_id)] == expected, stopped


@pytest.mark.parametrize("options", [{"capacity": {FLAVOR: 1}}, {"max_running_jobs": 1}])
def test_trials_take_nodes_and_count_as_running_jobs(
    tmp_path: Path, open_world: Callable[..., Any], options: dict[str, Any]
) -> None:
    """Two searches and a job on one node: one after another, and all of them end."""
    with open_world(tmp_path, **options) as world:
        jobs = [world.create(), world.create()]
        running = []
        for _ in range(20):
            running.append([status for job_id in jobs for status in world.statuses(job_id)].count("RUNNING"))
            queue = world.api.http.get("/_emulator/queue").json()
            assert sum(queue["held"].values()) == sum(queue["used"].values()) == running[-1], queue
            assert {*queue["held"], *(each["job_id"] for each in queue["waiting"])} <= {*jobs}, queue
            world.emulator.clock.advance(10)
        assert running == [1] * 20

        assert [world.api.phase_of(job_id) for job_id in jobs] == ["Completed"] * 2
        assert any("The job is waiting for resources" in text for text in world.api.messages(jobs[1]))


def test_a_search_exports_its_own_log_under_the_documented_name(world: World) -> None:
    """Single trials have no logs of their own."""
    job_id = world.create()
    world.emulator.clock.advance(60)
    log = world.log(job_id)

    stored = world.emulator.objects.list(f"obs://{world.api.bucket}/logs/")
    assert [url.rpartition("/")[2] for url in stored if url.endswith(".log")] == [
        f"modelarts-job-{job_id}-worker-0.log"
    ]
    assert (
        world.emulator.objects.get(f"obs://{world.api.bucket}/logs/modelarts-job-{job_id}-worker-0.log").decode() == log
    )
    own = re.findall(r"^\[([0-9a-f]{8})\] accuracy: (\S+)$", log, re.MULTILINE)
    assert sorted(own) == sorted((trial["trial_id"], trial["reward_attr"]) for trial in world.trials(job_id))


def test_the_log_of_a_search_ends_at_the_limit_of_logs(tmp_path: Path, open_world: Callable[..., Any]) -> None:
    (tmp_path / "limits.toml").write_text("[limits]\nlog_bytes = 100\n")
    with open_world(tmp_path / "data", catalogue=tmp_path / "limits.toml") as world:
        job_id = world.create()
        world.emulator.clock.advance(60)

        assert len(world.log(job_id)) == 100


def test_a_search_goes_on_after_every_restart_of_the_emulator(tmp_path: Path, open_world: Callable[..., Any]) -> None:
    """No trial is lost, repeated or given other values, and no line comes twice.

    What a crash left in the log, because it came before the log's size was stored, goes.
    """
    with open_world(tmp_path) as world:
        calm = world.create()
        world.emulator.clock.advance(50)
        expected = world.found(calm)
        shaken = world.create()
    for number in range(10):
        with open_world(tmp_path) as world:
            world.emulator.clock.advance(5)
        if number < 5:
            (log,) = (tmp_path / "searches" / shaken).iterdir()
            log.write_bytes(log.read_bytes() + b"[12345678] accuracy: 0\n")
    with open_world(tmp_path) as world:
        assert world.api.phase_of(shaken) == "Completed"
        assert world.found(shaken) == expected
        lines = [line for line in world.log(shaken).splitlines() if "] accuracy: " in line]
        assert len(lines) == len(set(lines)) == 10


def test_trials_that_fail_are_failed_trials_and_a_search_of_nothing_else_fails(world: World) -> None:
    """Its trials are restarted, it is not. At its time limit a search stops with the trials that run."""
    terms = {"fault-tolerance/job-retry-num": "1", "fault-tolerance/job-unconditional-retry": "true"}
    job_id = world.create(exit_code="3", **terms)
    world.emulator.clock.advance(120)

    assert len(world.api.job(job_id)["status"]["running_records"]) == 1
    (status,) = world.api.job(job_id)["status"]["task_statuses"]
    assert (status["exit_code"], status["message"]) == (3, "no trial ended well and with a result in its log")
    assert set(world.statuses(job_id)) == {"ERROR"}

    body = make_body(world.api)
    body["metadata"]["annotations"] = {"emulator/duration": "36000"}
    body["spec"]["auto_stop"] = {"time_unit": "HOURS", "duration": 1}
    job_id = world.api.create_job(body)["metadata"]["id"]
    world.emulator.clock.advance(3700)

    assert world.api.phase_of(job_id) == "Terminated"
    assert world.statuses(job_id) == ["TERMINATED"] * 2


@pytest.mark.parametrize("retries", ["0", "1"])
def test_a_trial_whose_node_is_lost_is_restarted_alone_if_the_job_asks_for_it(world: World, retries: str) -> None:
    """Otherwise the trial has failed, and the search continues without it."""
    job_id = world.create(**{"fault-tolerance/job-retry-num": retries} if retries != "0" else {})
    world.emulator.clock.advance(5)
    world.emulator.faults.add(job=job_id, kind="node_lost")
    world.emulator.clock.advance(100)

    assert world.api.phase_of(job_id) == "Completed"
    assert world.statuses(job_id).count("ERROR") == (2 if retries == "0" else 0)


def test_a_stopped_search_ends_with_its_trials_and_a_removed_one_leaves_nothing(world: World) -> None:
    """Nor does one that a reset removes."""
    job_id = world.create()
    world.emulator.clock.advance(15)
    world.api.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": "terminate"})
    world.emulator.clock.advance(60)
    assert world.api.phase_of(job_id) == "Terminated"
    assert world.statuses(job_id) == ["TERMINATED"] * 4

    world.api.call("DELETE", f"/training-jobs/{job_id}")
    world.emulator.clock.advance(0)

    assert not list((world.emulator.data_dir / "searches").iterdir())
    assert not [path for path in (world.emulator.data_dir / "jobs" / "simulated").iterdir() if job_id in path.name]

    world.create()
    world.emulator.clock.advance(5)
    assert list((world.emulator.data_dir / "searches").iterdir())

    world.emulator.reset()

    assert not list((world.emulator.data_dir / "searches").iterdir())


def test_a_long_trial_keeps_its_best_reward_and_its_newest_reports(world: World) -> None:
    """No report comes after the trial's end, although its lines are often read only then."""
    lines = [f"accuracy: {value}" for value in ("@5 accuracy: 1", "nan", "9", *range(-1500, 0))]
    job_id = world.create(log="\n".join(lines).removeprefix("accuracy: "))
    world.emulator.clock.advance(10)
    trial_id = world.trials(job_id)[0]["trial_id"]
    table = world.api.call("GET", f"/training-jobs/{job_id}/autosearch-trials/{trial_id}").json()
    rows = [dict(zip(table["header"], row, strict=True)) for row in table["data"]]

    assert [row["training_iteration"] for row in rows] == [*map(str, range(504, 1504)), "1503"]
    assert {row["best_reward"] for row in rows} == {"9"}
    assert {row["time_total_s"] for row in rows} == {"5.0", "10.0"}
    assert rows[-1]["accuracy"] == rows[-1]["reward_attr"] == "-1"
