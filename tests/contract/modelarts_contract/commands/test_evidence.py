"""`modelarts contract evidence`: what is known about each operation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange

FLAVORS = "https://modelarts.example.com/v2/6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34/training-job-flavors"


def evidence(*arguments: str | Path) -> Result:
    return CliRunner().invoke(contract, ["evidence", *map(str, arguments)])


def of(operation: str, content: Any) -> dict[str, Any]:
    found: dict[str, Any] = next(entry for entry in content["operations"] if entry["operation"] == operation)
    return found


def test_every_operation_has_a_line_and_an_entry() -> None:
    """In the order of the documents, with the runs that the records are of."""
    text = evidence()
    content = json.loads(evidence("--output", "json").output)

    names = [(operation.name, operation.operation_id) for operation in Documents().operations]
    assert text.exit_code == 0
    assert [line.split()[0] for line in text.output.splitlines()[1:]] == [".".join(name) for name in names]
    assert [(entry["document"], entry["operation"]) for entry in content["operations"]] == names
    assert set(content["runs"]) == {"contract", "stories", "clients"}


def test_what_a_recording_has_of_a_real_service_is_added(tmp_path: Path) -> None:
    """With host, day and statuses; nothing else changes."""
    file = tmp_path / "session.har"
    har.write(file, [Exchange("GET", FLAVORS, 200), Exchange("GET", FLAVORS, 429)])

    known = json.loads(evidence("--output", "json").output)
    added = json.loads(evidence(file, "--output", "json").output)
    page = evidence(file, "--output", "markdown").output

    [seen] = of("showTrainingJobFlavors", added)["real"]
    assert (seen["host"], seen["statuses"]) == ("modelarts.example.com", {"200": 1, "429": 1})
    of("showTrainingJobFlavors", added)["real"] = []
    assert added == known
    assert f"| modelarts.example.com on {seen['day']} (200 × 1, 429 × 1) |" in page


@pytest.mark.parametrize("content", ["{}", '{"log": {"entries": ['])
def test_a_file_that_is_not_a_recording_is_wrong_usage(tmp_path: Path, content: str) -> None:
    file = tmp_path / "session.har"
    file.write_text(content)

    done = evidence(file)

    assert done.exit_code == 2
    assert "is not a HAR file" in done.output
