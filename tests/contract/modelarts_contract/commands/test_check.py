"""`modelarts contract check` and `record`."""

from __future__ import annotations

import copy
import gzip
import json
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.modelarts_contract.test_validation import JOBS, created, example

import modelarts_openapi
from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.documents import Documents, operations_of
from modelarts_contract.exchange import Exchange
from modelarts_contract.redaction import Redaction
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


def test_bodies_that_are_not_json_are_quoted(file: Path) -> None:
    """Of bytes, what can be read."""
    har.write(file, [Exchange("POST", JOBS, 201, request_body=b"\xff\x00\x01", response_body=b"\x89PNG")])

    done = run("check", file)

    assert done.exit_code == 1
    assert "invalid request: the request is not JSON: " in done.output
    assert "invalid response: the response is not JSON: " in done.output


ENGINES = JOBS.replace("training-jobs", "training-job-engines")
OWN: dict[str, Any] = {"request": {"method": "GET", "url": ENGINES}, "response": {"status": 200, "content": {}}}


def of(status: object = 200, **request: object) -> Any:
    """An entry without bodies."""
    return {"request": {**OWN["request"], **request}, "response": {**OWN["response"], "status": status}}


@pytest.mark.parametrize(
    ("entries", "exit_status", "message"),
    [
        ([of(), of()], 3, "2 of 2 exchanges have no body of the response in the recording: "),
        ([of(0)], 3, ""),
        (["created", of(), of("0"), of(None)], 0, "1 of 4 exchanges have no body of the response"),
        (["created", of(201, method="POST", url=JOBS)], 0, "1 of 2 exchanges have no body of the request"),
        (["created", of(method="OPTIONS"), of(304)], 0, "2 entries are of a browser itself and left out"),
        (["created", {**of(307), "response": {"status": 307, "statusText": "Internal Redirect"}}], 0, "1 entries are"),
        (["created", {**of(url=f"{ENGINES}/favicon.ico"), "_resourceType": "image"}], 0, "1 entries are of a browser"),
        (["created", {**of(), "_resourceType": "document"}], 0, "1 of 2 exchanges have no body of the response"),
        (["created", of(url="blob:https://modelarts.example.com/1"), of(url="data:,")], 0, "2 exchanges with other"),
        (["created", of(url=JOBS.replace("https", "wss"))], 0, "1 exchanges with other hosts"),
        ([5, "created", of("x")], 0, "entry 1 is left out: it has no request with a method and a URL, or no response"),
        (["created", of("x")], 0, "entry 2 is left out: its status is 'x'"),
        (
            ["created", of(postData={"text": "%", "encoding": "base64"})],
            0,
            "entry 2 is left out: its body is not base64",
        ),
    ],
)
def test_what_cannot_be_checked_is_counted_and_is_no_finding(
    file: Path, entries: list[Any], exit_status: int, message: str
) -> None:
    """Bodies that were left out, entries of browsers and of other protocols, and what is no entry."""
    har.write(file, [created()])
    [own] = json.loads(file.read_text())["log"]["entries"]
    file.write_text(json.dumps({"log": {"entries": [own if each == "created" else each for each in entries]}}))

    done = run("check", file)

    assert (done.exit_code, message in done.stderr) == (exit_status, True), done.output
    assert done.stdout.endswith(": nothing could be checked\n" if exit_status else ": no findings\n")


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "utf-16-le", "gzip"])
def test_files_of_other_tools_are_read(file: Path, form: str) -> None:
    har.write(file, [created()])
    content = file.read_bytes()
    file.write_bytes(gzip.compress(content) if form == "gzip" else content.decode().encode(form))

    assert run("check", file).stdout == "1 exchanges: no findings\n"


def members(value: Any) -> list[tuple[Any, Any]]:
    """Every member of a JSON value, as what it is in and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [each for key in keys for each in [(value, key), *members(value[key])]]


ODD = st.one_of(
    st.none(), st.booleans(), st.sampled_from([-1, 1e999, 10**30, "x", "", [], {}, [None], "http://[", "\ud800"])
)


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_with_odd_members_is_checked_in_any_order(file: Path, data: st.DataObject) -> None:
    """Members are missing, null or of another type: the verdict is one, and the same if the entries are shuffled.

    Unless they have no times: then they have the order of the file.
    """
    calls = [created(), created({"kind": 5}), Exchange("GET", ENGINES, 401, response_body=b"{}"), created()]
    har.write(file, [replace(each, started_at=datetime(2026, 1, 1, 0, n, tzinfo=UTC)) for n, each in enumerate(calls)])
    recording = json.loads(file.read_text())
    has_times = True
    for _ in range(data.draw(st.integers(0, 4))):
        places = [each for each in members(recording["log"]["entries"]) if isinstance(each[0], dict)]
        holder, key = data.draw(st.sampled_from(places))
        has_times = has_times and key != "startedDateTime"
        if data.draw(st.booleans()):
            holder[key] = data.draw(ODD)
        else:
            del holder[key]

    verdicts = []
    for entries in (recording["log"]["entries"], data.draw(st.permutations(recording["log"]["entries"]))):
        file.write_text(json.dumps({"log": {"entries": entries}}))
        done = run("check", file, "--output", "json")
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        found = [{**each, "entry": 0} for each in json.loads(done.stdout)] if done.exit_code in (0, 1, 3) else []
        verdicts.append((done.exit_code, found))
    assert not has_times or verdicts[0] == verdicts[1]


def changed(file: Path, change: Exchange, description: str, *options: str, at_s: int = 2, **variables: str) -> Any:
    """Check a recording of a job that is created, changed after a second, and shown with this description."""
    _, job = example()
    path, start = f"{JOBS}/{job['metadata']['id']}", datetime(2026, 1, 1, tzinfo=UTC)
    shown = json.dumps({**job, "metadata": {**job["metadata"], "description": description}}).encode()
    har.write(
        file,
        [
            replace(created(response=job), started_at=start),
            replace(change, url=path, started_at=start + timedelta(seconds=1)),
            Exchange("GET", path, 200, {}, b"", JSON, shown, start + timedelta(seconds=at_s)),
        ],
    )
    return CliRunner().invoke(contract, ["check", str(file), *options], env=variables)


JSON = {"content-type": "application/json"}
OLD = example()[1]["metadata"]["description"]
UPDATE = Exchange("PUT", "", 200, {}, b'{"description": "new"}')


def test_how_late_the_service_may_be_is_an_option(file: Path) -> None:
    """An update that is lost is found at once without a tolerance, also in a redacted recording."""
    done = [
        changed(file, UPDATE, OLD),
        changed(file, UPDATE, OLD, at_s=12),
        changed(file, UPDATE, OLD, "--lag", "0"),
        changed(file, UPDATE, OLD, CONTRACT_LAG_S="0"),
        changed(file, UPDATE, OLD, CONTRACT_LAG_S="soon"),
        changed(file, UPDATE, OLD, "--lag", "-1"),
    ]

    changed(file, UPDATE, OLD)
    har.write(file, map(Redaction(), list(har.read(file))))

    assert [each.exit_code for each in (*done, run("check", file, "--lag", "0"))] == [0, 1, 1, 1, 2, 2, 1]
    assert all("metadata.description" in each.output for each in done[1:4])


@pytest.mark.parametrize(
    ("change", "description"),
    [
        (UPDATE, "new"),
        (replace(UPDATE, status=502), "new"),
        (replace(UPDATE, status=502), OLD),
        (replace(UPDATE, status=0), "new"),
        (replace(UPDATE, request_headers={"content-length": "22"}, request_body=b""), "new"),
        (replace(UPDATE, duration_s=1.5), OLD),
        (replace(UPDATE, duration_s=1.5), "new"),
        (Exchange("DELETE", "", 202, duration_s=1.5), OLD),
    ],
)
def test_what_a_change_has_done_may_be_unknown(file: Path, change: Exchange, description: str) -> None:
    """Without its response, its body or its end before the next call, it may have been made or not."""
    content = ("postData", "bodySize") if change.request_headers else ()
    changed(file, change, description)
    recording = json.loads(file.read_text())
    for name in content:
        recording["log"]["entries"][1]["request"].pop(name, None)
    file.write_text(json.dumps(recording))

    done = run("check", file, "--lag", "0", "--deletion", "0")

    assert (done.exit_code, done.stdout) == (0, "3 exchanges: no findings\n")


def test_exchanges_with_other_hosts_are_left_out(file: Path) -> None:
    """Such as object storage in the same session; its root is not an operation, although IAM has one."""
    objects = [Exchange("GET", "https://obs.example.com/", 200), Exchange("PUT", "https://obs.example.com/b/k", 200)]
    har.write(file, [*objects, created(), Exchange("GET", JOBS.partition("/v2/")[0] + "/pets", 200)])

    done = run("check", file)

    assert done.exit_code == 1
    assert done.stderr == "2 exchanges with other hosts than modelarts.example.com are left out.\n"
    assert done.stdout.splitlines()[-1] == "2 exchanges: 1 unknown operation"
