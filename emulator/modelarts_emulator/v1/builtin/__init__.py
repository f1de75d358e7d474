"""Built-in algorithms: `model_id` of a job names one, and its script runs instead of the user's code.

`catalogue.toml` says what they are: what the list of algorithms shows, the engine they run on, their hyperparameters
with defaults, and the script. A script is a file of this package. It is started with `--<label>=<value>` for every
hyperparameter and with `--data_url` and `--train_url`, which are local folders: the platform fetches the data and
uploads the results.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Hyperparameter:
    """`label` is its name; a `required` one needs a value unless it has one."""

    label: str
    value: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class BuiltInAlgorithm:
    """`shown` is what the list of algorithms has of it beside its hyperparameters and its engine."""

    model_id: int
    model_name: str
    engine_id: int
    script: Path
    parameters: tuple[Hyperparameter, ...]
    shown: Mapping[str, Any]


@cache
def every() -> Mapping[int, BuiltInAlgorithm]:
    """All built-in algorithms by their id."""
    tables = tomllib.loads((FOLDER / "catalogue.toml").read_text("utf-8"))["algorithm"]
    return {table["model_id"]: _read(table) for table in tables}


def find(model_id: int) -> BuiltInAlgorithm | None:
    """The built-in algorithm with this id; None if there is none."""
    return every().get(model_id)


def _read(table: dict[str, Any]) -> BuiltInAlgorithm:
    parameters = tuple(Hyperparameter(**entry) for entry in table.pop("parameter"))
    script = FOLDER / table.pop("script")
    return BuiltInAlgorithm(
        table.pop("model_id"), table.pop("model_name"), table.pop("engine_id"), script, parameters, table
    )
