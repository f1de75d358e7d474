"""`modelarts search`, of jobs whose trials a service reports."""

import json
from typing import Any

import httpx
import pytest
from tests.overlays.cli.conftest import Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli import terminal

ID = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"
ROWS = [["0", "t0", "0.7", "0.3"], ["1", "t1", "0.9", "0.1"], ["2", "t2", "", ""]]


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A service with one search; returns the trials that were stopped."""
    paths: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        place = request.url.path
        if place.endswith("/autosearch-trials"):
            items = {"header": ["", "trial_id", "accuracy", "loss"], "data": ROWS}
            return httpx.Response(200, json={"total": len(ROWS), "items": items})
        if "/autosearch-trial-earlystop/" in place:
            paths.append(place.rsplit("/", 1)[-1])
            return httpx.Response(200, json={})
        search = {"auto_search": {"reward_attrs": [{"name": "accuracy", "mode": "max"}]}}
        job: dict[str, Any] = {"metadata": {"id": ID, "name": "s"}, "status": {"phase": "Running"}}
        return httpx.Response(200, json={**job, "algorithm": {"policies": search}})

    def connect(_: object) -> ModelArts:
        return ModelArts(
            endpoint="https://x.example.com",
            project_id="p",
            token="t",
            transport=httpx.MockTransport(respond),
        )

    monkeypatch.setattr(terminal.Terminal, "connect", connect)
    return paths


def test_trials_are_a_table(run: Run, stopped: list[str]) -> None:
    lines = run("search", "trials", ID).stdout.splitlines()

    assert lines[0].split() == ["NUMBER", "TRIAL", "ID", "ACCURACY", "LOSS"]
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("options", "trial"),
    [([], "t1"), (["--smallest"], "t0"), (["--metric", "loss"], "t0"), (["--metric", "loss", "--smallest"], "t1")],
)
def test_the_best_trial_is_that_of_the_searchs_metric(
    run: Run, stopped: list[str], options: list[str], trial: str
) -> None:
    assert json.loads(run("search", "best", ID, "-o", "json", *options).stdout)["trial_id"] == trial


def test_another_column_has_to_be_there(run: Run, stopped: list[str]) -> None:
    done = run("search", "best", ID, "--metric", "f1")

    assert (done.exit_code, "the trials have no column f1" in done.stderr) == (2, True)


def test_a_trial_is_stopped(run: Run, stopped: list[str]) -> None:
    assert run("search", "stop", ID, "t2").exit_code == 0
    assert stopped == ["t2"]


def test_the_search_algorithms_of_the_service_are_listed(run: Run, service: Emulator) -> None:
    assert run("search", "algorithms").stdout.startswith("NAME")
