"""The comparison of jobs on the page."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from tests.overlays.cli.conftest import job_request
from tests.overlays.ui.conftest import Served

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts
from modelarts_toolkit.settings.config import Config

LOGS: dict[str, dict[str, Any]] = {
    "early": {"log": ["lr: 0.5", "lr: 0.1", "loss: 0.9", "loss: 0.4", "acc: 0.5", "acc: 0.6"]},
    "equal": {"log": ["loss: 0.8", "loss: 0.3", "loss: 3e-5", "loss: 0.3"], "exit_code": 0},
    "broken": {"log": ["loss: 3e-5", "loss: 7.5", "KeyError: 'momentum'"], "exit_code": 1},
    "slow": {"duration": 10**6, "log": ["hello"]},
    "waits": {"preparation": 10**6},
}


def rows_of(html: str) -> dict[str, list[str]]:
    """The texts of the rows of the first table by those of their heads."""
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", html.partition("<table>")[2].partition("</table>")[0], re.DOTALL):
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        head, *values = (" ".join(unescape(re.sub(r"<[^>]+>", "", cell)).split()) for cell in cells)
        found[head] = values
    return found


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Emulator, Served, ModelArts, dict[str, Job]]]:
    """An emulator whose clock stands, its page, a client, and a job of each kind by its name."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with Served(config, environment) as page, ModelArts(config=config) as ma:
            jobs = {}
            for number, (name, plan) in enumerate(LOGS.items()):
                emulator.plans.add(job=name, **{"duration": 60, **plan})
                parameters = [{"name": "lr", "value": str(number)}, {"name": "seed", "value": "7"}]
                image = {"command": "true", "engine": {"image_url": "team/image:1"}, "parameters": parameters}
                jobs[name] = ma.jobs.submit(job_request(name) | {"algorithm": image})
                emulator.clock.advance(90)
            yield emulator, page, ma, jobs


def test_what_differs_stands_before_what_is_the_same_and_the_best_is_marked(
    world: tuple[Emulator, Served, ModelArts, dict[str, Job]],
) -> None:
    """The newest job is the first, a job without a metric has a dash, and a failure its reason."""
    _, page, _, jobs = world
    text = page.client.get("/compare", params={"job": [job.id for job in jobs.values()]}).text
    rows = rows_of(text)

    assert rows[""] == ["waits ×", "slow ×", "broken ×", "equal ×", "early ×"]
    assert rows["Phase"] == ["Pending", "Running", "Failed", "Completed", "Completed"]
    assert rows["Best loss"] == ["–", "–", "3e-5 best", "3e-5 best", "0.4"]
    assert rows["Last loss"] == ["–", "–", "7.5", "0.3 best", "0.4"]
    assert rows["Best acc"] == ["–", "–", "–", "–", "0.6"]
    assert "Best lr" not in rows
    assert rows["Parameter lr"] == ["4", "3", "2", "1", "0"]
    assert [("KeyError" in each, each == "–") for each in rows["Why it ended"]].count((True, False)) == 1
    assert rows["Ran"] == ["–", "3 min 00 s", "1 min 00 s", "1 min 00 s", "1 min 00 s"]
    assert "Parameter seed" not in rows
    assert re.findall(r"<dt><bdi>seed</bdi></dt><dd><bdi>(.*?)</bdi>", text) == ["7"]
    same = re.findall(r"<dt><bdi>(.*?)</bdi>", text)
    assert f"{len(same)} settings are the same" in text
    assert "lr" not in same
    assert list(rows).index("Last loss") < list(rows).index("Created")


def test_a_job_is_left_out_by_a_link_and_a_deleted_one_is_named(
    world: tuple[Emulator, Served, ModelArts, dict[str, Job]],
) -> None:
    """The others are still compared; where none is left, the page says that it does not exist."""
    _, page, ma, jobs = world
    keys = [jobs[name].id for name in ("early", "equal", "broken")]
    text = page.client.get("/compare", params={"job": keys}).text
    (address,) = re.findall(r'href="(\?[^"]*)" aria-label="Leave out equal"', text)
    pair = page.client.get(f"/compare{unescape(address)}").text
    gone = ma.jobs.submit(job_request("gone") | {"algorithm": {"command": "true", "engine": {"image_url": "a/b:1"}}})
    gone.delete()
    rest = page.client.get("/compare", params={"job": [gone.id, *keys]}).text

    assert rows_of(pair)[""] == ["broken", "early"]
    assert "Leave out" not in pair
    assert len(rows_of(rest)[""]) == 3
    assert f"<bdi>{gone.id}</bdi> does not exist any more" in rest
    assert page.client.get("/compare", params={"job": [gone.id, f"{gone.id[:-1]}0"]}).status_code == 404


def test_a_page_that_is_open_goes_on_without_a_job_that_is_deleted(
    world: tuple[Emulator, Served, ModelArts, dict[str, Job]],
) -> None:
    _, page, ma, jobs = world
    gone = ma.jobs.submit(job_request("gone") | {"algorithm": {"command": "true", "engine": {"image_url": "a/b:1"}}})
    events = page.events(f"/compare/live?job={jobs['early'].id}&job={jobs['equal'].id}&job={gone.id}")
    before = next(events)[1]["compared"]
    gone.delete()
    after = next(parts["compared"] for _, parts, _ in events if "not exist any more" in parts.get("compared", ""))

    assert "3 jobs" in before
    assert "2 jobs" in after
