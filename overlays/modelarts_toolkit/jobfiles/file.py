"""Files that describe a job, YAML or JSON, with the place of every value for error messages."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command

Path_: TypeAlias = tuple[str | int, ...]  # the names and numbers that lead to a value

# Values that are always text: YAML would read yes, 1e3 or 0123 as something else.
_TEXTS = ("parameters", "parameter", "hyperparameters", "env", "env-variables", "env_variables", "environments")


@dataclass(frozen=True, slots=True)
class JobFile:
    """The document of a file; `places` has the line and column of keys and values, counted from 1."""

    name: str
    document: dict[str, Any]
    places: Mapping[Path_, tuple[int, int]] = field(default_factory=dict, repr=False)
    replaced: frozenset[str] = frozenset()  # settings whose values options give instead

    def place(self, path: Path_ = ()) -> str:
        """Where the value at this path is, such as `job.yaml:3:5`; of what is missing, where its parent is."""
        while path and path not in self.places:
            path = path[:-1]
        line, column = self.places.get(path, (1, 1))
        return f"{self.name}:{line}:{column}"


def read_job_file(path: str) -> JobFile:
    """Read a file; `-` is standard input.

    Raises OSError if it cannot be read, ConfigError if it is not valid, with line and column.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}): save it as UTF-8") from None
    return parse_job_file(text, "standard input" if path == "-" else path)


def parse_job_file(text: str, name: str) -> JobFile:
    """The document of a text, which is JSON if `name` says so, else YAML; raises ConfigError if it is not valid."""
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ConfigError(f"job files need one more library: {install_command('cli')}") from error
    if name.endswith(".json"):
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            raise ConfigError(f"{name}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
        text = text.replace("\t", " ")  # JSON allows tabs between tokens, YAML does not
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return JobFile(name, {})
        places: dict[Path_, tuple[int, int]] = {}
        document = _value(node, loader, (), places, name)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise ConfigError(f"{where}: not valid YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError) as error:  # a control character, an impossible date
        raise ConfigError(f"{name}: not valid YAML: {' '.join(str(error).split())}") from None
    finally:
        loader.dispose()
    if not isinstance(document, dict):
        kind = {list: "a list", str: "a text", type(None): "nothing"}.get(type(document), "a number or a boolean")
        raise ConfigError(f"{name}:1:1: a job file is a mapping such as `name: digits`, not {kind}")
    return JobFile(name, document, places)


def _value(node: Any, loader: Any, path: Path_, places: dict[Path_, tuple[int, int]], name: str) -> Any:
    places.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    if node.id == "sequence":
        return [_value(each, loader, (*path, index), places, name) for index, each in enumerate(node.value)]
    if node.id == "mapping":
        loader.flatten_mapping(node)
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            places[(*path, key)] = place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if key in found:
                raise ConfigError(f"{name}:{place[0]}:{place[1]}: the key {key} is there twice: remove one of them")
            found[key] = _value(value_node, loader, (*path, key), places, name)
        return found
    if node.tag.endswith((":timestamp", ":binary")) or (is_text(path) and not node.tag.endswith(":null")):
        return node.value
    return loader.construct_object(node)


def is_text(path: Path_) -> bool:
    """Whether the path leads to a hyperparameter or an environment variable, and not to what is said of it."""
    below = next((path[index + 1 :] for index, name in enumerate(path) if name in _TEXTS), ())
    return len(below) == 1 or (len(below) == 2 and isinstance(below[0], int))
