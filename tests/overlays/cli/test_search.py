"""`modelarts search`, of jobs whose trials a service reports."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.overlays.cli.conftest import Run

from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli import terminal

ID = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"
HEADER = ["", "done", "pid", "config", "trial_id", "time_total_s", "reward_attr", "status", "accuracy", "loss"]


def row(number: int, rate: float, accuracy: str, loss: str, status: str = "TERMINATED") -> list[Any]:
    """A trial as the published example prints it."""
    config = {"rate": rate, "layers": 1234567, "trial_index": number, "param/rate": rate, "param/layers": 1234567}
    return [str(number), "True", "", config, f"t{number}", "19.477163314819336", accuracy, status, accuracy, loss]


ROWS = [
    row(0, 0.3090169943749474, "0.7", "tensor(0.3, device='cuda:0')"),
    row(1, 1e-05, "0.98765432", "0.1"),
    row(2, 0.5, "", "", "RUNNING"),
]


@pytest.fixture
def rewards() -> list[dict[str, str]]:
    """The metrics of the search."""
    return [{"name": "accuracy", "mode": "max"}]


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch, rewards: list[dict[str, str]]) -> list[str]:
    """A service with one search; returns the trials that were stopped and the jobs that were submitted."""
    paths: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        place = request.url.path
        if place.endswith("/autosearch-trials"):
            items = {"header": HEADER, "data": ROWS}
            return httpx.Response(200, json={"total": len(ROWS), "items": items})
        if "/autosearch-trial-earlystop/" in place:
            paths.append(place.rsplit("/", 1)[-1])
            return httpx.Response(200, json={})
        if request.method == "POST":
            paths.append(request.content.decode())
        search = {"auto_search": {"reward_attrs": rewards}}
        job: dict[str, Any] = {"metadata": {"id": ID, "name": "s"}, "status": {"phase": "Running"}}
        algorithm = {"command": "x", "parameters": [{"name": "rate", "value": "1"}], "policies": search}
        return httpx.Response(200, json={**job, "algorithm": algorithm})

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
    """The metric comes first, the best trial on top and marked; hyperparameters stand once, in 80 columns.

    Numbers are short, but for whole ones, such as seeds.
    """
    done = run("search", "trials", ID)

    assert [line.split() for line in done.stdout.splitlines()] == [
        ["BEST", "ACCURACY", "RATE", "LAYERS", "STATUS", "TIME", "TRIAL", "NUMBER"],
        ["*", "0.9877", "1e-5", "1234567", "TERMINATED", "19", "s", "t1", "1"],
        ["0.7", "0.309", "1234567", "TERMINATED", "19", "s", "t0", "0"],
        ["0.5", "1234567", "RUNNING", "19", "s", "t2", "2"],
    ]
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr == "TERMINATED is the service's word for a trial that has ended without an error.\n"
    assert len(json.loads(run("search", "trials", ID, "-o", "json").stdout)[0]) == len(HEADER)


def test_the_best_trial_is_shown_with_the_command_that_trains_with_it(run: Run, stopped: list[str]) -> None:
    done = run("search", "best", ID)
    assert "Train with it: modelarts job rerun s --trial t1" in done.stderr

    run("job", "rerun", ID, "--trial", "t1", "--detach")

    algorithm = json.loads(stopped[-1])["algorithm"]
    assert algorithm["parameters"] == [{"name": "rate", "value": "1e-05"}, {"name": "layers", "value": "1234567"}]
    assert "policies" not in algorithm, "it is not a search"


@pytest.mark.parametrize(
    ("options", "trial"),
    [([], "t1"), (["--smallest"], "t0"), (["--metric", "loss"], "t1"), (["--metric", "loss", "--largest"], "t0")],
)
def test_the_best_trial_is_that_of_the_searchs_metric(
    run: Run, stopped: list[str], options: list[str], trial: str
) -> None:
    """A metric that the search does not name is read as in `job compare`: the smallest loss is the best."""
    assert json.loads(run("search", "best", ID, "-o", "json", *options).stdout)["trial_id"] == trial


@pytest.mark.parametrize(
    "rewards",
    [[{"name": "loss", "mode": "min"}, {"name": "accuracy", "mode": "max"}], [{"name": "accuracy", "mode": "min"}]],
)
def test_each_metric_has_the_direction_that_the_search_gives_it(
    run: Run, stopped: list[str], rewards: list[dict[str, str]]
) -> None:
    """The mode is that of the metric with this name, not of the first one, and goes before what a name suggests."""
    best = json.loads(run("search", "best", ID, "-o", "json", "--metric", "accuracy").stdout)

    assert best["trial_id"] == ("t1" if rewards[-1]["mode"] == "max" else "t0")


def test_a_report_shows_trials_as_lines_and_which_is_best(run: Run, stopped: list[str], tmp_path: Path) -> None:
    """The metric comes first; the line of a trial without a result begins behind it."""
    done = run("job", "report", ID, "--html", tmp_path / "search.html")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "search.html").read_text("utf-8")

    assert re.findall(r'<polyline(?: data-trial="\d+")?(.*?) points="(.*?)"', page) == [
        ("", "50.00,0.00 83.33,50.00"),
        ("", "16.67,100.00 50.00,4.45 83.33,50.00"),
        (' class="best"', "16.67,0.00 50.00,100.00 83.33,50.00"),
    ]
    assert re.findall(r'<tr [^>]*class="best"><td><bdi>(.*?)</bdi>', page) == ["0.9877"]
    assert "modelarts job rerun s --trial t1" in page
