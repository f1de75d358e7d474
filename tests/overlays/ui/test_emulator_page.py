"""The emulator's own page: faults and plans in words, and the calls of others than the page."""

import html
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

SECONDS = st.integers(0, 10**7)
EXIT_CODES = st.integers(0, 255)
TASK = st.fixed_dictionaries(
    {},
    optional={
        "duration": SECONDS | st.lists(SECONDS, min_size=1, max_size=3),
        "exit_code": EXIT_CODES | st.lists(EXIT_CODES, min_size=1, max_size=3),
        "failure": st.sampled_from(["", "node_lost@45", "preempted@0.5"]),
        "log": st.lists(st.text("ab {}<>", max_size=9), max_size=3),
        "metrics": st.just({"gpuUtil": [20, 90]}),
        "stop_duration": SECONDS,
    },
)
COUNT = st.integers(1, 9)
FAULTS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("status"), "status": st.just(503)}, optional={"retry_after": COUNT}),
    st.fixed_dictionaries({"kind": st.just("latency"), "seconds": st.floats(0.5, 9)}),
    st.fixed_dictionaries({"kind": st.just("drop")}, optional={"moment": st.sampled_from(["before", "after", "body"])}),
    st.fixed_dictionaries({"kind": st.just("html")}),
    st.fixed_dictionaries({"kind": st.just("first_form"), "document": st.just("obs")}),
)
PLACES = st.fixed_dictionaries({}, optional={"count": COUNT, "after": COUNT})


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated", record_calls=True) as emulator:
        emulator.clock.freeze()
        yield emulator


@pytest.fixture(scope="module")
def page(emulator: Emulator) -> Iterator[Served]:
    environment = emulator.environment()
    with Served(Config.load(environ=environment), environment) as page:
        yield page


def said(page: Served, title: str) -> list[str]:
    """The sentences of a section."""
    section = page.client.get("/emulator").text.partition(f"<h2>{title}")[2].partition("</section>")[0]
    return [html.unescape(text) for text in re.findall(r"<li><bdi>(.*?)</bdi></li>", section, re.DOTALL)]


@settings(max_examples=15)
@given(plan=TASK, task=TASK, fault=FAULTS, place=PLACES)
def test_each_plan_and_fault_is_told_in_words(
    emulator: Emulator, page: Served, plan: Any, task: Any, fault: Any, place: Any
) -> None:
    """With all its numbers, and without brackets and quotes of a program."""
    for rules in (emulator.plans, emulator.faults):
        rules.clear()
    emulator.plans.add(job="train-*", **plan, tasks={"worker-1": task})
    emulator.faults.add(**fault, **place)
    plans, faults = said(page, "Plans"), said(page, "Faults")

    assert (len(plans), len(faults)) == (1, 1)
    assert plans[0].startswith("job train-*; ")
    for text in (re.sub(r"log of \d+ lines?: [^;]*(; |$)", "", plans[0]), faults[0]):
        assert not re.search(r"[\[\]{}'\"]|None", text), text
    codes = [each for given in (plan, task) for each in re.findall(r"\d+", str(given.get("exit_code", "")))]
    assert re.findall(r"\d+", " ".join(re.findall(r"exit code ([^;]*)", plans[0]))) == codes
    assert all(f"{number}" in faults[0] for number in [*place.values(), fault.get("status", 0)])


def test_where_there_are_none_the_page_says_how_to_add_one(emulator: Emulator, page: Served) -> None:
    emulator.plans.clear()
    emulator.faults.clear()
    text = page.client.get("/emulator").text

    for name in ("faults", "plans"):
        (words,) = re.findall(f"<code>modelarts emulator {name} add (.*?)</code>", text)
        rule = dict(word.strip("'").split("=") for word in words.replace("&#39;", "'").split())
        numbers = {key: int(value) if value.isdecimal() else value for key, value in rule.items()}
        getattr(emulator, name).add(**numbers)
        getattr(emulator, name).clear()


def test_calls_are_those_of_others_newest_first_and_of_those_the_ones_that_are_looked_for(
    emulator: Emulator, page: Served
) -> None:
    """The page's own are counted, and shown to those who ask for them."""
    emulator.calls.clear()
    with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
        job = simulated(ma, "called")
        ma.jobs.get(job.id)
    page.client.get(f"/jobs/{job.id}")

    def names(**query: str) -> list[str]:
        text = page.client.get("/emulator", params=query).text
        return re.findall(r'<th scope="row">(\w+)</th>', text)

    others, all_ = names(), names(own="1")
    assert others[:2] == ["showTrainingJobDetails", "createTrainingJob"]
    assert len(all_) > len(others)
    assert f"without {len(all_) - len(others)} of this page" in page.client.get("/emulator").text
    assert names(call="CREATEtraining") == ["createTrainingJob"]
    assert names(call="no such call") == []
    found = page.client.get("/emulator", params={"call": job.id, "own": "1"}).text
    paths = re.findall(r"<code>[A-Z]+ (.*?)</code>", found)
    assert paths
    assert all(job.id in path for path in paths), paths


def test_each_page_says_what_to_start_when_the_emulator_is_gone() -> None:
    """In the words of all others, without those of the operating system."""
    with ExitStack() as service:
        emulator = service.enter_context(Emulator(executor="simulated"))
        environment = emulator.environment()
        with Served(Config.load(environ=environment), environment) as page:
            paths = re.findall(r'href="(/[^"]*)"', re.findall("<nav.*?</nav>", page.client.get("/").text, re.DOTALL)[0])
            service.close()
            shown = {path: html.unescape(page.client.get(path).text) for path in paths}

    assert "/emulator" in shown
    for path, text in shown.items():
        assert "start the emulator with: modelarts emulator. If its address changes" in text, path
        assert "Errno" not in text, path


def test_the_question_before_a_delete_says_that_the_job_has_not_ended(emulator: Emulator, page: Served) -> None:
    emulator.plans.clear()
    emulator.faults.clear()
    with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
        job = simulated(ma, "asked")
        before = page.client.get(f"/jobs/{job.id}").text
        emulator.clock.advance(100_000)
        ended = page.client.get(f"/jobs/{job.wait(timeout=60).id}").text

    assert "asked\u2069, which has not ended? It will be stopped. Its outputs stay." in before
    assert "asked\u2069? Its outputs stay." in ended


def test_what_is_said_of_a_wrong_address_is_a_sentence(emulator: Emulator, page: Served) -> None:
    with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
        job = f"/jobs/{simulated(ma, 'wrong').id}"
    for path in ("/compare", f"{job}?tab=nothing", "/jobs/unknown", "/nothing"):
        said = re.findall(r'<p class="problem">(.)', page.client.get(path).text)

        assert [each.islower() for each in said] == [False], path
