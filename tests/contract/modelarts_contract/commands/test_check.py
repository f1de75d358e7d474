"""`modelarts contract check` and `record`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.contract.modelarts_contract.test_validation import JOBS, created, example

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.exchange import Exchange

ROOT = Path(__file__).parents[4]


def run(*arguments: str | Path) -> Any:
    return CliRunner().invoke(contract, [str(argument) for argument in arguments])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.har"


def test_a_recording_without_findings_is_counted(file: Path) -> None:
    har.write(file, [created(), created()])

    done = run("check", file)

    assert (done.exit_code, done.output) == (0, "2 exchanges: no findings\n")


def test_findings_are_printed_with_their_exchange_and_fail(file: Path) -> None:
    har.write(file, [created(), created({"kind": "job", "metadata": {"name": 5}})])

    done = run("check", file)

    assert done.exit_code == 1
    assert f"2. POST {JOBS} -> 201\n   invalid request: metadata.name: 5 is not of type" in done.output
    listed = json.loads(run("check", file, "--output", "json").output)
    assert [(entry["entry"], entry["findings"][0]["kind"]) for entry in listed] == [(2, "invalid request")]


def test_unknown_fields_do_not_fail_and_become_a_patch_of_the_document(file: Path) -> None:
    """The patch applies to the file of the component; a person writes the description."""
    _, job = example("createTrainingJob", "201")
    job["metadata"]["training_experiment_reference"] = {"id": "x"}
    job["status"]["queue_position"] = 3
    har.write(file, [created(response=job)])

    assert run("check", file).exit_code == 0
    patch = run("check", file, "--openapi", ROOT / "openapi").output

    assert "--- a/openapi/v2/schemas/JobMetadata.yaml" in patch
    assert "+  training_experiment_reference:\n+    type: [object, 'null']\n" in patch
    assert "+  queue_position:\n+    type: [integer, 'null']\n+    format: int64\n" in patch
    assert patch.count("x-assumption: Seen in a recording of the service, not documented.") == 2


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("{}", (), "is not a HAR file: it has no log.entries"),
        (None, ("--documents", "v3"), "no document is named v3; the documents are iam, v1, v2"),
    ],
)
def test_what_cannot_be_checked_is_wrong_usage(
    file: Path, content: str | None, arguments: tuple[str, ...], message: str
) -> None:
    if content is None:
        har.write(file, [created()])
    else:
        file.write_text(content)

    done = run("check", file, *arguments)

    assert done.exit_code == 2
    assert message in done.output


def test_a_recording_of_another_api_is_wrong_usage(file: Path) -> None:
    har.write(file, [Exchange("GET", "https://example.com/pets", 200, response_body=b"[]")])

    done = run("check", file)

    assert done.exit_code == 2
    assert "has no exchange of this API among 1" in done.output


def test_a_service_that_is_not_a_url_cannot_be_recorded(file: Path) -> None:
    done = run("record", "modelarts", file)

    assert done.exit_code == 2
    assert "modelarts is not an http or https URL" in done.output
