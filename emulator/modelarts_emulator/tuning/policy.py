"""What `auto_search` asks for: metrics, the space of hyperparameters, and a search algorithm with its settings.

Page "Creating a Training Job" names the members; what they may hold is partly read from the pages "Obtaining Supported
Hyperparameter Search Algorithms" (names, types, defaults of settings) and the user manual (10 to 20 trials; the kinds
of bayes_opt_search), see `docs/emulator-differences.md`. Where no page has bounds, they are those of the libraries.
Numbers in `auto_search` are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from modelarts_emulator.http.errors import ServiceError

TAG = {"key": "auto_search", "value": "True"}

MAX_DIMENSIONS = 32
MAX_POINTS = 1000
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# Lower and upper bound of the settings that have an effect, both allowed.
BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "num_samples": (10, 20),
    "seed": (0, 2**31 - 1),
    "n_initial_points": (1, 1000),
}


@dataclass(frozen=True, slots=True)
class Reward:
    """A metric that trials print: its name, whether more of it is better, and what finds it in a log."""

    name: str
    mode: Literal["max", "min"]
    regex: str


@dataclass(frozen=True, slots=True)
class Dimension:
    """One hyperparameter: values from `low` to `high`, or one of `values` where there are any."""

    name: str
    low: float
    high: float
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """How a job searches; the first of `rewards` is what the search improves, the others are shown beside it."""

    rewards: tuple[Reward, ...]
    space: tuple[Dimension, ...]
    algorithm: str
    settings: Mapping[str, float | int | str]

    @property
    def samples(self) -> int:
        """How many trials there are."""
        return int(self.settings["num_samples"])

    def better(self, best: str, value: str) -> str:
        """The better of two rewards as they were printed; anything but a number is worse than any number."""
        old, new = number(best), number(value)
        if new is None or (old is not None and (new <= old if self.rewards[0].mode == "max" else new >= old)):
            return best
        return value


def policy_from_json(value: Mapping[str, Any]) -> Policy:
    """The policy that was stored as `dataclasses.asdict` gives it."""
    space = tuple(Dimension(**{**entry, "values": tuple(entry["values"])}) for entry in value["space"])
    return Policy(tuple(Reward(**entry) for entry in value["rewards"]), space, value["algorithm"], value["settings"])


def read_policy(auto_search: Mapping[str, Any], algorithms: Mapping[str, Mapping[str, Any]]) -> Policy:
    """The policy; raises ServiceError (2824 for a metric given twice, 2826 for anything else that is wrong).

    The documents say what is allowed in each member; here is what a schema cannot say.
    `algorithms` are the catalogue's search algorithms by name.
    """
    rewards = tuple(_reward(entry) for entry in auto_search["reward_attrs"])
    if len({reward.name for reward in rewards}) < len(rewards):
        raise ServiceError("ModelArts.2824", "Search indicators error: reward_attrs names a metric more than once.")
    entries = _searched(auto_search["search_params"], auto_search.get("skip_search_params") or "")
    if names := {reward.name for reward in rewards} & {entry["name"] for entry in entries}:
        raise _wrong(f"{', '.join(sorted(names))} is both a metric and a hyperparameter")
    algorithm, settings = _read_algorithm(auto_search["algo_configs"][0], algorithms)
    return Policy(rewards, tuple(_read_dimension(entry) for entry in entries), algorithm, settings)


def _reward(entry: Mapping[str, Any]) -> Reward:
    import regex  # only searches need it

    try:
        regex.compile(entry["regex"])
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise _wrong(f"the regular expression of metric {entry['name']} cannot be used: {error}") from None
    return Reward(entry["name"], entry["mode"], entry["regex"])


def _searched(entries: Sequence[Mapping[str, Any]], skipped: str) -> list[Mapping[str, Any]]:
    """The entries that the search varies."""
    names = [entry["name"] for entry in entries]
    left_out = {name.strip() for name in skipped.split(",") if name.strip()}
    if len(set(names)) < len(names):
        raise _wrong("search_params names a hyperparameter more than once")
    if unknown := sorted(left_out - set(names)):
        raise _wrong(f"skip_search_params names {unknown[0][:64]!r}, which search_params does not")
    searched = [entry for entry in entries if entry["name"] not in left_out]
    if not 1 <= len(searched) <= MAX_DIMENSIONS:
        raise _wrong(f"search_params must leave 1 to {MAX_DIMENSIONS} hyperparameters to search")
    return searched


def number(text: str) -> float | None:
    """The finite number that the text spells, or None."""
    value = float(text) if NUMBER.fullmatch(text.strip()) else math.inf
    return value if math.isfinite(value) else None


def _read_dimension(entry: Mapping[str, Any]) -> Dimension:
    name = entry["name"]
    if listed := entry.get("discrete_values"):
        values = tuple(sorted(_number(name, "discrete_values", text) for text in listed))
        if len(set(values)) < len(values) or len(values) > MAX_POINTS:
            raise _wrong(f"{name} has a discrete value twice, or more than {MAX_POINTS} of them")
        return Dimension(name, values[0], values[-1], values)
    low, high = (_number(name, member, entry[member]) for member in ("lower_bound", "upper_bound"))
    if not low < high:
        raise _wrong(f"{name} has the lower bound {low:g}, which is not below the upper bound {high:g}")
    if not math.isfinite(high - low):
        raise _wrong(f"{name} has bounds that are too far apart")
    last = int(entry.get("discrete_points_num") or 1) - 1
    points = (*(low + (high - low) * index / last for index in range(last)), high) if last else ()
    return Dimension(name, low, high, points)


def _number(name: str, member: str, text: str) -> float:
    if (value := number(text)) is None:
        raise _wrong(f"{name} has {text[:40]!r} in {member}: only numbers can be searched")
    return value


def _read_algorithm(
    config: Mapping[str, Any], algorithms: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, float | int | str]]:
    """Name and settings of an algorithm; raises ServiceError (2826)."""
    name = config["name"]
    if (algorithm := algorithms.get(name)) is None:
        raise _wrong(f"unknown search algorithm {name[:64]!r}; there are {', '.join(algorithms)}")
    known = {entry["key"]: entry for entry in algorithm.get("params", [])}
    values = {key: entry["value"] for key, entry in known.items()}
    for entry in config.get("params") or []:
        key = entry["key"]
        if key not in known:
            raise _wrong(f"{name} has no setting {key[:64]!r}; it has {', '.join(known)}")
        values[key] = entry["value"] or values[key]
    return name, {key: _read_setting(key, values[key], entry["type"]) for key, entry in known.items()}


def _read_setting(key: str, text: str, kind: str) -> float | int | str:
    if kind == "String":
        return text
    value = number(text)
    if value is None or (kind == "Integer" and not WHOLE.fullmatch(text.strip())):
        raise _wrong(f"setting {key} must be of type {kind}, not {text[:64]!r}")
    low, high = BOUNDS.get(key, (value, value))
    if not low <= value <= high:
        raise _wrong(f"setting {key} must be from {low:g} to {high:g}, not {text[:64]}")
    return int(value) if kind == "Integer" else value


def check_stored(algorithms: Mapping[str, Mapping[str, Any]], advanced_config: Mapping[str, Any] | None) -> None:
    """Raise ServiceError if an algorithm is to be stored with a search that no job could make."""
    if auto_search := (advanced_config or {}).get("auto_search"):
        read_policy(auto_search, algorithms)


def check_search(
    algorithms: Mapping[str, Mapping[str, Any]],
    tags: Sequence[Mapping[str, Any]],
    auto_search: Mapping[str, Any],
    parameters: Sequence[Mapping[str, Any]],
) -> None:
    """Raise ServiceError if a job cannot search so; `tags` are those of its engine."""
    policy = read_policy(auto_search, algorithms)
    if TAG not in tags:
        raise _wrong("the engine has no tag auto_search, only those that have it can search hyperparameters")
    _check_types(policy, parameters)
    try:
        import optuna  # noqa: F401 - it proposes values, and takes a while to load
    except ImportError:
        raise ServiceError(
            "ModelArts.2858",
            "Operation not supported: hyperparameter search needs optuna:"
            ' run: pip install "modelarts-toolkit[search]".',
        ) from None


def _check_types(policy: Policy, parameters: Sequence[Mapping[str, Any]]) -> None:
    types = {entry["name"]: str((entry.get("constraint") or {}).get("type") or "").lower() for entry in parameters}
    for dimension in policy.space:
        kind = types.get(dimension.name)
        if kind == "boolean":
            raise _wrong(f"{dimension.name} is of type Boolean: only numbers can be searched")
        if kind == "integer" and not (dimension.values and all(value.is_integer() for value in dimension.values)):
            raise _wrong(f"{dimension.name} is of type Integer: give discrete_values that are whole numbers")


def _wrong(what: str) -> ServiceError:
    return ServiceError("ModelArts.2826", f"Search parameters error: {what}.")
