"""The list of jobs: its columns, its order, what is searched for, and what it says of how many jobs there are."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.test_v1_jobs import JOB
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui import jobs

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "a": {"phase": "warm", "lr": 0.1, "batch": 8, "optimizer": "adam"},
    "b": {"lr": 3e-5, "batch": 16, "optimizer": "sgd"},
    "c": {"seed": 1, "lr": 0.02, "batch": 8, "optimizer": "adam"},
    "d": {},
}
"""The hyperparameters of the jobs by the last letters of their names; all have `depth` 3, and d has not started."""
ORDERS = {
    "created": "abcd",
    "-created": "dcba",
    "name": "abcd",
    "-name": "dcba",
    "ran": "dcba",
    "-ran": "abcd",
    "lr": "bcad",
    "-lr": "acbd",
    "optimizer": "cabd",
    "-batch": "bcad",
    "parameter:phase": "adcb",
    "best:loss": "acbd",
    "-best:loss": "bcad",
    "other": "dcba",
}


@pytest.fixture(scope="module")
def listed() -> Iterator[Served]:
    """A list of jobs that differ in their parameters and in the losses that they print."""
    losses = {"a": (0.9, 0.2, 0.5), "b": (0.8, 0.7), "c": (0.6, 0.4)}
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 3}) as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            for place, (name, parameters) in enumerate(PARAMETERS.items()):
                log = [f"epoch {epoch} loss: {loss}" for epoch, loss in enumerate(losses.get(name, ()))]
                log += ["epoch 2 accuracy: 0.1 f1: 0.2"] * (name == "c")
                emulator.plans.add(job=f"job-{name}", preparation=10, duration=4000 - 1000 * place, log=log)
                simulated(ma, f"job-{name}", **parameters, depth=3)
                emulator.clock.advance(1)
            emulator.clock.advance(1000)
        with Served(Config.load(environ=environment), environment) as page:
            yield page


def text_of(page: Served, path: str) -> str:
    """The list when the logs of all its jobs are read."""
    while "being read" in (text := page.client.get(path).text):
        pass
    return text


def names(text: str) -> str:
    """The last letters of the names of the listed jobs."""
    return "".join(re.findall("<bdi>job-(.)</bdi>", text))


def column(text: str, title: str) -> dict[str, str]:
    """The values of a column by the last letters of the jobs."""
    rows = re.findall(r"<bdi>job-(.)</bdi>(.*?)</tr>", text, re.DOTALL)
    return {name: unescape(re.findall(rf'data-label="{title}"><bdi>(.*?)</bdi>', row)[0]) for name, row in rows}


def titles(text: str) -> list[str]:
    """The titles of the columns that are not in every list."""
    return re.findall(r'<th scope="col" class="value".*?<bdi>(.*?)</bdi>', text)


def count(text: str) -> str:
    """What the page says of how many jobs there are."""
    return re.findall(r'id="count">\s*(.*?)\s*</span>', text, re.DOTALL)[0]


def test_columns_are_the_parameters_that_differ_and_the_best_of_the_metrics(listed: Served) -> None:
    """Those that most jobs have, as long as nobody has chosen any; a number is as people read it."""
    text = text_of(listed, "/")

    assert titles(text) == ["lr", "batch", "optimizer", "best loss", "best accuracy"]
    assert column(text, "lr") == {"a": "0.1", "b": "3e-05", "c": "0.02", "d": ""}
    assert column(text, "best loss") == {"a": "0.2", "b": "0.7", "c": "0.4", "d": ""}


def test_columns_are_chosen_in_the_address_and_stay_in_every_link_of_the_page(listed: Served) -> None:
    """Also the choice of none; every other member of the address stays, too."""
    text = text_of(listed, "/?column=last:loss&column=depth&name=job&where=lr>0")
    links = re.findall(r'<th scope="col".*?<a href="(.*?)"', text)
    fields = [*re.findall(r'type="hidden" name="(\w+)" value="(.*?)"', text.partition('class="columns"')[2])]

    assert column(text, "last loss") == {"a": "0.5", "b": "0.7", "c": "0.4"}
    assert column(text, "depth") == dict.fromkeys("abc", "3")
    assert len(links) == 6
    for link in links:
        assert "column=last%3Aloss&amp;column=depth&amp;name=job&amp;where=lr%3E0&amp;sort=" in link, link
    assert [(name, unescape(value)) for name, value in fields] == [("name", "job"), ("where", "lr>0")]
    none = text_of(listed, "/?column=")
    assert titles(none) == []
    assert '<input type="hidden" name="column" value="">' in none.partition("</form>")[0]


def test_columns_come_when_the_logs_were_read(listed: Served) -> None:
    """By the stream of the page, without a request of the service before the page is shown."""
    for _, parts, _ in listed.events("/live?column=best:loss&after=here"):
        if "rows" in parts and "0.7" in parts["rows"]:
            break
    assert column(parts["rows"], "best loss")["b"] == "0.7"
    assert "here" not in parts["rows"] + parts["columns"]


@pytest.mark.parametrize("sort", ORDERS)
def test_the_list_is_sorted_by_any_column(listed: Served, sort: str) -> None:
    """Numbers as numbers, and last what has no value, whichever comes first; equal ones stay newest first.

    The title of a column by which they are sorted leads to the other order.
    """
    text = text_of(listed, f"/?sort={sort}&column={sort.removeprefix('-')}")
    turned = sort.removeprefix("-") if sort.startswith("-") else f"-{sort}"

    assert names(text) == ORDERS[sort]
    links = re.findall(r'aria-sort="\w+"><a href="[^"]*[?;]sort=([^"&]*)"', text)
    assert links == [turned.replace(":", "%3A")]
    assert ("No job has a value of other" in text) == (sort == "other")


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(["lr", "batch", "seed", "best:loss", "last:loss"]),
    limit=st.one_of(
        st.sampled_from([0.1, 3e-5, 8, 16, 0.2, 0.7, 1]), st.floats(0, 20).map(lambda each: round(each, 6))
    ),
)
def test_a_search_divides_the_jobs_that_have_a_value(listed: Served, name: str, limit: float) -> None:
    """Each is below, at or above a limit, those without a value are neither, and the count says how many are left."""
    found = {}
    for sign in ("<", "<=", "=", "!=", ">=", ">"):
        text = text_of(listed, f"/?where={name}{sign}{limit}")
        found[sign] = set(names(text))
        assert count(text) == f"{len(found[sign])} of 4 jobs {'matches' if len(found[sign]) == 1 else 'match'}", sign
    have = {"seed": {"c"}}.get(name, {*"abc"})

    assert found["<"] | found["="] | found[">"] == have
    assert len(found["<"]) + len(found["="]) + len(found[">"]) == len(have)
    assert (found["<="], found[">="]) == (found["<"] | found["="], found[">"] | found["="])
    assert found["!="] & have == found["<"] | found[">"]


def test_a_mistake_in_the_search_is_one_sentence_and_the_list_stays(listed: Served) -> None:
    text = text_of(listed, "/?where=lr>>1")

    assert names(text) == "dcba"
    assert re.findall(r'aria-invalid="true" aria-describedby="(.*?)"', text) == ["mistake"]
    assert "&#39;lr&gt;&gt;1&#39; is not a condition" in re.findall(r'id="mistake">(.*?)</p>', text)[0]
    assert "a list of version 1 has no parameters" in text_of(listed, "/v1/jobs?where=lr>1")
    assert "No job has a value of" not in text_of(listed, "/v1/jobs?where=lr>1&sort=lr")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "4 jobs"),
        ("/?n=2", "The newest 2 jobs"),
        ("/?n=2&where=lr>0", "1 of the newest 2 jobs matches"),
        ("/?name=job&n=2", "The newest 2 jobs found"),
        ("/?name=job-a", "1 of 4 jobs matches"),
        ("/?name=nothing", "0 of 4 jobs match"),
        ("/?name=job&n=2&where=lr>0", "1 of the newest 2 jobs found matches"),
        ("/v1/jobs", "0 jobs"),
    ],
)
def test_the_page_counts_jobs(listed: Served, path: str, said: str) -> None:
    assert count(text_of(listed, path)) == said


def test_a_list_without_jobs_says_the_way_out(listed: Served) -> None:
    """Clear the filter if there are jobs, which keeps columns and order; else how to submit one."""
    text = text_of(listed, "/?name=nothing&where=lr>0&column=lr&sort=lr")

    assert re.findall(r"0 of 4 jobs match\s*\. <a href=\"(.*?)\">Clear the filter", text) == ["/?column=lr&amp;sort=lr"]
    assert "<table" not in text
    assert "modelarts v1 job submit" in text_of(listed, "/v1/jobs?name=nothing")
    assert "whatever its value" in text_of(listed, "/?tag=team")
    assert "whatever its value" not in text_of(listed, "/?tag=team=a")


def test_a_click_on_the_head_of_a_metric_puts_the_best_first(listed: Served) -> None:
    """Where the largest is not the best for sure, the first click puts the smallest first, as for a parameter."""
    text = text_of(listed, "/?column=best:accuracy&column=best:loss&column=lr")

    assert re.findall(r"[?;]sort=([^\"&]*)\"><bdi>(?:best|lr)", text) == ["-best%3Aaccuracy", "best%3Aloss", "lr"]
    text = text_of(listed, "/?column=best:accuracy&sort=-best:accuracy")
    assert re.findall(r"[?;]sort=([^\"&]*)\"><bdi>best", text) == ["best%3Aaccuracy"]


def test_a_metric_is_one_column_under_all_its_spellings_and_shares_are_not_sorted_among_percentages() -> None:
    """An address with the spelling of an older job still finds the column."""
    printed = {
        "a": ("train_loss: 0.5", "acc: 92.21"),
        "b": ("Train Loss: 0.25", "Acc: 0.9883"),
        "c": ("train/loss: 0.75", "acc: 48.54"),
    }
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            for name, log in printed.items():
                emulator.plans.add(job=f"job-{name}", preparation=1, duration=10, log=[*log])
                simulated(ma, f"job-{name}")
                emulator.clock.advance(100)
        with Served(Config.load(environ=environment), environment) as page:
            chosen = "/?column=best:train_loss&column=best:acc"
            sorted_ones = text_of(page, f"{chosen}&sort=best:Train+Loss")
            refused = text_of(page, f"{chosen}&sort=-best:acc")

    assert names(sorted_ones) == "bac"
    assert column(sorted_ones, "best train/loss") == {"a": "0.5", "b": "0.25", "c": "0.75"}
    assert re.findall('"checkbox" name="column" value="(best:t.*?)"', sorted_ones, re.IGNORECASE) == ["best:train/loss"]
    assert 'aria-sort="ascending"><a href="/?column=best%3Atrain_loss' in sorted_ones
    assert names(refused) == "cba"
    assert "Not sorted by best acc: some values may be percentages, and others shares of one." in refused
    assert re.findall(r'aria-sort="(\w+)"><a[^>]*><bdi>(.*?)<', refused) == [("descending", "Created")]


def test_bars_of_waiting_and_running_have_one_scale(listed: Served) -> None:
    """The longest time is the whole width; d waits for nodes that a, b and c have."""
    text = text_of(listed, "/")
    bars = re.findall(r'"waited" width="(.*?)".*?"ran" x="(.*?)" width="(.*?)"', text)

    assert bars == [("99.7", "99.7", "0.0"), ("1.0", "1.0", "98.8"), ("1.0", "1.0", "98.9"), ("1.0", "1.0", "99.0")]
    assert re.findall(r"waits <span data-passed=\"\d+\.0\">(.*?)</span>", text) == ["16 min 41 s"]
    assert re.findall(r"<time.*?>(\d+ min ago)<", text) == ["16 min ago"] * 4


def test_a_job_that_ran_for_a_moment_after_a_long_time_of_waiting_says_both() -> None:
    """The moment is seen in the bar, too: the number beside a long bar is not that of the run alone."""
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 1}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="job-a", duration=600)
        emulator.plans.add(job="job-b", duration=2)
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            simulated(ma, "job-a")
            simulated(ma, "job-b")
            emulator.clock.advance(700)
        with Served(Config.load(environ=environment), environment) as page:
            text = page.client.get("/").text

    assert re.findall('"ran" x="(.*?)" width="(.*?)".*?<span>(.*?)</span>', text, re.DOTALL) == [
        ("99.0", "1.0", "waited 10 min 00 s, ran 2 s"),
        ("0.0", "99.7", "10 min 00 s"),
    ]


def test_no_address_makes_the_page_ask_for_more_than_its_limit(listed: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_SHOWN", 2)

    assert names(text_of(listed, "/?n=1000000")) == "dc"
    assert "older ones are not among them" in text_of(listed, "/?n=1&sort=name")
    assert "Show more jobs" in text_of(listed, "/?n=1")


def test_the_service_filters_by_phase(listed: Served) -> None:
    assert names(text_of(listed, "/?phase=Pending")) == "d"


def test_a_job_of_version_1_that_runs_does_not_wait() -> None:
    """Though the list says nothing of its start; its metrics are columns, too."""
    with Emulator(executor="simulated") as emulator:
        emulator.objects.put("obs://work/code/train.py", "")
        emulator.objects.put("obs://work/data/x", "")
        emulator.clock.freeze()
        emulator.plans.add(job="*", preparation=10, duration=1000, log=["epoch 1 loss: 0.5", "epoch 2 loss: 0.25"])
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            ma.v1_jobs.submit(JOB)
            emulator.clock.advance(60)
        with Served(Config.load(environ=environment), environment) as page:
            text = text_of(page, "/v1/jobs")

    assert count(text) == "1 job"
    assert re.findall(r"<span>((?:waits )?<span data-passed)", text) == ["<span data-passed"]
    assert re.findall(r'data-label="best loss"><bdi>(.*?)<', text) == ["0.25"]
