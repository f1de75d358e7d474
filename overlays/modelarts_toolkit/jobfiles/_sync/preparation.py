# Derived from _async/preparation.py by scripts/derive_sync.py; do not edit.
"""From the plan of a job file to the request that is sent: checks and uploads."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from modelarts_toolkit.connection._sync.connection import Connection
from modelarts_toolkit.errors import ConfigError, ObsError
from modelarts_toolkit.job_requests.channels import channel_url, new_run_id
from modelarts_toolkit.jobfiles._sync import lookups
from modelarts_toolkit.jobfiles.checks import Problem
from modelarts_toolkit.jobfiles.file import JobFile
from modelarts_toolkit.jobfiles.plan import JobPlan, Staged
from modelarts_toolkit.jobfiles.settings import located, without_repeats
from modelarts_toolkit.reading import entries, read
from modelarts_toolkit.storage.buckets import Location
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below, left_out_text
from modelarts_toolkit.storage.uploads import OnUpload, Upload

if TYPE_CHECKING:
    from modelarts_toolkit.job_requests.job_request import JobRequest

UNKNOWN_PLACE = "obs://modelarts-staging/"  # for checks that ask no service

OnNote: TypeAlias = Callable[[str], object]
Uploading: TypeAlias = Callable[[Path], AbstractContextManager[OnUpload | None]]


def local_problems(plan: JobPlan) -> list[Problem]:
    """What is wrong with a plan, as far as documents and local files say."""
    request, _ = plan.staged(plan.staging or UNKNOWN_PLACE, "check")
    return [*without_repeats(plan.problems, [*_code_problems(plan), *plan.check(request)])]


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


def problems_with_service(
    connection: Connection, plan: JobPlan, *, exact_name: bool = False
) -> list[Problem]:
    """What is wrong with a plan, also as far as only the service knows; with `exact_name` that its name is taken."""
    problems = local_problems(plan)
    try:
        lookups.set_engine(connection, plan)
    except ConfigError as error:
        problems.append(Problem(("algorithm", "engine"), str(error)))
    request, uploads = plan.staged(plan.staging or UNKNOWN_PLACE, "check")
    if exact_name and plan.has_own_name and not problems:
        problems += lookups.check_name(connection, plan.name)
    _remove_uploads(request, [each.url for each in uploads])
    problems += lookups.check_with_service(connection, request)
    return [*problems, *lookups.check_quota(connection)]


def prepare(
    connection: Connection,
    plan: JobPlan,
    note: OnNote = lambda _: None,
    uploading: Uploading = lambda _: nullcontext(),
) -> "JobRequest":
    """Choose the engine, upload what is local, and return the request.

    `note` gets what has been done; `uploading` gives a context for each path, whose value hears of its progress.
    """
    lookups.set_engine(connection, plan)
    place = _staging_url(connection, plan) if plan.needs_staging else UNKNOWN_PLACE
    request, uploads = plan.staged(place, new_run_id())
    if plan.needs_staging:
        _upload_all(connection, place, uploads, note, uploading)
    return request


def _staging_url(connection: Connection, plan: JobPlan) -> str:
    """Where local folders go: as the plan says, else a bucket of the project."""
    if plan.staging:
        return plan.staging
    if connection.config.project_id is None:
        connection.v2.training_jobs.list_training_jobs({"limit": 1})  # finds the id of the project's name
    return f"obs://modelarts-{connection.config.project_id}/"


def _upload_all(
    connection: Connection, place: str, uploads: Iterable[Staged], note: OnNote, uploading: Uploading
) -> None:
    """Upload what is local below a place in object storage, whose bucket is made if need be."""
    bucket = place.removeprefix("obs://").partition("/")[0]
    if connection.obs.create_bucket(bucket):
        note(f"Created bucket {bucket}.")
    for path, url, is_code, ignore in uploads:
        is_sync = not is_code and path.is_dir() and any(True for _ in files_below(path, IgnoreRules(path)))
        with uploading(path) as on_progress:
            done = connection.obs.upload(
                path, url, code=is_code, sync=is_sync, ignore=ignore, on_progress=on_progress
            )
        counts = ((done.unchanged, "unchanged"), (done.removed, "removed"))
        others = ", ".join(f"{number} {what}" for number, what in counts if number)
        files = f"{done.files} {'file' if done.files == 1 else 'files'}"
        note(f"Uploaded {path}: {files}{others and f' ({others})'} to {url}")
        if done.left_out:
            note(f"Left out of {path}: {left_out_text(done.left_out)}")


def _remove_uploads(request: "JobRequest", urls: Collection[str]) -> None:
    """Remove from the request what is uploaded when it is submitted, which need not be there yet."""
    algorithm = request.setdefault("algorithm", {})
    if any((read(lambda: algorithm["code_dir"], str) or "").startswith(url) for url in urls):
        del algorithm["code_dir"]
    if any((read(lambda: algorithm["boot_file"], str) or "").startswith(url) for url in urls):
        del algorithm["boot_file"]
    inputs = entries(lambda: algorithm["inputs"], dict)
    algorithm["inputs"] = [each for each in inputs if channel_url(each) not in urls]
