"""`modelarts job list` with columns, conditions and an order."""

import json
import re
from typing import Any

import pytest
from tests.overlays.cli.conftest import Run, Submit
from tests.overlays.ui.conftest import Served

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli import job_list
from modelarts_toolkit.settings.config import Config

LOSSES = {"0.1": ["0.9", "0.30001"], "0.01": ["0.9", "0.2"], "0.001": ["3e-5", "nan"]}


@pytest.fixture
def sweep(service: Emulator, submit: Submit) -> None:
    """Jobs that differ in `lr` and print a loss, one that prints none, and one without parameters that waits."""
    for number, (lr, losses) in enumerate(LOSSES.items()):
        service.plans.add(job=f"run-{number}", duration=5, log=[f"loss: {loss}" for loss in losses])
        submit(f"run-{number}", parameters=[{"name": "lr", "value": lr}, {"name": "phase", "value": "warm"}])
        service.clock.advance(10)
    service.plans.add(job="silent", duration=5, log=["hello"])
    submit("silent", parameters=[{"name": "lr", "value": "auto"}])
    service.clock.advance(60)
    service.plans.add(job="waiting", preparation=100)
    submit("waiting")


def names_of(result: Any) -> list[str]:
    assert result.exit_code == 0, result.output
    return [line.split()[0] for line in result.stdout.splitlines()[1:]]


@pytest.mark.usefixtures("sweep")
def test_jobs_are_chosen_and_sorted_by_parameters_and_metrics(run: Run) -> None:
    """Numbers before texts, and jobs without a value last in both directions."""
    listing = ("job", "list")

    assert names_of(run(*listing, "--sort", "lr")) == ["run-2", "run-1", "run-0", "silent", "waiting"]
    assert names_of(run(*listing, "--sort", "-best:loss"))[:3] == ["run-0", "run-1", "run-2"]
    assert names_of(run(*listing, "--sort", "best:loss"))[:3] == ["run-2", "run-1", "run-0"]
    assert names_of(run(*listing, "--where", "lr>0.005 best:loss<0.3")) == ["run-1"]
    assert names_of(run(*listing, "--where", "last:loss=nan")) == ["run-2"]
    assert names_of(run(*listing, "--sort", "name", "--limit", "2")) == ["run-0", "run-1"]


def test_shares_are_not_sorted_among_percentages(run: Run, service: Emulator, submit: Submit) -> None:
    """Of one metric, however each job spells it; losses are sorted, which no script prints in percent."""
    for number, (accuracy, loss) in enumerate([("92.21", "0.5"), ("0.9883", "7.5"), ("48.54", "2.5")]):
        spelling = "Acc" if number else "acc"
        service.plans.add(job=f"run-{number}", duration=5, log=[f"{spelling}: {accuracy} loss: {loss}"])
        submit(f"run-{number}")
        service.clock.advance(10)

    refused = run("job", "list", "--sort", "-best:acc")

    assert names_of(refused) == ["run-2", "run-1", "run-0"]
    assert "Not sorted by best acc: some values may be percentages, and others shares of one." in refused.stderr
    assert names_of(run("job", "list", "--sort", "-best:Loss")) == ["run-1", "run-2", "run-0"]


@pytest.mark.usefixtures("sweep")
def test_columns_are_shown_with_four_digits_and_printed_as_numbers(run: Run) -> None:
    """In the table as on the page, in JSON whole, below the members of the service's response."""
    columns = ("--column", "lr", "--column", "best:loss", "--column", "last:loss", "--column", "parameter:phase")

    table = run("job", "list", *columns).stdout
    documents = json.loads(run("job", "list", *columns, "-o", "json").stdout)

    assert table.splitlines()[0].endswith("LR     BEST LOSS  LAST LOSS  PARAMETER:PHASE")
    assert [" ".join(line.split()[-4:]) for line in table.splitlines()[3:]] == [
        "0.001 3e-5 nan warm",
        "0.01 0.2 0.2 warm",
        "0.1 0.3 0.3 warm",
    ]
    assert documents[2]["columns"] == {"lr": 0.001, "best:loss": 3e-5, "last:loss": "nan", "parameter:phase": "warm"}
    assert documents[4]["columns"]["best:loss"] == 0.30001
    assert documents[0]["columns"] == dict.fromkeys(documents[2]["columns"])
    assert "columns" not in json.loads(run("job", "list", "-o", "json").stdout)[0]


@pytest.mark.usefixtures("sweep")
def test_what_no_job_has_is_said_with_what_is_near(run: Run) -> None:
    """A misspelt name would only show an empty list; a mistake in a condition is an error of usage."""
    wrong = run("job", "list", "--where", "lrr>0.1 best:los<1")

    assert wrong.stdout == ""
    assert "No job has a value of lrr: did you mean lr?\n" in wrong.stderr
    assert wrong.stderr.endswith("No job matches.\n")
    assert "did you mean best:loss?" in run("job", "list", "--sort", "best:los").stderr
    assert run("job", "list", "--where", "lr>>1").exit_code == 2
    assert "'lr>>1' is not a condition: write" in run("job", "list", "--where", "lr>>1").stderr


@pytest.mark.usefixtures("sweep")
def test_logs_are_read_only_where_a_column_needs_them(
    run: Run, service: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of jobs whose parameters fulfil the conditions, at most a hundred; what is not known of a job is said."""
    monkeypatch.setattr(job_list, "MOST_READ", 2)
    service.faults.add(kind="status", operations=["showTrainingJobLogsPreview"], status=403, code="ModelArts.0011")

    assert names_of(run("job", "list", "--where", "lr>0")) == ["run-2", "run-1", "run-0"]
    result = run("job", "list", "--where", "lr>0 best:loss<1")

    assert result.stdout == ""
    assert "Only the metrics of the newest 2 of 3 jobs were read.\n" in result.stderr
    assert [line.split(":")[0] for line in result.stderr.splitlines() if "ModelArts.0011" in line] == [
        "run-2 could not be read",
        "run-1 could not be read",
    ]


@pytest.mark.usefixtures("sweep")
def test_the_page_and_the_command_show_the_same_jobs_in_the_same_order(run: Run, service: Emulator) -> None:
    """With the same texts in the same columns, whatever they are sorted by."""
    environment = service.environment()
    columns, where = ["lr", "best:loss", "parameter:phase"], "lr>0.001 best:loss<1"
    with Served(Config.load(environ=environment), environment) as served:

        def shown(sort: str) -> list[list[str]]:
            query = {"column": columns, "sort": sort, "where": where if sort == "name" else ""}
            text = served.client.get("/", params=query).text
            while "being read" in text:
                text = served.client.get("/", params=query).text
            rows = re.findall(r'(?s)<tr id="job-.*?</tr>', text)
            return [re.findall(r"<bdi>(.*?)</bdi>", row)[: 1 + len(columns)] for row in rows]

        for sort in ("created", "-created", "ran", "name", "-name", "lr", "-lr", "best:loss", "-best:loss"):
            options = [word for column in columns for word in ("--column", column)]
            options += ["--where", where] if sort == "name" else []
            lines = run("job", "list", "--sort", sort, *options).stdout.splitlines()
            title = lines[0]
            starts = [0, *(title.index(name) for name in ("LR", "BEST LOSS", "PARAMETER:PHASE"))]
            cells = [[line[start:].split("  ")[0].strip() for start in starts] for line in lines[1:]]
            assert shown(sort) == cells, sort
