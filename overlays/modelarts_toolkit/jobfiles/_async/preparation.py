"""From the plan of a job file to the request that is sent: checks, what only the service knows, and uploads."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from modelarts_toolkit.connection._async.connection import AsyncConnection
from modelarts_toolkit.errors import ConfigError, ObsError
from modelarts_toolkit.job_requests.channels import channel_url, new_run_id
from modelarts_toolkit.job_requests.request_body import request_of
from modelarts_toolkit.jobfiles.checks import Problem, check_request
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.jobfiles.plan import JobPlan, Staged
from modelarts_toolkit.jobfiles.settings import located, without_repeats
from modelarts_toolkit.reading import entries, read
from modelarts_toolkit.storage.buckets import Location
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below, left_out_text
from modelarts_toolkit.storage.uploads import OnUpload, Upload
from modelarts_toolkit.texts import counted, nearest

if TYPE_CHECKING:
    from modelarts_toolkit.job_requests.job_request import JobRequest

NEAR = "; did you mean {}?"
UNKNOWN_PLACE = "obs://modelarts-staging/"  # for checks that ask no service

OnNote: TypeAlias = Callable[[str], object]
Uploading: TypeAlias = Callable[[Path], AbstractContextManager[OnUpload | None]]


def local_problems(plan: JobPlan) -> list[Problem]:
    """What is wrong with a plan, as far as documents and local files say."""
    request, _ = plan.staged(plan.staging or UNKNOWN_PLACE, "check")
    if plan.engine:
        request.setdefault("algorithm", {})["engine"] = {"engine_id": plan.engine}
    return [*without_repeats(plan.problems, [*_code_problems(plan), *check_request(request_of(request))])]


def reject(problems: list[Problem], document: JobFile | None) -> None:
    """Raise ConfigError with all problems and their places, if there are any."""
    if problems:
        lines = "".join(f"\n  {located(each, document)}" for each in problems)
        raise ConfigError(f"the job was not submitted:{lines}")


def _code_problems(plan: JobPlan) -> Iterator[Problem]:
    """What an upload of the code directory would be rejected for."""
    if plan.code is not None and plan.code.is_dir():
        try:
            Upload(plan.code, Location("bucket", "code/"), is_code=True, is_sync=False, ignore=plan.ignore)
        except ObsError as error:
            yield Problem(("algorithm", "code_dir"), str(error))


async def problems_with_service(
    connection: AsyncConnection, plan: JobPlan, *, exact_name: bool = False
) -> list[Problem]:
    """What is wrong with a plan, also as far as only the service knows; with `exact_name` that its name is taken."""
    problems = local_problems(plan)
    try:
        await set_engine(connection, plan)
    except ConfigError as error:
        problems.append(Problem(("algorithm", "engine"), str(error)))
    request, uploads = plan.staged(plan.staging or UNKNOWN_PLACE, "check")
    if exact_name and plan.has_own_name and not problems:
        problems += await check_name(connection, plan.name)
    problems += await check_with_service(connection, request, tuple(each.url for each in uploads))
    return [*problems, *await check_quota(connection)]


async def prepare(
    connection: AsyncConnection,
    plan: JobPlan,
    note: OnNote = lambda _: None,
    uploading: Uploading = lambda _: nullcontext(),
) -> "JobRequest":
    """Choose the engine, upload what is local, and return the request.

    `note` gets what has been done; `uploading` gives a context for each path, whose value hears of its progress.
    """
    await set_engine(connection, plan)
    place = await _staging_url(connection, plan) if plan.needs_staging else UNKNOWN_PLACE
    request, uploads = plan.staged(place, new_run_id())
    if plan.needs_staging:
        await _upload_all(connection, place, uploads, note, uploading)
    return request


async def _staging_url(connection: AsyncConnection, plan: JobPlan) -> str:
    """Where local folders go: as the plan says, else a bucket of the project."""
    if plan.staging:
        return plan.staging
    if connection.config.project_id is None:
        await connection.v2.training_jobs.list_training_jobs({"limit": 1})  # finds the id of the project's name
    return f"obs://modelarts-{connection.config.project_id}/"


async def _upload_all(
    connection: AsyncConnection, place: str, uploads: Iterable[Staged], note: OnNote, uploading: Uploading
) -> None:
    """Upload what is local below a place in object storage, whose bucket is made if need be."""
    bucket = place.removeprefix("obs://").partition("/")[0]
    if await connection.obs.create_bucket(bucket):
        note(f"Created bucket {bucket}.")
    for path, url, is_code, ignore in uploads:
        is_sync = not is_code and path.is_dir() and any(True for _ in files_below(path, IgnoreRules(path)))
        with uploading(path) as on_progress:
            done = await connection.obs.upload(
                path, url, code=is_code, sync=is_sync, ignore=ignore, on_progress=on_progress
            )
        counts = ((done.unchanged, "unchanged"), (done.removed, "removed"))
        others = ", ".join(f"{number} {what}" for number, what in counts if number)
        note(f"Uploaded {path}: {counted(done.files, 'file')}{others and f' ({others})'} to {url}")
        if done.left_out:
            note(f"Left out of {path}: {left_out_text(done.left_out)}")


async def set_engine(connection: AsyncConnection, plan: JobPlan) -> None:
    """Put the engine that the plan's pattern fits into its request; raises ConfigError unless it is one."""
    if plan.engine is None:
        return
    found = (await connection.v2.engines.show_training_job_engines()).items
    known = [tuple(map(str, (each.engine_id, each.engine_version, each.engine_name))) for each in found]
    plan.request.setdefault("algorithm", {})["engine"] = {"engine_id": _fitting(plan.engine, known)}
    plan.engine = None


def _fitting(wanted: str, known: Sequence[tuple[str, ...]]) -> str:
    """The id of the engine of whose names the text or pattern fits one; raises ConfigError unless it is one."""
    exact = {names[0] for names in known if wanted in names[:2]}
    fitting = exact or {names[0] for names in known if any(fnmatchcase(name.lower(), wanted.lower()) for name in names)}
    if not fitting:
        near = nearest(wanted, [each[0] for each in known], NEAR, 0.5)
        raise ConfigError(f'no engine fits "{wanted}"{near}: modelarts engine list shows them')
    if len(fitting) > 1:
        raise ConfigError(f'"{wanted}" fits several engines: {", ".join(sorted(fitting))}')
    return fitting.pop()


async def check_with_service(
    connection: AsyncConnection, request: "JobRequest", uploads: tuple[str, ...]
) -> list[Problem]:
    """List what of the request does not exist: flavor, engine, code, boot file, inputs; `uploads` need not yet."""
    flavors = (await connection.v2.flavors.show_training_job_flavors()).flavors
    most = {each.flavor_id: each.flavor_info.max_num for each in flavors}
    is_pool = bool(read(lambda: request["spec"]["resource"]["pool_id"], str))
    flavor = None if is_pool else read(lambda: request["spec"]["resource"]["flavor_id"], str)
    nodes = read(lambda: request["spec"]["resource"]["node_count"], int)
    problems: list[Problem] = []
    if flavor and flavor not in most:
        text = f"there is no flavor {flavor}{nearest(flavor, most, NEAR, 0.5)}"
        problems.append(Problem(("spec", "resource", "flavor_id"), text))
    elif flavor and nodes is not None and nodes > (limit := most[flavor] or nodes):
        text = f"{flavor} allows {counted(limit, 'node')} at most, not {nodes}"
        problems.append(Problem(("spec", "resource", "node_count"), text))
    if engine := read(lambda: request["algorithm"]["engine"]["engine_id"], str):
        known = [str(each.engine_id) for each in (await connection.v2.engines.show_training_job_engines()).items]
        if engine not in known:
            text = f"there is no engine {engine}{nearest(engine, known, NEAR, 0.5)}"
            problems.append(Problem(("algorithm", "engine", "engine_id"), text))
    for place, url, text in _read_places(request):
        if url and not url.startswith(uploads) and not await connection.obs.exists(url):
            problems.append(Problem(place, f"{text}: {url}"))
    return problems


async def check_quota(connection: AsyncConnection) -> list[Problem]:
    """Report a used-up quota of jobs, if the service has quotas."""
    with connection.optional("showTrainingQuotas") as is_offered:
        if is_offered:
            quotas = (await connection.v2.quotas.show_training_quotas(resource="job-num")).quotas or ()
            remedy = "delete jobs that nobody needs, or ask for a larger quota"
            return [
                Problem((), f"the quota of jobs is used up, {each.used} of {each.quota}: {remedy}")
                for each in quotas
                if each.resource == "job-num" and each.quota and (each.used or 0) >= each.quota
            ]
    return []


async def check_name(connection: AsyncConnection, name: str) -> list[Problem]:
    """Say if there is a job of this name, where the service checks names."""
    with connection.optional("validateTrainingJobName") as is_offered:
        if is_offered:
            found = await connection.v2.training_jobs.validate_training_job_name(job_name=name)
            if found.is_duplicate:
                return [Problem(("metadata", "name"), f"there is a job {name} already: choose another name")]
    return []


def _read_places(request: "JobRequest") -> Iterator[tuple[Path_, str | None, str]]:
    """What a job reads, and what is wrong if it is not there."""
    code = read(lambda: request["algorithm"]["code_dir"], str)
    yield ("algorithm", "code_dir"), code, "the code directory has no files"
    boot = read(lambda: request["algorithm"]["boot_file"], str)
    yield ("algorithm", "boot_file"), boot, "there is no such object"
    for index, channel in enumerate(entries(lambda: request["algorithm"]["inputs"], dict)):
        yield ("algorithm", "inputs", index, "remote", "obs", "obs_url"), channel_url(channel), "nothing is there"
