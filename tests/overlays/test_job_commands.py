"""Commands of custom images, and the arguments that the service adds to them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modelarts_toolkit.jobfiles.checks import warnings_about

CORPUS = tomllib.loads((Path(__file__).parents[1] / "data/job_commands.toml").read_text("utf-8"))
ARGUMENTS: list[Any] = [
    {"parameters": [{"name": "n", "value": "1"}]},
    {"inputs": [{"name": "n", "remote": {"obs": {"obs_url": "/b/x/"}}}]},
    {"outputs": [{"name": "n", "access_method": "parameter", "remote": {"obs": {"obs_url": "/b/x/"}}}]},
]
AS_VARIABLES = {"inputs": [{"name": "n", "access_method": "env", "remote": {"obs": {"obs_url": "/b/x/"}}}]}


def warnings(command: str, algorithm: Mapping[str, Any]) -> list[str]:
    request: Any = {"algorithm": {"command": command, **algorithm}}
    return [str(each) for each in warnings_about(request)]


@pytest.mark.parametrize("command", CORPUS["taking"])
def test_nothing_is_said_of_a_command_that_ends_with_the_script(command: str) -> None:
    assert warnings(command, ARGUMENTS[0]) == []


@pytest.mark.parametrize("command", CORPUS["not_taking"])
def test_a_command_that_cannot_take_the_arguments_is_warned_of(command: str) -> None:
    """The warning names an argument, the reason and the remedy; without arguments there is none."""
    for algorithm in ARGUMENTS:
        (warning,) = warnings(command, algorithm)
        assert warning.startswith("algorithm.command: the service adds --n=... behind the last command, and "), warning
        assert CORPUS["not_taking"][command] in warning, warning
        assert "access_method: env" in warning, warning

    assert warnings(command, {}) == warnings(command, AS_VARIABLES) == []


@pytest.mark.parametrize(
    ("url", "count"), [("/bucket/o", 1), ("obs://bucket/o/x/", 1), ("obs://bucket/", 1), ("/bucket/o2/", 0)]
)
def test_outputs_that_overwrite_each_other_are_warned_of(url: str, count: int) -> None:
    outputs = [{"name": place, "remote": {"obs": {"obs_url": place}}} for place in ("obs://bucket/o/", url)]

    found = warnings("python train.py", {"outputs": outputs})

    assert [each.split(": ")[0] for each in found] == ["algorithm.outputs[1].remote.obs.obs_url"] * count
