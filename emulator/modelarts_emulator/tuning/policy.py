"""What `auto_search` asks for: metrics, the space of hyperparameters, and a search algorithm with its settings.

Page "Creating a Training Job" names the members; what they may hold is partly read from the pages "Obtaining Supported
Hyperparameter Search Algorithms" (names, types, defaults of settings) and the user manual (10 to 20 trials; the kinds
of bayes_opt_search), see `docs/emulator-differences.md`. Where all are silent the bounds are those of the algorithms
themselves. Numbers in `auto_search` are text.
"""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from modelarts_emulator.http.errors import ServiceError

TAG = {"key": "auto_search", "value": "True"}

MAX_REGEX = 512
MAX_REWARDS = 8
MAX_DIMENSIONS = 32
MAX_POINTS = 1000
NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
LIBRARIES = ("bayes_opt", "hyperopt", "matplotlib", "optuna", "sklearn")
KINDS: Final = ("ucb", "ei", "poi")
# Lower and upper bound of the algorithms' settings, both allowed.
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

    def document(self) -> dict[str, Any]:
        """The dimension as plain JSON values."""
        return asdict(self)


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


def read_policy(auto_search: Mapping[str, Any], algorithms: Mapping[str, Mapping[str, Any]]) -> Policy:
    """The policy; raises ServiceError (2824 for a metric given twice, 2826 for anything else that is wrong).

    `algorithms` are the catalogue's search algorithms by name.
    """
    rewards = _rewards(auto_search.get("reward_attrs") or [])
    entries = _searched(auto_search.get("search_params") or [], _skipped(auto_search))
    names = {reward.name for reward in rewards} & {entry["name"] for entry in entries}
    if names:
        raise _wrong(f"{', '.join(sorted(names))} is both a metric and a hyperparameter")
    algorithm, settings = read_settings(auto_search.get("algo_configs") or [], algorithms)
    return Policy(rewards, read_space(entries), algorithm, settings)


def _rewards(entries: Sequence[Mapping[str, Any]]) -> tuple[Reward, ...]:
    if not 1 <= len(entries) <= MAX_REWARDS:
        raise _wrong(f"reward_attrs must name 1 to {MAX_REWARDS} metrics")
    rewards = tuple(_reward(entry) for entry in entries)
    if len({reward.name for reward in rewards}) < len(rewards):
        raise ServiceError("ModelArts.2824", "Search indicators error: reward_attrs names a metric more than once.")
    return rewards


def _reward(entry: Mapping[str, Any]) -> Reward:
    name, mode, regex = (entry.get(member) or "" for member in ("name", "mode", "regex"))
    _check_name("reward_attrs", name)
    if not mode or not regex:
        raise _wrong(f"metric {name} has no {'regex' if mode else 'mode'}")
    if len(regex) > MAX_REGEX:
        raise _wrong(f"the regular expression of metric {name} is longer than {MAX_REGEX} characters")
    try:
        re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise _wrong(f"the regular expression of metric {name} cannot be used: {error}") from None
    return Reward(name, "max" if mode == "max" else "min", regex)


def _skipped(auto_search: Mapping[str, Any]) -> frozenset[str]:
    names = (auto_search.get("skip_search_params") or "").split(",")
    return frozenset(name.strip() for name in names if name.strip())


def _searched(entries: Sequence[Mapping[str, Any]], skipped: Collection[str]) -> list[Mapping[str, Any]]:
    """The entries that the search varies."""
    names = [entry.get("name") or "" for entry in entries]
    for name in names:
        _check_name("search_params", name)
    if len(set(names)) < len(names):
        raise _wrong("search_params names a hyperparameter more than once")
    if unknown := sorted(set(skipped) - set(names)):
        raise _wrong(f"skip_search_params names {unknown[0][:64]!r}, which search_params does not")
    searched = [entry for entry in entries if entry["name"] not in skipped]
    if not 1 <= len(searched) <= MAX_DIMENSIONS:
        raise _wrong(f"search_params must leave 1 to {MAX_DIMENSIONS} hyperparameters to search")
    return searched


def _check_name(where: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise _wrong(f"{name[:64]!r} in {where} is not 1 to 64 letters, digits, underscores and hyphens")


def read_space(entries: Sequence[Mapping[str, Any]]) -> tuple[Dimension, ...]:
    """The dimensions that `search_params` describes; raises ServiceError (2826) for the first thing wrong with them."""
    return tuple(_read_dimension(entry) for entry in entries)


def number(text: str) -> float | None:
    """The finite number that the text spells, or None."""
    value = float(text) if NUMBER.fullmatch(text.strip()) else math.inf
    return value if math.isfinite(value) else None


def _read_dimension(entry: Mapping[str, Any]) -> Dimension:
    name, listed = entry["name"], entry.get("discrete_values") or []
    kind = entry.get("param_type") or ("discrete" if listed else "continuous")
    if kind == "continuous" and listed:
        raise _wrong(f"{name} is continuous and has discrete_values")
    if listed:
        if _text(entry, "lower_bound") or _text(entry, "upper_bound") or _text(entry, "discrete_points_num"):
            raise _wrong(f"{name} has discrete_values and bounds: give one of the two")
        return _list(name, listed)
    low, high = (_bound(entry, member) for member in ("lower_bound", "upper_bound"))
    if not low < high:
        raise _wrong(f"{name} has the lower bound {low:g}, which is not below the upper bound {high:g}")
    if not math.isfinite(high - low):
        raise _wrong(f"{name} has bounds that are too far apart")
    points = _text(entry, "discrete_points_num")
    if kind == "discrete" and not points:
        raise _wrong(f"{name} is discrete and has neither discrete_values nor discrete_points_num")
    return Dimension(name, low, high, _cut(name, low, high, points) if points else ())


def _list(name: str, listed: Sequence[str]) -> Dimension:
    values = [_number(name, "discrete_values", text) for text in listed]
    if len(values) > MAX_POINTS:
        raise _wrong(f"{name} has more than {MAX_POINTS} discrete_values")
    if len(set(values)) < len(values):
        raise _wrong(f"{name} has a discrete value twice")
    return Dimension(name, min(values), max(values), tuple(sorted(values)))


def _cut(name: str, low: float, high: float, points: str) -> tuple[float, ...]:
    """So many points of the interval, its ends among them, at equal distances."""
    if not WHOLE.fullmatch(points) or len(points) > len(str(MAX_POINTS)) or not 2 <= int(points) <= MAX_POINTS:
        raise _wrong(
            f"{name} has discrete_points_num {points[:20]!r}: it must be a whole number from 2 to {MAX_POINTS}"
        )
    last = int(points) - 1
    return (*(low + (high - low) * index / last for index in range(last)), high)


def _bound(entry: Mapping[str, Any], member: str) -> float:
    if not (text := _text(entry, member)):
        raise _wrong(f"{entry['name']} has no {member}")
    return _number(entry["name"], member, text)


def _number(name: str, member: str, text: str) -> float:
    if (value := number(text)) is None:
        raise _wrong(f"{name} has {text[:40]!r} in {member}: only numbers can be searched")
    return value


def _text(entry: Mapping[str, Any], member: str) -> str:
    return (entry.get(member) or "").strip()


def read_settings(
    configs: Sequence[Mapping[str, Any]], algorithms: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, float | int | str]]:
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
    return name, {key: _read_setting(key, values[key], entry["type"]) for key, entry in known.items()}


def _read_setting(key: str, text: str, kind: str) -> float | int | str:
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


def check_stored(algorithms: Mapping[str, Mapping[str, Any]], advanced_config: Mapping[str, Any] | None) -> None:
    """Raise ServiceError if an algorithm is to be stored with a search that no job could make."""
    if auto_search := (advanced_config or {}).get("auto_search"):
        read_policy(auto_search, algorithms)


def resolve_policies(
    algorithms: Mapping[str, Mapping[str, Any]],
    tags: Sequence[Mapping[str, Any]],
    given: Mapping[str, Any],
    managed: Mapping[str, Any] | None,
    parameters: Sequence[Mapping[str, Any]],
) -> dict[str, Any] | None:
    """A job's `policies` as the service shows them, None without any; raises ServiceError for what cannot be searched.

    `tags` are those of the job's engine. A job that says nothing of policies searches as the stored algorithm that it
    names says.
    """
    if "policies" not in given:
        stored = ((managed or {}).get("advanced_config") or {}).get("auto_search")
        policies = {"auto_search": stored} if stored else None
    else:
        auto_search = (given["policies"] or {}).get("auto_search")
        policies = {"auto_search": auto_search} if auto_search else {}
    if not policies:
        return policies
    policy = read_policy(policies["auto_search"], algorithms)
    if TAG not in tags:
        raise _wrong("the engine has no tag auto_search, only those that have it can search hyperparameters")
    _check_types(policy, parameters)
    if missing := [name for name in LIBRARIES if not _is_installed(name)]:
        raise ServiceError(
            "ModelArts.2858",
            f"Operation not supported: hyperparameter search needs {', '.join(missing)}:"
            ' run: pip install "modelarts-toolkit[search]".',
        )
    return policies


def _check_types(policy: Policy, parameters: Sequence[Mapping[str, Any]]) -> None:
    types = {entry["name"]: str((entry.get("constraint") or {}).get("type") or "").lower() for entry in parameters}
    for dimension in policy.space:
        kind = types.get(dimension.name)
        if kind == "boolean":
            raise _wrong(f"{dimension.name} is of type Boolean: only numbers can be searched")
        if kind == "integer" and not (dimension.values and all(value.is_integer() for value in dimension.values)):
            raise _wrong(f"{dimension.name} is of type Integer: give discrete_values that are whole numbers")


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _wrong(what: str) -> ServiceError:
    return ServiceError("ModelArts.2826", f"Search parameters error: {what}.")
