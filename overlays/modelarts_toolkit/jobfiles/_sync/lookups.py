# Derived from _async/lookups.py by scripts/derive_sync.py; do not edit.
"""What only the service knows about a request: which engines, flavors and objects there are."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from modelarts_toolkit.connection._sync.connection import Connection
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.job_requests.channels import channel_url
from modelarts_toolkit.jobfiles.checks import Problem
from modelarts_toolkit.jobfiles.file import Path_
from modelarts_toolkit.jobfiles.plan import JobPlan
from modelarts_toolkit.reading import entries, read
from modelarts_toolkit.texts import nearest

if TYPE_CHECKING:
    from modelarts_toolkit.job_requests.job_request import JobRequest

NEAR = "; did you mean {}?"


def set_engine(connection: Connection, plan: JobPlan) -> None:
    """Put the engine that the plan's pattern fits into its request; raises ConfigError unless it is one."""
    if plan.engine is None:
        return
    found = (connection.v2.engines.show_training_job_engines()).items
    known = [(each.engine_id, each.engine_version, each.engine_name) for each in found]
    plan.request.setdefault("algorithm", {})["engine"] = {"engine_id": _fitting(plan.engine, known)}
    plan.engine = None


def _fitting(wanted: str, engines: Iterable[tuple[object, ...]]) -> str:
    """The id of the engine of whose names the text or pattern fits one; raises ConfigError unless it is one."""
    known = [tuple(map(str, names)) for names in engines]
    exact = {names[0] for names in known if wanted in names[:2]}
    fitting = exact or {names[0] for names in known if any(fnmatchcase(name.lower(), wanted.lower()) for name in names)}
    if not fitting:
        near = nearest(wanted, [each[0] for each in known], NEAR, 0.5)
        raise ConfigError(f'no engine fits "{wanted}"{near}: modelarts engine list shows them')
    if len(fitting) > 1:
        raise ConfigError(f'"{wanted}" fits several engines: {", ".join(sorted(fitting))}')
    return fitting.pop()


def check_with_service(connection: Connection, request: "JobRequest") -> list[Problem]:
    """List what of the request does not exist: flavor, engine, code, boot file, inputs."""
    flavors = (connection.v2.flavors.show_training_job_flavors()).flavors
    most = {each.flavor_id: each.flavor_info.max_num for each in flavors}
    is_pool = bool(read(lambda: request["spec"]["resource"]["pool_id"], str))
    flavor = None if is_pool else read(lambda: request["spec"]["resource"]["flavor_id"], str)
    nodes = read(lambda: request["spec"]["resource"]["node_count"], int)
    problems: list[Problem] = []
    if flavor and flavor not in most:
        text = f"there is no flavor {flavor}{nearest(flavor, most, NEAR, 0.5)}"
        problems.append(Problem(("spec", "resource", "flavor_id"), text))
    elif flavor and nodes is not None and nodes > (limit := most[flavor] or nodes):
        text = f"{flavor} allows {limit} {'node' if limit == 1 else 'nodes'} at most, not {nodes}"
        problems.append(Problem(("spec", "resource", "node_count"), text))
    if engine := read(lambda: request["algorithm"]["engine"]["engine_id"], str):
        known = [str(each.engine_id) for each in (connection.v2.engines.show_training_job_engines()).items]
        if engine not in known:
            text = f"there is no engine {engine}{nearest(engine, known, NEAR, 0.5)}"
            problems.append(Problem(("algorithm", "engine", "engine_id"), text))
    for place, url, text in _places(request):
        if url and not connection.obs.exists(url):
            problems.append(Problem(place, f"{text}: {url}"))
    return problems


def check_quota(connection: Connection) -> list[Problem]:
    """Report a used-up quota of jobs, if the service has quotas."""
    with connection.optional("showTrainingQuotas") as is_offered:
        if is_offered:
            quotas = (connection.v2.quotas.show_training_quotas(resource="job-num")).quotas or ()
            remedy = "delete jobs that nobody needs, or ask for a larger quota"
            return [
                Problem((), f"the quota of jobs is used up, {each.used} of {each.quota}: {remedy}")
                for each in quotas
                if each.resource == "job-num" and each.quota and (each.used or 0) >= each.quota
            ]
    return []


def check_name(connection: Connection, name: str) -> list[Problem]:
    """Say if there is a job of this name, where the service checks names."""
    with connection.optional("validateTrainingJobName") as is_offered:
        if is_offered:
            found = connection.v2.training_jobs.validate_training_job_name(job_name=name)
            if found.is_duplicate:
                return [Problem(("metadata", "name"), f"there is a job {name} already: choose another name")]
    return []


def _places(request: "JobRequest") -> Iterator[tuple[Path_, str | None, str]]:
    """What a job reads, and what is wrong if it is not there."""
    code = read(lambda: request["algorithm"]["code_dir"], str)
    yield ("algorithm", "code_dir"), code, "the code directory has no files"
    boot = read(lambda: request["algorithm"]["boot_file"], str)
    yield ("algorithm", "boot_file"), boot, "there is no such object"
    for index, channel in enumerate(entries(lambda: request["algorithm"]["inputs"], dict)):
        yield ("algorithm", "inputs", index, "remote", "obs", "obs_url"), channel_url(channel), "nothing is there"
