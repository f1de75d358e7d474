"""The policy of a search: what `auto_search` asks for, checked in all its parts and read once.

Page "Creating a Training Job" names the members; what they may hold is partly read from the pages "Obtaining Supported
Hyperparameter Search Algorithms" and the user manual, see `docs/emulator-differences.md`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.tuning.settings import read_settings
from modelarts_emulator.tuning.space import Dimension, number, read_space
from modelarts_emulator.v2.hyperparameters import NAME

__all__ = ["Policy", "Reward", "read_policy"]

MAX_REGEX = 512
MAX_REWARDS = 8
MAX_DIMENSIONS = 32


@dataclass(frozen=True, slots=True)
class Reward:
    """A metric that trials print: its name, whether more of it is better, and what finds it in a log."""

    name: str
    mode: Literal["max", "min"]
    regex: str


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
        raise _wrong(f"the regular expression of metric {name} is none: {error}") from None
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


def _wrong(what: str) -> ServiceError:
    return ServiceError("ModelArts.2826", f"Search parameters error: {what}.")
