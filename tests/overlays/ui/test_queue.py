"""The queue on the page: what has nodes, what waits and why, and that both agree."""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.overlays.cli.conftest import job_request
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

FLAVORS = {"modelarts.vm.cpu.8u": 4, "modelarts.vm.cpu.2u": 2}
MOST_RUNNING = 3
HEADING = re.compile(r"(\d+) of (\d+) nodes? in use, (\d+) free, (\d+) waiting")
JOBS = st.tuples(
    st.sampled_from([*FLAVORS]), st.integers(1, 4), st.integers(1, 3), st.integers(0, 300), st.integers(1, 300)
)


DATA = {"name": "data_url", "remote": {"obs": {"obs_url": "/data/set/"}}}


class Line:
    """A line of a table of the queue."""

    def __init__(self, html: str) -> None:
        cells = [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", html)]
        name, self.phase, nodes, self.lasts, *reason = [cell.strip() for cell in cells]
        place = re.match(r"(\d+)\. ", name)
        self.place, self.name = (int(place[1]), name[place.end() :]) if place else (0, name)
        self.nodes, self.reason = int(nodes), "".join(reason)[:1].lower() + "".join(reason)[1:]


def request_of(name: str, nodes: int = 1, **algorithm: Any) -> Any:
    """The request of a job of an image."""
    image = {"command": "true", "engine": {"image_url": "team/image:1"}}
    return job_request(name, nodes) | {"algorithm": image | algorithm}


def tables(html: str) -> list[tuple[str, str, list[Line], list[Line]]]:
    """Of each flavor its name, its heading, and the lines of what runs and of what waits."""
    found = []
    for section in html.split("<section>")[1:]:
        flavor, heading = re.findall(r"<bdi>(.*?)</bdi></h2>\s*<p[^>]*>(.*?)</p>", section, re.DOTALL)[0]
        groups: dict[str, list[Line]] = {"Running for": [], "Waiting for": []}
        for table in section.split("<table")[1:]:
            (title,) = [each for each in groups if f">{each}</th>" in table]
            groups[title] = [Line(row) for row in re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1], re.DOTALL)]
        found.append((flavor, heading, *groups.values()))
    return found


@pytest.fixture(scope="module")
def crowded() -> Iterator[tuple[Emulator, Served, ModelArts]]:
    """An emulator with a few nodes whose clock stands, its page, and a client."""
    with Emulator(
        executor="simulated", capacity=FLAVORS, max_running_jobs=MOST_RUNNING, token_lifetime=10**9
    ) as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with Served(config, environment) as page, ModelArts(config=config) as ma:
            yield emulator, page, ma


@settings(max_examples=25)
@example(jobs=[("modelarts.vm.cpu.8u", nodes, 1, 300, 9) for nodes in (3, 4, 1)], moves=[5, 5])
@given(jobs=st.lists(JOBS, min_size=1, max_size=8), moves=st.lists(st.integers(1, 400), min_size=1, max_size=3))
def test_used_and_free_nodes_are_all_nodes_and_no_reason_contradicts_them(
    crowded: tuple[Emulator, Served, ModelArts], jobs: Sequence[tuple[Any, ...]], moves: Sequence[int]
) -> None:
    """Whatever is submitted and however the clock moves; the job itself says the same reason."""
    emulator, page, ma = crowded
    emulator.plans.clear()
    emulator.clock.advance(10_000)
    for job in ma.jobs.list():
        job.delete()
    for number, (flavor, nodes, priority, preparation, lasts) in enumerate(jobs):
        emulator.plans.add(job=f"job-{number}", preparation=preparation, duration=lasts)
        request = job_request(f"job-{number}") | {"algorithm": {"command": "true", "engine": {"image_url": "a/b:1"}}}
        resource = {"flavor_id": flavor, "node_count": nodes if FLAVORS[flavor] == 4 else 1}
        request["spec"] = {"resource": resource, "schedule_policy": {"priority": priority}}
        ma.jobs.submit(request)
    for seconds in moves:
        emulator.clock.advance(seconds)
        shown = tables(page.client.get("/queue").text)
        many = sum(len(running) for _, _, running, _ in shown)
        assert many <= MOST_RUNNING, shown
        assert {flavor for flavor, *_ in shown} == {*FLAVORS}, page.client.get("/queue").text
        for flavor, heading, running, waiting in shown:
            used, total, free, count = map(int, HEADING.fullmatch(heading).groups())  # type: ignore[union-attr]
            assert used + free == total == FLAVORS[flavor], heading
            assert used == sum(line.nodes for line in running), heading
            assert [line.place for line in waiting] == [*range(1, count + 1)], heading
            for line in waiting:
                why = (line.name, line.reason, heading)
                if line.reason.startswith("as many jobs"):
                    assert many == MOST_RUNNING, why
                else:
                    assert f", {free} {'is' if free == 1 else 'are'} free" in line.reason, why
                    assert (line.nodes > free) == (f"it needs {line.nodes} node" in line.reason), why
                    assert (line.nodes > free) != ("jobs before it may need them" in line.reason), why
                    assert line.nodes > free or line.place > 1, why
                stage = ma.jobs.get(line.name).stage()
                assert stage is not None, why
                assert stage.en_message == f"The job waits for resources: {line.reason}.", why


def test_what_holds_nodes_before_it_runs_is_in_use_and_a_moved_clock_is_that_of_all_times() -> None:
    flavor = "modelarts.vm.cpu.8u"
    with Emulator(executor="simulated", capacity={flavor: 2}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="first", duration=10_000)
        emulator.plans.add(job="slow", preparation=10_000)
        environment = emulator.environment()
        with Served(Config.load(environ=environment), environment) as page:
            empty = page.client.get("/queue").text
            with ModelArts(config=Config.load(environ=environment)) as ma:
                for name, nodes in (("first", 1), ("slow", 1), ("wide-" * 12, 2)):
                    simulated(ma, name, nodes)
            emulator.clock.advance(3600)
            ((_, heading, running, waiting),) = tables(page.client.get("/queue").text)

    assert "Nothing runs and nothing waits" in empty
    assert heading == "2 of 2 nodes in use, 0 free, 1 waiting"
    assert [(line.name, line.phase, line.lasts) for line in running] == [
        ("first", "Running", "1 h 00 min"),
        ("slow", "Pending", "being prepared"),
    ]
    assert [(line.place, line.name, line.lasts) for line in waiting] == [(1, "wide-" * 12, "1 h 00 min")]
    assert waiting[0].reason.startswith(f"it needs 2 nodes; of 2 nodes of flavor {flavor}, 0 are free")


def test_of_a_cloud_only_what_it_says_is_shown(tmp_path: Path) -> None:
    """It says of no node whether it is free, and of a waiting job what last happened to it."""
    flavor = "modelarts.vm.cpu.8u"
    with Emulator(executor="simulated", capacity={flavor: 2}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="first", duration=10_000)
        emulator.plans.add(job="slow", preparation=10_000)
        config = Config.load(environ=emulator.environment())
        with ModelArts(config=config) as ma:
            ma.obs.create_bucket("data")
            (tmp_path / "set").mkdir()
            (tmp_path / "set/a").write_text("a")
            ma.obs.upload(tmp_path / "set", "obs://data/set/")
            for name, nodes in (("first", 1), ("slow", 1), ("wide", 2)):
                ma.jobs.submit(request_of(name, nodes, inputs=[DATA]))
        emulator.clock.advance(3600)
        with Served(config, {}) as page:
            text = page.client.get("/queue").text
    ((_, heading, running, waiting),) = tables(text)

    assert heading == "2 nodes in use by jobs of this project, 1 waiting"
    assert [line.name for line in running] == ["first", "slow"]
    assert (waiting[0].place, waiting[0].name) == (0, "wide")
    assert waiting[0].reason.startswith("the job is waiting for resources")
    assert "Newest event" in text
    assert "Why it waits" not in text
