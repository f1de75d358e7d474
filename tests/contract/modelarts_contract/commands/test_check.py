"""`modelarts contract check` and `record`."""

from __future__ import annotations

import copy
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from tests.contract.modelarts_contract.test_validation import JOBS, created, example

import modelarts_openapi
from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.documents import Documents, operations_of
from modelarts_contract.exchange import Exchange
from modelarts_contract.validation import findings

ROOT = Path(__file__).parents[4]
sys.path.append(str(ROOT / "scripts"))

from validity import faults  # noqa: E402 - the scripts are not a package


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


def applied(overlay: Any, document: Any) -> Any:
    """The document with the additions of an overlay, whose targets have no wildcards."""
    document = copy.deepcopy(document)
    for action in overlay["actions"]:
        target = document
        for key, index in re.findall(r"\['([^']+)'\]|\[(\d+)\]", action["target"]):
            target = target[key] if key else target[int(index)]
        if isinstance(target, list):
            target.append(action["update"])
        else:
            merge(target, action["update"])
    return document


def merge(target: Any, update: Any) -> None:
    for key, value in update.items():
        if isinstance(value, dict) and key in target:
            merge(target[key], value)
        else:
            target[key] = value


def test_what_is_new_becomes_an_overlay_that_makes_it_known(file: Path) -> None:
    """Fields, also of objects in lists, values, codes, statuses and parameters; each is an assumption afterwards.

    The document with them is valid, and the same recording has nothing new in it.
    """
    _, job = example()
    job["metadata"]["experiment_seed"] = {"id": "x"}
    job["status"] |= {"queue_position": 3, "phase": "Hibernating"}
    job["spec"]["log_export_path"]["mirrors"] = ["a"]
    code = json.dumps({"error_msg": "No.", "error_code": "ModelArts.9999"}).encode()
    new = [created(response=job), created(response=job), Exchange("POST", JOBS, 400, response_body=code)]
    new += [Exchange("GET", f"{JOBS.replace('training-jobs', 'training-job-engines')}?colour=red", 206)]
    har.write(file, new)

    done = run("check", file, "--openapi")
    [overlay] = yaml.safe_load_all(done.stdout)
    document = applied(overlay, modelarts_openapi.load("v2"))

    assert done.exit_code == 1  # an unknown status breaks the contract
    assert (overlay["overlay"], overlay["extends"]) == ("1.0.0", "v2.json")
    assert done.stdout.count("queue_position:") == 1
    assert list(faults(document)) == []
    phase = document["components"]["schemas"]["JobStatus"]["properties"]["phase"]
    assert phase["x-known-values"][-1] == "Hibernating"
    assert phase["x-assumption"].endswith(" That Hibernating is possible was seen in a recording of the service.")
    rejection = document["paths"]["/v2/{project_id}/training-jobs"]["post"]["responses"]["400"]
    assert rejection["x-assumption"] == "That ModelArts.9999 is possible was seen in a recording of the service."
    documents = Documents(())
    documents.operations = tuple(operations_of("v2", document))
    assert [finding.message for each in new for finding in findings(each, documents)] == []


def test_calls_that_no_document_has_leave_the_overlay_of_the_others_as_it_is(file: Path) -> None:
    _, job = example()
    job["status"]["queue_position"] = 3
    har.write(file, [created(response=job), Exchange("GET", f"{JOBS}/x/nothing-here", 404)])

    done = run("check", file, "--openapi")

    assert (done.exit_code, done.exception.__class__) == (1, SystemExit)
    assert "queue_position:" in done.stdout


def test_unknown_fields_do_not_fail(file: Path) -> None:
    _, job = example()
    job["status"]["queue_position"] = 3
    har.write(file, [created(response=job)])

    assert run("check", file).exit_code == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "is not a HAR file: it has no log.entries"),
        ('{"log": {"version": "1.2", "entries": []}}', "session.har has no entries: record again"),
        ('{"log": {"version": "1.2", "entries": [{"request": {"met', "it ends within the JSON, record it again"),
        (
            '{"log": {"entries": [{"request": {"method": "GET", "url": "http://h/pets"}, "response": {"status": 1}}]}}',
            "none of the 1 entries",
        ),
    ],
)
def test_what_cannot_be_checked_is_wrong_usage(file: Path, content: str, message: str) -> None:
    file.write_text(content)

    done = run("check", file)

    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_bodies_that_are_not_json_are_quoted_and_bodies_that_were_left_out_are_not_judged(file: Path) -> None:
    """Of bytes, what can be read; browsers leave out bodies and responses."""
    har.write(file, [Exchange("POST", JOBS, 201, request_body=b"\xff\x00\x01", response_body=b"\x89PNG")])
    binary = run("check", file)
    content = json.loads(file.read_text())
    [entry] = content["log"]["entries"]
    entry["request"].pop("postData")
    entry["request"] |= {"method": "GET", "url": f"{JOBS.replace('training-jobs', 'training-job-engines')}"}
    entry["response"] |= {"status": 200, "content": {"size": 4, "mimeType": "application/json"}}
    content["log"]["entries"].append({**entry, "response": {"status": 0}})
    file.write_text(json.dumps(content))
    left_out = run("check", file)

    assert binary.exit_code == 1
    assert "invalid request: the request is not JSON: " in binary.output
    assert "invalid response: the response is not JSON: " in binary.output
    assert (left_out.exit_code, left_out.output) == (0, "2 exchanges: no findings\n")


def test_exchanges_with_other_hosts_are_left_out(file: Path) -> None:
    """Such as object storage in the same session; its root is not an operation, although IAM has one."""
    objects = [Exchange("GET", "https://obs.example.com/", 200), Exchange("PUT", "https://obs.example.com/b/k", 200)]
    har.write(file, [*objects, created(), Exchange("GET", JOBS.partition("/v2/")[0] + "/pets", 200)])

    done = run("check", file)

    assert done.exit_code == 1
    assert done.stderr == "2 exchanges with other hosts than modelarts.example.com are left out.\n"
    assert done.stdout.splitlines()[-1] == "2 exchanges: 1 unknown operation"
