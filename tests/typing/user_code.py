"""Ordinary user functions, written in the most natural way; `test_user_code.py` holds them against strict checkers."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from modelarts_api.v1.models import TrainingJobVersion
from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit import (
    TERMINAL_PHASES,
    AsyncModelArts,
    Job,
    JobFailed,
    JobRequest,
    ModelArts,
    Phase,
    WaitTimeout,
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


def delete_old(ma: ModelArts) -> None:
    for job in ma.jobs.list(phase="Completed"):
        if job.created_at is not None and datetime.now(UTC) - job.created_at > timedelta(days=7):
            job.delete()


def exit_status(ma: ModelArts, name: str) -> int:
    try:
        ma.jobs.get(name).wait(timeout=60)
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


def gpus(job: TrainingJob) -> int:
    detail = job.spec.resource.flavor_detail
    gpu = detail.flavor_info.gpu if detail else None
    return gpu.unit_num if gpu else 0


def summary(job: TrainingJob) -> str:
    return json.dumps({"name": job.metadata.name, "phase": job.status.phase, "seconds": job.status.duration / 1000})


def phases(jobs: list[TrainingJob]) -> Counter[Phase]:
    return Counter(job.status.phase for job in jobs)


def stop(ma: ModelArts, job: TrainingJob) -> None:
    if job.status.phase not in TERMINAL_PHASES:
        ma.v2.training_jobs.stop_training_job(job.metadata.id, {"action_type": "terminate"})


def errors(ma: ModelArts, job: TrainingJob) -> Iterator[str]:
    for event in ma.v2.events.iter_training_job_events(job.metadata.id, level="Error"):
        yield f"{event.occurred_at:%H:%M:%S} {event.message}"


def largest_flavor(ma: ModelArts) -> str:
    flavors = ma.v2.flavors.show_training_job_flavors(flavor_type="CPU").flavors
    return max(flavors, key=lambda flavor: flavor.flavor_info.cpu.core_num).flavor_id


def old_versions(versions: list[TrainingJobVersion]) -> list[str]:
    return [f"{version.version_name}: {version.status_name}" for version in versions if version.is_terminal]


async def submit_and_wait(body: JobRequest) -> str:
    async with AsyncModelArts() as ma:
        job = await (await ma.jobs.submit(body)).wait()
        return job.name


def train_a_file(ma: ModelArts, file: Path) -> list[str]:
    job = ma.jobs.submit_file(file, {"nodes": 2}).wait()
    job.download()
    return [str(path) for path in job.folders.values()]


def train_by_version_1(ma: ModelArts, name: str) -> int:
    job = ma.v1_jobs.get(name)
    print(*job.logs(follow=True), sep="\n")
    return job.wait().version_id


def slow_lookup(ma: ModelArts, job_id: str) -> tuple[int, str, str | None]:
    with ma.options(timeout=60, headers={"X-Trace": job_id}, retries=0) as call:
        name = ma.v2.training_jobs.show_training_job_details(job_id).metadata.name
    return call.response.status_code, call.response.headers.get("Date", name), call.request_id


async def sizes_of_pages(ma: AsyncModelArts) -> list[int]:
    with ma.options(timeout=None) as call, ma.v2.client.options(timeout=httpx.Timeout(5, connect=1)):
        async for job in ma.v2.training_jobs.iter_training_jobs({"limit": 50}):
            print(job.metadata.name)
    return [len(response.content) for response in call.responses]


async def follow(ma: AsyncModelArts, name: str) -> None:
    job = await ma.jobs.get(name)
    async for line in job.logs(follow=True):
        print(line)
    await job.download("out")
