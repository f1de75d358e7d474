"""Ordinary user functions, written in the most natural way; `test_user_code.py` holds them against strict checkers."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs

from modelarts_api.v1.models import TrainingJobVersion
from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit import (
    TERMINAL_PHASES,
    AsyncModelArts,
    Job,
    JobFailed,
    JobRequest,
    Jobs,
    ModelArts,
    NotFound,
    Phase,
    WaitTimeout,
    as_request,
)


def names_of_running_jobs(ma: ModelArts) -> list[str]:
    running = {"key": "phase", "operator": "in", "value": ["Running"]}
    del running  # a literal in the call is checked, too
    return [
        job.metadata.name
        for job in ma.v2.training_jobs.iter_training_jobs(
            {"filters": [{"key": "phase", "operator": "in", "value": ["Running"]}]}
        )
    ]


def submit_many(ma: ModelArts, name: str, rates: list[float]) -> list[Job]:
    jobs: list[Job] = []
    for number, rate in enumerate(rates):
        body = job_body(f"{name}-{number}")
        body["algorithm"] = {
            "id": "2e5451fe-913f-4ccb-a8db-dd6ed0e9bb73",
            "parameters": [{"name": "lr", "value": rate}],
        }
        jobs.append(ma.jobs.submit(body))
    return jobs


def best_of(jobs: list[Job]) -> Job:
    return min((job for job in jobs if job.running_time), key=lambda job: job.running_time or timedelta.max)


def delete_old(ma: ModelArts) -> None:
    for job in ma.jobs.list(phase="Completed"):
        if job.created_at is not None and datetime.now(UTC) - job.created_at > timedelta(days=7):
            job.delete()


def exit_status(ma: ModelArts, name: str) -> int:
    try:
        ma.jobs.wait(name, timeout=60)
    except JobFailed as error:
        print(error.job.name, error.job.phase, error.verdict.remedy if error.verdict else "")
        return next(iter(error.exit_codes.values()), 1)
    except WaitTimeout as error:
        print(f"{error.job.name} is still {error.job.phase}")
        return 124
    return 0


def with_two_nodes(ma: ModelArts, job: Job) -> Job:
    clone = job.as_request(name=f"{job.name}-2")
    clone["spec"] = {"resource": {"flavor_id": job.flavor, "node_count": 2}}
    return ma.jobs.submit(clone)


def first_version(ma: ModelArts, name: str, folder: Path) -> list[str]:
    try:
        job = ma.v1_jobs.get(name).wait(timeout=3600)
    except NotFound:
        return []
    job.download(folder)
    return [f"{job.phase} {job.created_at}", *job.logs()]


def all_names(jobs: Jobs) -> list[str]:
    return [job.name for job in jobs.list()]


def request_id(ma: ModelArts, job: Job) -> str | None:
    with ma.options(timeout=5, headers={"X-Trace": "1"}) as call:
        ma.v2.training_jobs.show_training_job_details(job.id)
    return call.request_id


def submit_dict(ma: ModelArts, name: str) -> Job:
    return ma.jobs.submit(
        {
            "kind": "job",
            "metadata": {"name": name, "description": "an example"},
            "algorithm": {
                "code_dir": "/bucket/code/",
                "boot_file": "/bucket/code/train.py",
                "engine": {"engine_id": "pytorch_1.8"},
                "inputs": [{"name": "data", "remote": {"obs": {"obs_url": "/bucket/data/"}}}],
                "outputs": [{"name": "out", "remote": {"obs": {"obs_url": "/bucket/out/"}}}],
                "environments": {"SEED": "1"},
            },
            "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.2u", "node_count": 1}},
        }
    )


def job_body(name: str) -> JobRequest:
    body: JobRequest = {"kind": "job", "metadata": {"name": name}}
    body["spec"] = {"resource": {"flavor_id": "modelarts.vm.cpu.2u"}}
    return body


def submit_json(ma: ModelArts, path: Path) -> str:
    return ma.jobs.submit(json.loads(path.read_text())).id


def is_done(job: TrainingJob) -> bool:
    return job.status.phase == "Completed"


def still_active(jobs: list[TrainingJob]) -> list[TrainingJob]:
    return [job for job in jobs if not job.status.is_terminal]


def cores(job: TrainingJob) -> int:
    return job.spec.resource.flavor_detail.flavor_info.cpu.core_num * job.spec.resource.node_count


def gpus(job: TrainingJob) -> int:
    gpu = job.spec.resource.flavor_detail.flavor_info.gpu
    return gpu.unit_num if gpu else 0


def age(job: TrainingJob) -> timedelta:
    return datetime.now(UTC) - job.metadata.created_at


def newest_first(jobs: list[TrainingJob]) -> list[TrainingJob]:
    return sorted(jobs, key=lambda job: job.metadata.create_time, reverse=True)


def summary(job: TrainingJob) -> str:
    return json.dumps({"name": job.metadata.name, "phase": job.status.phase, "seconds": job.status.duration / 1000})


def save(job: TrainingJob, path: Path) -> None:
    path.write_text(json.dumps(job.to_dict(), indent=2))


def exit_codes(job: TrainingJob) -> dict[str, int]:
    return {status.task: status.exit_code for status in job.status.task_statuses if status.task and status.exit_code}


def template_of(job: TrainingJob) -> str | None:
    return job.metadata.annotations.get("job_template")


def run_again(ma: ModelArts, job: TrainingJob, name: str) -> Job:
    return ma.jobs.submit(as_request(job, name=name))


def replace_algorithm(ma: ModelArts, body_file: Path) -> None:
    algorithm = ma.v2.algorithms.create_algorithm(json.loads(body_file.read_text()))
    ma.v2.algorithms.delete_algorithm(algorithm.metadata.id)


def renamed(job: TrainingJob, name: str) -> TrainingJob:
    return attrs.evolve(job, metadata=attrs.evolve(job.metadata, name=name))


def phases(jobs: list[TrainingJob]) -> Counter[Phase]:
    return Counter(job.status.phase for job in jobs)


def unique_jobs(first: list[TrainingJob], second: list[TrainingJob]) -> set[TrainingJob]:
    return {*first, *second}


def stop(ma: ModelArts, job: TrainingJob) -> None:
    if job.status.phase not in TERMINAL_PHASES:
        ma.v2.training_jobs.stop_training_job(job.metadata.id, {"action_type": "terminate"})


def stop_by_name(ma: ModelArts, name: str) -> None:
    try:
        ma.jobs.get(name).stop()
    except NotFound:
        print(f"there is no {name}", file=sys.stderr)


def train(job: Job) -> Job:
    try:
        for line in job.logs(follow=True):
            print(line)
        return job.wait(timeout=3600)
    except JobFailed as error:
        print(error.exit_codes, error.log_lines[-1])
        raise
    except WaitTimeout as error:
        print(f"still {error.job.phase}")
        raise


def errors(ma: ModelArts, job: TrainingJob) -> Iterator[str]:
    for event in ma.v2.events.iter_training_job_events(job.metadata.id, level="Error"):
        yield f"{event.occurred_at:%H:%M:%S} {event.message}"


def largest_flavor(ma: ModelArts) -> str:
    flavors = ma.v2.flavors.show_training_job_flavors(flavor_type="CPU").flavors
    return max(flavors, key=lambda flavor: flavor.flavor_info.cpu.core_num).flavor_id


def losses(ma: ModelArts, job: TrainingJob, task: str) -> list[float]:
    metrics = ma.v2.metrics.show_training_job_metrics(job.metadata.id, task)
    return [value for metric in metrics.metrics for value in metric.value] if metrics else []


def old_versions(versions: list[TrainingJobVersion]) -> list[str]:
    return [f"{version.version_name}: {version.status_name}" for version in versions if version.is_terminal]


async def submit_and_wait(body: JobRequest) -> str:
    async with AsyncModelArts() as ma:
        job = await ma.jobs.wait(await ma.jobs.submit(body))
        return job.name


def train_a_file(ma: ModelArts, file: Path) -> list[str]:
    job = ma.jobs.submit_file(file, {"nodes": 2}).wait()
    job.download()
    return [str(path) for path in job.folders.values()]


def train_by_version_1(ma: ModelArts, file: Path) -> int:
    job = ma.v1_jobs.submit_file(file)
    print(*job.logs(follow=True), sep="\n")
    return job.wait().version_id


def highest_usage(job: Job) -> float:
    return max(float(row["cpuUsage"] or 0) for row in job.metrics())


async def follow(ma: AsyncModelArts, name: str) -> None:
    job = await ma.jobs.get(name)
    async for line in job.logs(follow=True):
        print(line)
    await job.download("out")


async def stop_all(ma: AsyncModelArts) -> int:
    running = await ma.jobs.list(phase="Running")
    for job in running:
        await job.stop()
    return len(running)
