"""What only the service knows about a request: which engines, flavors and objects there are."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from modelarts_toolkit._async.connection import AsyncConnection
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.jobfiles.checks import Problem
from modelarts_toolkit.jobfiles.file import Path_
from modelarts_toolkit.jobfiles.plan import JobPlan
from modelarts_toolkit.jobfiles.v1_plan import V1Plan, wire_path

if TYPE_CHECKING:
    from modelarts_api.v2.models import Engine


async def set_engine(connection: AsyncConnection, plan: JobPlan) -> None:
    """Put the engine that the plan's pattern fits into its request; raises ConfigError unless it is one."""
    if plan.engine is None:
        return
    if isinstance(plan, V1Plan):
        plan.config["engine_id"] = await choose_v1_engine(connection, plan.engine)
    else:
        plan.request.setdefault("algorithm", {})["engine"] = await choose_engine(connection, plan.engine)
    plan.engine = None


async def choose_engine(connection: AsyncConnection, wanted: str) -> dict[str, str]:
    """The engine whose id, version or name the text or pattern fits; raises ConfigError unless it is one."""
    engines = (await connection.v2.engines.show_training_job_engines()).items
    fitting = [each for each in engines if wanted in (each.engine_id, each.engine_version)] or [
        each for each in engines if _fits(each, wanted.lower())
    ]
    if not fitting:
        hint = _near(wanted, [str(each.engine_id) for each in engines], cutoff=0.5)
        raise ConfigError(f'no engine fits "{wanted}"{hint}: modelarts engine list shows them')
    if len({each.engine_id for each in fitting}) > 1:
        raise ConfigError(f'"{wanted}" fits several engines: {", ".join(str(each.engine_id) for each in fitting)}')
    return {"engine_id": str(fitting[0].engine_id)}


async def check_with_service(connection: AsyncConnection, request: Mapping[str, Any]) -> list[Problem]:
    """List what of the request does not exist: flavor, engine, code, boot file, inputs."""
    algorithm, resource = request.get("algorithm") or {}, (request.get("spec") or {}).get("resource") or {}
    problems: list[Problem] = []
    flavors = {each.flavor_id: each for each in (await connection.v2.flavors.show_training_job_flavors()).flavors}
    flavor, nodes = resource.get("flavor_id"), resource.get("node_count") or 1
    if flavor and flavor not in flavors and not resource.get("pool_id"):
        problems.append(
            Problem(("spec", "resource", "flavor_id"), f"there is no flavor {flavor}{_near(flavor, flavors)}")
        )
    elif flavor in flavors and (most := flavors[flavor].flavor_info.max_num) and nodes > most:
        text = f"{flavor} allows {most} {'node' if most == 1 else 'nodes'} at most, not {nodes}"
        problems.append(Problem(("spec", "resource", "node_count"), text))
    if engine := (algorithm.get("engine") or {}).get("engine_id"):
        known = [str(each.engine_id) for each in (await connection.v2.engines.show_training_job_engines()).items]
        if engine not in known:
            path = ("algorithm", "engine", "engine_id")
            problems.append(Problem(path, f"there is no engine {engine}{_near(engine, known)}"))
    for place, url, text in _places(algorithm):
        if url and not await connection.obs.list(url):
            problems.append(Problem(place, f"{text}: {url}"))
    return problems


def _places(algorithm: Mapping[str, Any]) -> list[tuple[Path_, str | None, str]]:
    """What a job reads, and what is wrong if it is not there."""
    places: list[tuple[Path_, str | None, str]] = [
        (("algorithm", "code_dir"), algorithm.get("code_dir"), "the code directory has no files"),
        (("algorithm", "boot_file"), algorithm.get("boot_file"), "there is no such object"),
    ]
    for index, channel in enumerate(algorithm.get("inputs") or ()):
        url = ((channel.get("remote") or {}).get("obs") or {}).get("obs_url")
        places.append((("algorithm", "inputs", index, "remote", "obs", "obs_url"), url, "nothing is there"))
    return places


def _fits(engine: "Engine", pattern: str) -> bool:
    texts = (engine.engine_id, engine.engine_version, engine.engine_name)
    return any(fnmatchcase(str(text).lower(), pattern) for text in texts)


def _near(name: str, known: Iterable[object], cutoff: float = 0.6) -> str:
    near = get_close_matches(name, [str(each) for each in known], 1, cutoff)
    return f"; did you mean {near[0]}?" if near else ""


async def choose_v1_engine(connection: AsyncConnection, wanted: str) -> int:
    """The id of the engine whose version or name the text or pattern fits; raises ConfigError unless it is one."""
    engines = (await connection.v1.engines.list_job_engines()).engines
    fitting = [each for each in engines if wanted == each.engine_version] or [
        each
        for each in engines
        if any(fnmatchcase(str(text).lower(), wanted.lower()) for text in (each.engine_version, each.engine_name))
    ]
    known = [str(each.engine_version) for each in engines]
    if not fitting:
        near = get_close_matches(wanted, known, 1, 0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ConfigError(f'no engine of version 1 fits "{wanted}"{hint}: modelarts v1 engine list shows them')
    if len(fitting) > 1:
        names = ", ".join(str(each.engine_version) for each in fitting)
        raise ConfigError(f'"{wanted}" fits several engines: {names}')
    return int(fitting[0].engine_id)


async def check_v1_with_service(
    connection: AsyncConnection, request: Mapping[str, Any], uploaded: Collection[str]
) -> list[Problem]:
    """List what of the request does not exist: flavor, number of nodes, code, boot file, data that is not uploaded."""
    config = request["config"]
    problems: list[Problem] = []
    specs = (await connection.v1.resource_specs.list_job_resource_specs()).specs
    nodes: dict[str, int] = {}
    for spec in specs:
        nodes[spec.spec_code] = max(spec.max_num or 1, nodes.get(spec.spec_code, 1))
    flavor, wanted = (config.get("flavor") or {}).get("code"), config.get("worker_server_num")
    if flavor and flavor not in nodes:
        near = get_close_matches(flavor, nodes, 1)
        hint = f"; did you mean {near[0]}?" if near else ": modelarts v1 flavor list shows those that there are"
        problems.append(Problem(("config", "flavor"), f"there is no flavor {flavor}{hint}"))
    elif flavor and isinstance(wanted, int) and wanted > nodes[flavor]:
        most = nodes[flavor]
        text = f"{flavor} allows {most} {'node' if most == 1 else 'nodes'} at most, not {wanted}"
        problems.append(Problem(("config", "worker_server_num"), text))
    for field in ("app_url", "boot_file_url", "data_url"):
        url = config.get(field)
        is_new = any(str(url).startswith(str(wire_path(place))) for place in uploaded)
        if url and not is_new and not await connection.obs.list(url):
            problems.append(Problem(("config", field), f"nothing is at {url}"))
    return problems
