"""Where in a job file, or among the options, what is wrong with a request was written."""

from collections.abc import Mapping
from typing import cast

from .checks import Problem
from .file import JobFile
from .plan import ALIASES

# Where the fields of a request stand in a file that uses the short keys.
_SHORT: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("metadata", "name"): ("name",),
    ("metadata", "description"): ("description",),
    ("algorithm", "code_dir"): ("code", "code-dir", "code_dir"),
    ("algorithm", "boot_file"): ("boot", "boot-file", "boot_file"),
    ("algorithm", "engine"): ("engine", "framework-version", "image", "image-url"),
    ("algorithm", "inputs"): ("inputs", "input", "data-url", "data_url"),
    ("algorithm", "outputs"): ("outputs", "output"),
    ("algorithm", "parameters"): ("parameters",),
    ("algorithm", "environments"): ("env", "env-variables"),
    ("spec", "resource", "flavor_id"): ("flavor", "train-instance-type"),
    ("spec", "resource", "node_count"): ("nodes", "train-instance-count"),
    ("spec", "log_export_path"): ("log-url", "log_url"),
    # of version 1
    ("job_name",): ("name",),
    ("job_desc",): ("description",),
    ("config", "app_url"): ("code", "code-dir", "code_dir"),
    ("config", "boot_file_url"): ("boot", "boot-file", "boot_file"),
    ("config", "worker_server_num"): ("nodes", "train-instance-count"),
    ("config", "flavor"): ("flavor", "train-instance-type"),
    ("config", "engine_id"): ("engine", "framework-version"),
    ("config", "data_url"): ("inputs", "input", "data-url", "data_url"),
    ("config", "parameter"): ("parameters",),
}


def located(problem: Problem, document: JobFile | None) -> str:
    """The problem, with its place in the file, or the option that gave the value."""
    if document is None:
        return str(problem)
    path = problem.path
    for length in range(len(path), 0, -1):
        candidate, rest = cast("tuple[str, ...]", path[:length]), path[length:]
        keys = _SHORT.get(candidate, ()) or _spellings(candidate)
        for key in keys:
            if key.replace("-", "_") in document.replaced:
                return f"--{key}: {problem}"
        if candidate in document.places:
            return f"{document.place(candidate)}: {problem}"
        for key in keys:
            if (key,) in document.places:
                return f"{document.place((key, *rest))}: {problem}"
    return f"{document.name}: {problem}"


def _spellings(path: tuple[str, ...]) -> list[str]:
    """The keys that mean a setting, as a file or the command line may spell them."""
    names = [path[0], *(alias for alias, name in ALIASES.items() if name == path[0])] if len(path) == 1 else []
    return [spelling for name in names for spelling in (name, name.replace("_", "-"))]
