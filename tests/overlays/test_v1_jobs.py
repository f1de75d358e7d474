"""Training jobs of version 1, with both clients, against a simulated emulator."""

from pathlib import Path
from typing import Any

import pytest
from tests.overlays.conftest import Twin

from modelarts_api.phases import PHASES, TERMINAL_PHASES, TERMINAL_STATUSES
from modelarts_api.v1.models import TrainingJobVersion
from modelarts_api.v2.models import TrainingJob
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ApiError, ConfigError, JobFailed, ModelArts
from modelarts_toolkit.jobs.state import JobState

JOB: Any = {
    "job_name": "sum",
    "config": {
        "worker_server_num": 1,
        "app_url": "/work/code/",
        "boot_file_url": "/work/code/train.py",
        "engine_id": 4,
        "flavor": {"code": "modelarts.vm.cpu.8u"},
        "data_url": "/work/data/",
        "train_url": "/work/out/",
        "parameter": [{"label": "rate", "value": 0.1}],
    },
}


@pytest.fixture
def service(emulator: Emulator, emulator_environment: dict[str, str]) -> Emulator:
    """An emulator whose clock stands still, with code and data."""
    emulator.objects.put("obs://work/code/train.py", "print('hello')")
    emulator.objects.put("obs://work/data/x", "")
    emulator.clock.freeze()
    return emulator


def test_all_nodes_or_one_of_them(twin: Twin, service: Emulator) -> None:
    """A node is named as in version 2, or by its log file."""
    service.plans.add(job="*", duration=5, log=["hello from {task}"])
    config = {**JOB["config"], "worker_server_num": 2, "flavor": {"code": "modelarts.vm.cpu.2u"}}
    twin.do(lambda ma: ma.v1_jobs.submit({**JOB, "config": config}))
    service.clock.advance(10)

    everything = twin.do(lambda ma: ma.v1_jobs.get("sum"), lambda job: job.logs(all_tasks=True))
    assert {"[worker-0] hello from worker-0", "[worker-1] hello from worker-1"} <= set(everything)
    assert "hello from worker-1" in twin.do(lambda ma: ma.v1_jobs.get("sum"), lambda job: job.logs(task="worker-1"))
    assert "hello from worker-1" in twin.do(lambda ma: ma.v1_jobs.get("sum"), lambda job: job.logs(task="job-sum.1"))
    with pytest.raises(ConfigError, match="there is no task worker-7: the version has worker-0, worker-1"):
        twin.do(lambda ma: ma.v1_jobs.get("sum"), lambda job: job.logs(task="worker-7"))


def test_a_failed_version_says_why(twin: Twin, service: Emulator) -> None:
    """The exit code, which version 1 has in the log only, leads to the verdict."""
    service.plans.add(job="*", duration=5, exit_code=137, log=["epoch 1"])
    twin.do(lambda ma: ma.v1_jobs.submit(JOB))
    service.clock.advance(10)

    with pytest.raises(JobFailed, match=r'job "sum/V0001" \(\d+/\d+\) failed\nThe task was killed') as failed:
        twin.do(lambda ma: ma.v1_jobs.get("sum"), lambda job: job.wait(timeout=0))

    assert (failed.value.job.name, failed.value.job.phase) == ("sum/V0001", "Failed")
    assert "epoch 1" in failed.value.log_lines


def test_a_further_version_has_the_settings_of_an_earlier_one_but_for_the_changes(
    twin: Twin, service: Emulator
) -> None:
    service.plans.add(job="*", duration=1)
    first = twin.do(lambda ma: ma.v1_jobs.submit(JOB))
    service.clock.advance(5)

    twin.do(lambda ma: ma.v1_jobs.submit_version("sum", {"train_url": "/work/more/"}, parameters={"rate": 0.5}))
    service.clock.advance(5)
    second = twin.do(lambda ma: ma.v1_jobs.get("sum"))

    details = second.details
    assert (details.version_name, details.pre_version_id) == ("V0002", first.version_id)
    assert (details.app_url, details.train_url, details.spec_code) == (
        "/work/code/",
        "/work/more/",
        "modelarts.vm.cpu.8u",
    )
    assert second.parameters == {"rate": "0.5"}
    assert [each.details.version_name for each in twin.do(lambda ma: ma.v1_jobs.versions(first))] == ["V0001", "V0002"]
    assert twin.do(lambda ma: ma.v1_jobs.get("sum", "v0001")).version_id == first.version_id


def test_a_lost_response_creates_no_second_job(twin: Twin, service: Emulator) -> None:
    """The job that the lost attempt has created is found by its name, time and settings."""
    service.faults.add(kind="drop", moment="body", document="v1", operations=["createTrainingJob"], count=1)

    created = twin.do(lambda ma: ma.v1_jobs.submit(JOB))

    jobs = twin.do(lambda ma: ma.v1_jobs.list())
    assert [(each.job_id, each.details.job_name) for each in jobs] == [(created.job_id, "sum")]


@pytest.mark.parametrize(
    "difference",
    [
        {"parameter": [{"label": "rate", "value": "9.9"}]},
        {"train_url": "/work/theirs/"},
    ],
    ids=lambda difference: next(iter(difference)),
)
def test_after_a_lost_request_the_job_of_somebody_else_is_not_taken_for_ours(
    service: Emulator, difference: dict[str, Any]
) -> None:
    """Their job has our name and is as new as ours would be, but differs in one setting."""
    twin = Twin("sync")
    theirs = {**JOB, "config": {**JOB["config"], **difference}}
    twin.do(lambda ma: ma.v1_jobs.submit(theirs))
    service.faults.add(kind="drop", moment="before", document="v1", operations=["createTrainingJob"], count=1)

    with pytest.raises(ApiError, match=r"ModelArts\.0103"):
        twin.do(lambda ma: ma.v1_jobs.submit(JOB))

    assert len(twin.do(lambda ma: ma.v1_jobs.list())) == 1


def test_a_lost_response_creates_no_second_version(service: Emulator) -> None:
    twin = Twin("sync")
    service.plans.add(job="*", duration=1)
    twin.do(lambda ma: ma.v1_jobs.submit(JOB))
    service.clock.advance(5)
    service.faults.add(kind="drop", moment="body", document="v1", operations=["createTrainingJobVersion"], count=1)

    created = twin.do(lambda ma: ma.v1_jobs.submit_version("sum"))

    assert created.details.version_name == "V0002"
    assert len(twin.do(lambda ma: ma.v1_jobs.versions("sum"))) == 2


def test_a_job_of_a_list_downloads_its_outputs_and_does_not_make_up_settings(service: Emulator, tmp_path: Path) -> None:
    """A list has no settings: what needs them requests them, and an attribute says how to get them."""
    service.objects.put("obs://work/out/model.bin", "weights")
    with ModelArts() as ma:
        ma.v1_jobs.submit(JOB)
        (listed,) = ma.v1_jobs.list()
        for attribute in ("parameters", "engine", "flavor", "nodes", "code", "boot_file"):
            with pytest.raises(ValueError, match=r"is from a list, which has no settings of jobs: use refresh\(\)"):
                getattr(listed, attribute)

        done = listed.download(tmp_path)

    assert (tmp_path / "train_url" / "model.bin").read_text() == "weights"
    assert (done.files, listed.parameters) == (1, {"rate": "0.1"})


def test_a_job_whose_name_is_digits_is_found_by_it(twin: Twin, service: Emulator) -> None:
    """Digits that are not the name of a job are an id."""
    first = twin.do(lambda ma: ma.v1_jobs.submit({**JOB, "job_name": "2024"}))

    assert twin.do(lambda ma: ma.v1_jobs.get("2024")).job_id == first.job_id
    assert twin.do(lambda ma: ma.v1_jobs.get(str(first.job_id))).name == "2024/V0001"
    assert twin.do(lambda ma: ma.v1_jobs.get(first.key)).key == first.key


@pytest.mark.parametrize("number", range(23))
def test_each_status_amounts_to_a_phase_that_is_final_as_the_status_is(number: int) -> None:
    """All but JOBSTAT_UNKNOWN, which stays what it is."""
    state = JobState.of_version(TrainingJobVersion.from_dict({"status": number}))

    assert (state.phase in TERMINAL_PHASES) == (number in TERMINAL_STATUSES)
    assert (state.phase in PHASES) == (number != 0)


@pytest.mark.parametrize(
    ("status", "phase"),
    [(8, "Running"), ("8", "Running"), (0, "JOBSTAT_UNKNOWN"), (99, "99"), ("new", "new"), (None, None)],
)
def test_a_status_of_no_known_phase_is_shown_as_it_is(status: object, phase: str | None) -> None:
    """Some pages have the number as text; without a status there is no phase."""
    state = JobState.of_version(TrainingJobVersion.from_dict({"status": status}))

    assert (state.phase, state.is_version) == (phase, True)


def test_a_job_of_version_2_is_none_of_version_1_whatever_its_second_phase_is_called() -> None:
    job = TrainingJob.from_dict({"status": {"phase": "Failed", "secondary_phase": "JOBSTAT_FAILED"}})

    assert JobState.of_job(job).is_version is False
