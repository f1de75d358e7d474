"""The settings of the search algorithms: defaults from the catalogue, what a job gives instead, and their bounds.

Source: page "Obtaining Supported Hyperparameter Search Algorithms" (names, types, defaults) and the user manual (10 to
20 trials; the kinds of bayes_opt_search). Where both are silent the bounds are those of the algorithms themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.tuning.space import WHOLE, number

__all__ = ["read_settings"]

Setting = float | int | str

KINDS: Final = ("ucb", "ei", "poi")
# Lower and upper bound, both allowed.
BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "num_samples": (10, 20),
    "seed": (0, 2**31 - 1),
    "kappa": (0, 1000),
    "xi": (0, 1000),
    "gamma": (0.01, 1),
    "n_initial_points": (1, 1000),
    "avg_best_idx": (1, 1000),
    "shrink_coef": (0, 1000),
}


def read_settings(
    configs: Sequence[Mapping[str, Any]], algorithms: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, Setting]]:
    """Name and settings of the one algorithm that `algo_configs` asks for; raises ServiceError (2826)."""
    if len(configs) != 1:
        raise _wrong(f"algo_configs must name one algorithm, not {len(configs)}")
    name = configs[0].get("name") or ""
    if (algorithm := algorithms.get(name)) is None:
        raise _wrong(f"unknown search algorithm {name[:64]!r}; there are {', '.join(algorithms)}")
    known = {entry["key"]: entry for entry in algorithm.get("params", [])}
    values = {key: entry["value"] for key, entry in known.items()}
    seen = set()
    for entry in configs[0].get("params") or []:
        key, value = entry.get("key") or "", entry.get("value") or ""
        if key not in known:
            raise _wrong(f"{name} has no setting {key[:64]!r}; it has {', '.join(known)}")
        if key in seen:
            raise _wrong(f"setting {key} is given more than once")
        if entry.get("type") and entry["type"].lower() != known[key]["type"].lower():
            raise _wrong(f"setting {key} is of type {known[key]['type']}, not {entry['type'][:64]!r}")
        seen.add(key)
        values[key] = value or values[key]
    return name, {key: _read(key, values[key], entry["type"]) for key, entry in known.items()}


def _read(key: str, text: str, kind: str) -> Setting:
    if kind == "String":
        if key == "kind" and text not in KINDS:
            raise _wrong(f"setting kind must be {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {text[:64]!r}")
        return text
    value = number(text)
    if value is None or (kind == "Integer" and not WHOLE.fullmatch(text.strip())):
        raise _wrong(f"setting {key} must be of type {kind}, not {text[:64]!r}")
    low, high = BOUNDS.get(key, (value, value))
    if not low <= value <= high:
        raise _wrong(f"setting {key} must be from {low:g} to {high:g}, not {text[:64]}")
    return int(value) if kind == "Integer" else value


def _wrong(what: str) -> ServiceError:
    return ServiceError("ModelArts.2826", f"Search parameters error: {what}.")
