"""Built-in algorithms: `model_id` of a job names one, and its script runs instead of the user's code.

`catalogue.toml` says what they are: what the list of algorithms shows, the engine they run on, their hyperparameters
with defaults, and the script. A script is a file of this package. It is started with `--<label>=<value>` for every
hyperparameter and with `--data_url` and `--train_url`, which are local folders: the platform fetches the data and
uploads the results.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@cache
def every() -> Mapping[int, Mapping[str, Any]]:
    """All built-in algorithms by their id, as the catalogue has them; `script` is a path."""
    tables = tomllib.loads((FOLDER / "catalogue.toml").read_text("utf-8"))["algorithm"]
    return {table["model_id"]: {**table, "script": FOLDER / table["script"]} for table in tables}
