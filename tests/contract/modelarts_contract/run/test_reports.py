"""The reports of a run say which promise broke, where, what was sent and received, and how to repeat it."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from modelarts_contract.run import baseline, html_report, junit_report, result, text_report
from modelarts_contract.run.redacting import Redactor
from modelarts_contract.run.result import (
    DocumentResult,
    Finding,
    Message,
    OperationResult,
    PromiseResult,
    Result,
    Skipped,
)
from modelarts_contract.run.service import Service

IDENTITY = ("GET /v2/{project_id}/algorithms", "status_code_conformance", "UndefinedStatusCode", "203")
FINDING = Finding(
    id="a1b2c3",
    identity=IDENTITY,
    document="v2",
    operation="listAlgorithms",
    label="GET /v2/{project_id}/algorithms",
    check="status_code_conformance",
    title="Undocumented HTTP status code",
    message="Received: 203\nDocumented: 200, 400",
    phase="coverage",
    request=Message({"Accept": "*/*"}, "", method="GET", url="http://127.0.0.1:1/v2/p/algorithms?limit=1"),
    response=Message({"Content-Type": "application/json"}, '{"items": "<b>&\x1b[31m"}', status=203),
    curl="curl http://127.0.0.1:1/v2/p/algorithms?limit=1",
    repeat="modelarts contract run --documents v2 --seed 7 --operation listAlgorithms",
    known=False,
)
KNOWN = dataclasses.replace(FINDING, id="d4e5f6", title="A known difference", known=True)
WHOLE = dataclasses.replace(
    FINDING, id="ffffff", operation=None, label="", check="story", title="A step does not work",
    message="it ends as Failed", phase="story: a job runs", request=None, response=None, curl="",
)  # fmt: skip
RESULT = Result(
    service="emulator",
    is_emulator=True,
    run="local",
    seed=7,
    started_at="2026-01-01T00:00:00+00:00",
    duration_s=2.0,
    documents={
        "v2": DocumentResult(
            {
                "listAlgorithms": OperationResult(
                    "GET", "/v2/{project_id}/algorithms", 5, {"203": 5}, {"coverage": 5}, verdict="broken"
                ),
                "createAlgorithm": OperationResult("POST", "/v2/{project_id}/algorithms", reason="the run only reads"),
            },
            {"listAlgorithms -> showAlgorithmByUuid": 1},
        )
    },
    findings=[FINDING, KNOWN, WHOLE],
    promises=[PromiseResult("story: a job runs", "v2", "broken", "it ends as Failed")],
    skipped=[Skipped("other projects", "no second user")],
    server_ms_per_case=1.5,
)


class Page(HTMLParser):
    """The texts of a page, and the elements that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("form", [html_report, junit_report, text_report], ids=["html", "junit", "text"])
def test_every_report_says_what_a_finding_is(form: object, tmp_path: Path) -> None:
    file = form.write(RESULT, tmp_path)  # type: ignore[attr-defined]

    text = file.read_text("utf-8")
    shown = "".join(ElementTree.fromstring(text).itertext()) if form is junit_report else text
    shown = Page(text).text if form is html_report else shown
    for part in (FINDING.title, "Received: 203", "algorithms?limit=1", "203", FINDING.repeat, "A known difference"):
        assert part in shown or part in text, part


def test_the_page_is_one_file_in_which_nothing_from_the_service_is_an_element() -> None:
    page = html_report.page(RESULT)

    assert {"b", "script", "link", "img"} & Page(page).tags == {"b"}
    assert "<b>&\x1b" not in page
    assert "http" not in page.replace("http://127.0.0.1:1", "")


def test_junit_counts_new_findings_as_failures_and_known_ones_as_output(tmp_path: Path) -> None:
    root = ElementTree.parse(junit_report.write(RESULT, tmp_path)).getroot()

    suite = root.find("testsuite")
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3", "failures": "2", "skipped": "1",
    }  # fmt: skip
    assert [case.get("name") for case in suite.iter("testcase")] == [
        "listAlgorithms", "createAlgorithm", "story: a job runs",
    ]  # fmt: skip
    assert len(suite.findall("testcase/failure")) == 2


def test_the_text_ends_with_the_verdict() -> None:
    lines = text_report.text(RESULT).splitlines()

    assert lines[-1] == "The contract is broken: 2 findings, and 1 known"
    assert "5 cases in 2.0 s, 2 per second, seed 7; 1.5 ms of the emulator per case" in lines


def test_control_characters_of_a_service_do_not_reach_the_terminal() -> None:
    assert "<b>&\\x1b[31m" in text_report.described(FINDING)
    assert "\x1b" not in text_report.text(RESULT)


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = result.write(RESULT, tmp_path)

    again = result.read(file)

    assert (again.cases, again.findings, again.documents) == (5, RESULT.findings, RESULT.documents)
    assert (again.promises, again.skipped) == (RESULT.promises, RESULT.skipped)
    file.write_text('{"format": 99}')
    with pytest.raises(ValueError, match="format 99"):
        result.read(file)


def test_a_baseline_lists_what_was_found_and_keeps_what_it_said_of_it(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"

    assert baseline.update(file, [FINDING]) == 1
    baseline.load.cache_clear()
    assert baseline.is_known(file, IDENTITY)
    assert not baseline.is_known(file, (*IDENTITY[:3], "204"))

    file.write_text(file.read_text().replace('"first_seen"', '"reason": "reported", "first_seen"'))
    baseline.load.cache_clear()
    baseline.update(file, [FINDING])
    assert '"reason": "reported"' in file.read_text()

    file.write_text(file.read_text().replace('"reason": "reported"', '"expires": "2020-01-01"'))
    baseline.load.cache_clear()
    assert not baseline.is_known(file, IDENTITY)


def test_secrets_are_replaced_wherever_they_stand() -> None:
    redact = Redactor(Service({}, "a-secret-token", {}, "", stand_ins={"neighbour": {"token": "x"}}))

    message = redact.message(
        {"headers": {"X-Auth-Token": "other", "Via": "a-secret-token"}, "body": "[a-secret-token]", "status": 200}
    )

    assert message == {"headers": {"X-Auth-Token": "REDACTED", "Via": "REDACTED"}, "body": "[REDACTED]", "status": 200}
