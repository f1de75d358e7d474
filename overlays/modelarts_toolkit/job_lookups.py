"""What only the service knows about a request: which engines, flavors and objects there are."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from .errors import ConfigError
from .flows import Flow
from .job_checks import Problem
from .job_files import Path_


def choosing_engine(api: Any, wanted: str) -> Flow[dict[str, str]]:
    """The engine whose id, version or name the text or pattern fits; raises ConfigError unless it is one."""
    engines = (yield api.engines.show_training_job_engines()).items
    fitting = [each for each in engines if wanted in (each.engine_id, each.engine_version)] or [
        each for each in engines if _fits(each, wanted.lower())
    ]
    if not fitting:
        hint = _near(wanted, [str(each.engine_id) for each in engines], cutoff=0.5)
        raise ConfigError(f'no engine fits "{wanted}"{hint}: modelarts engine list shows them')
    if len({each.engine_id for each in fitting}) > 1:
        raise ConfigError(f'"{wanted}" fits several engines: {", ".join(str(each.engine_id) for each in fitting)}')
    return {"engine_id": str(fitting[0].engine_id)}


def checking_with_service(api: Any, obs: Callable[[], Any], request: Mapping[str, Any]) -> Flow[list[Problem]]:
    """List what of the request does not exist: flavor, engine, code, boot file, inputs."""
    algorithm, resource = request.get("algorithm") or {}, (request.get("spec") or {}).get("resource") or {}
    problems: list[Problem] = []
    flavors = {each.flavor_id: each for each in (yield api.flavors.show_training_job_flavors()).flavors}
    flavor, nodes = resource.get("flavor_id"), resource.get("node_count") or 1
    if flavor and flavor not in flavors and not resource.get("pool_id"):
        problems.append(
            Problem(("spec", "resource", "flavor_id"), f"there is no flavor {flavor}{_near(flavor, flavors)}")
        )
    elif flavor in flavors and (most := flavors[flavor].flavor_info.max_num) and nodes > most:
        text = f"{flavor} allows {most} {'node' if most == 1 else 'nodes'} at most, not {nodes}"
        problems.append(Problem(("spec", "resource", "node_count"), text))
    if engine := (algorithm.get("engine") or {}).get("engine_id"):
        known = [str(each.engine_id) for each in (yield api.engines.show_training_job_engines()).items]
        if engine not in known:
            path = ("algorithm", "engine", "engine_id")
            problems.append(Problem(path, f"there is no engine {engine}{_near(engine, known)}"))
    for place, url, text in _places(algorithm):
        if url and not (yield obs().list(url)):
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


def _fits(engine: Any, pattern: str) -> bool:
    texts = (engine.engine_id, engine.engine_version, engine.engine_name)
    return any(fnmatchcase(str(text).lower(), pattern) for text in texts)


def _near(name: str, known: Iterable[Any], cutoff: float = 0.6) -> str:
    near = get_close_matches(name, [str(each) for each in known], 1, cutoff)
    return f"; did you mean {near[0]}?" if near else ""
