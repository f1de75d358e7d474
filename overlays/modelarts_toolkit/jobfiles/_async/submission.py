"""From a plan to a job: checks, uploads, and the request that is sent."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from modelarts_toolkit._async.connection import AsyncConnection
from modelarts_toolkit.errors import ConfigError, ObsError
from modelarts_toolkit.jobfiles.checks import Problem, check_request
from modelarts_toolkit.jobfiles.file import JobFile, read_job_file
from modelarts_toolkit.jobfiles.places import located
from modelarts_toolkit.jobfiles.plan import JobPlan, Staged, plan_of
from modelarts_toolkit.jobfiles.reporting import Reporter
from modelarts_toolkit.jobs.submission import request_of
from modelarts_toolkit.storage.buckets import Location
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below, left_out_text
from modelarts_toolkit.storage.uploads import Upload

from . import lookups

if TYPE_CHECKING:
    from modelarts_toolkit.jobs.job_request import JobRequest

UNKNOWN_PLACE = "obs://modelarts-staging/"  # for checks that ask no service


def planned(path: str, settings: Mapping[str, Any] | None) -> tuple[JobPlan, JobFile]:
    """The plan of a job file and of settings that go before those of the file."""
    document = read_job_file(path)
    return plan_of(document, dict(settings or {})), document


def local_problems(plan: JobPlan, run_id: str = "check") -> list[Problem]:
    """What is wrong with a plan, as far as documents and local files say."""
    request, _ = plan.staged(plan.staging or UNKNOWN_PLACE, run_id)
    if plan.engine:
        request["algorithm"]["engine"] = {"engine_id": plan.engine}
    sent = cast("dict[str, Any]", request_of(cast("JobRequest", request)))
    return [*plan.problems, *code_problems(plan), *check_request(sent)]


def reject(problems: list[Problem], document: JobFile | None) -> None:
    """Raise ConfigError with all problems and their places, if there are any."""
    if problems:
        lines = "".join(f"\n  {located(each, document)}" for each in problems)
        raise ConfigError(f"the job was not submitted:{lines}")


def code_problems(plan: JobPlan) -> Iterator[Problem]:
    """What an upload of the code directory would be rejected for."""
    if plan.code is not None and plan.code.is_dir():
        try:
            Upload(plan.code, Location("bucket", "code/"), is_code=True, is_sync=False, ignore=plan.ignore)
        except ObsError as error:
            yield Problem(("algorithm", "code_dir"), str(error))


async def problems_with_service(connection: AsyncConnection, plan: JobPlan) -> list[Problem]:
    """What is wrong with a plan, also as far as only the service knows."""
    request, uploads = plan.staged(plan.staging or UNKNOWN_PLACE, "check")
    problems, engine_problems = [*plan.problems, *code_problems(plan)], []
    if plan.engine:
        request["algorithm"]["engine"] = {"engine_id": plan.engine}
        try:
            request["algorithm"]["engine"] = await lookups.choose_engine(connection, plan.engine)
        except ConfigError as error:
            engine_problems.append(Problem(("algorithm", "engine"), str(error)))
    remote = without_uploads(request, [each.url for each in uploads])
    if engine_problems:
        del remote["algorithm"]["engine"]  # it has been said that there is none
    problems += [*check_request(request), *engine_problems]
    return [*problems, *await lookups.check_with_service(connection, remote)]


async def prepare(connection: AsyncConnection, plan: JobPlan, run_id: str, reporter: Reporter) -> dict[str, Any]:
    """Choose the engine, upload what is local, and return the request."""
    if plan.engine:
        plan.request.setdefault("algorithm", {})["engine"] = await lookups.choose_engine(connection, plan.engine)
    if not plan.needs_staging:
        return plan.request
    place = await staging_url(connection, plan)
    request, uploads = plan.staged(place, run_id)
    await upload_all(connection, place, uploads, reporter)
    return request


async def staging_url(connection: AsyncConnection, plan: JobPlan) -> str:
    """Where local folders go: as the plan says, else a bucket of the project."""
    if plan.staging:
        return plan.staging
    if connection.config.project_id is None:
        await connection.v2.training_jobs.list_training_jobs({"limit": 1})  # finds the id of the project's name
    return f"obs://modelarts-{connection.config.project_id}/"


async def upload_all(connection: AsyncConnection, place: str, uploads: Iterable[Staged], reporter: Reporter) -> None:
    """Upload what is local below a place in object storage, whose bucket is made if need be."""
    bucket = place.removeprefix("obs://").partition("/")[0]
    if await connection.obs.create_bucket(bucket):
        reporter.note(f"Created bucket {bucket}.")
    for path, url, is_code, ignore, reuse in uploads:
        is_sync = not is_code and path.is_dir() and any(True for _ in files_below(path, IgnoreRules(path)))
        with reporter.uploading(path) as on_progress:
            done = await connection.obs.upload(
                path, url, code=is_code, sync=is_sync, ignore=ignore, reuse=reuse, on_progress=on_progress
            )
        counts = ((done.unchanged, "unchanged"), (done.removed, "removed"))
        others = ", ".join(f"{number} {what}" for number, what in counts if number)
        files = f"{done.files} {'file' if done.files == 1 else 'files'}"
        reporter.note(f"Uploaded {path}: {files}{others and f' ({others})'} to {url}")
        if done.left_out:
            reporter.note(f"Left out of {path}: {left_out_text(done.left_out)}")


def without_uploads(request: dict[str, Any], urls: list[str]) -> dict[str, Any]:
    """The request without what is uploaded when it is submitted, which need not be there yet."""
    algorithm = {**request.get("algorithm", {})}
    for name in ("code_dir", "boot_file"):
        if any(str(algorithm.get(name, "")).startswith(url) for url in urls):
            del algorithm[name]
    kept = [
        each for each in algorithm.get("inputs", []) if each.get("remote", {}).get("obs", {}).get("obs_url") not in urls
    ]
    return {**request, "algorithm": {**algorithm, "inputs": kept}}
