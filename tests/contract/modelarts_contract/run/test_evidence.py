"""What a run says of the documents' assumptions, and the file that is sent: whatever was read, nothing of anybody."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_contract.commands import contract
from modelarts_contract.documents import add, operations
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import Redaction
from modelarts_contract.run import assumptions, evidence
from modelarts_contract.run.collecting import collected
from modelarts_contract.run.guard import Guard
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.service import Service
from modelarts_openapi import NAMES
from modelarts_toolkit.settings.config import Config

SERVICE = "https://modelarts.eu-de.otc.t-systems.com"
PROJECT = "0123456789abcdef0123456789abcdef"


def shown(operation: str, body: Any, status: int = 200, *, query: str = "", sent: Any = None) -> Exchange:
    """An exchange of an operation, such as `v2 listAlgorithms`."""
    document, _, id_ = operation.partition(" ")
    found = operations(document)[id_]
    path = found.url_path(dict.fromkeys(found.parameter_names, PROJECT))
    request = b"" if sent is None else json.dumps(sent).encode()
    return Exchange(found.method, f"http://x{path}{query}", status, {}, request, {}, json.dumps(body).encode())


def flavors(**members: Any) -> Exchange:
    return shown("v2 showTrainingJobFlavors", {"flavors": [{"flavor_id": "f", **members}]})


def engines(*ids: str) -> Exchange:
    return shown("v2 showTrainingJobEngines", {"total": len(ids), "items": [{"engine_id": id_} for id_ in ids]})


def jobs(offset: int, ids: str, total: int = 9) -> Exchange:
    """A page of three jobs with these ids."""
    items = [{"metadata": {"id": id_}} for id_ in ids]
    return shown("v2 listTrainingJobs", {"total": total, "items": items}, sent={"limit": 3, "offset": offset})


def algorithms(count: int, total: int) -> Exchange:
    return shown("v2 listAlgorithms", {"count": count, "total": total, "items": [{"metadata": {"id": "a"}}]})


def arch(value: Any) -> Exchange:
    return flavors(flavor_info={"cpu": {"arch": value, "core_num": 2}})


ERROR = {"error_code": "APIG.0101", "error_msg": "x"}
TAGS = "v2 listTrainingJobTags"
PAGED = "listTrainingJobs.x-pagination"
CASES: list[tuple[str, str, list[Exchange]]] = [
    ("Cpu.arch", "confirmed", [arch("x86")]),
    ("Cpu.arch", "contradicted", [arch("x86"), arch("aarch64")]),
    ("Cpu.arch", "contradicted", [arch(7)]),
    ("Cpu.arch", "not seen", [arch(None), arch("")]),
    ("Flavor.support_engines", "confirmed", [flavors(support_engines=["e1", "old"]), engines("e1", "e2")]),
    ("Flavor.support_engines", "contradicted", [flavors(support_engines=["CPU"]), engines("e1")]),
    ("Flavor.support_engines", "not seen", [flavors(support_engines=["e1"])]),
    ("Flavor.support_engines", "not seen", [flavors(support_engines=[]), engines("e1")]),
    ("AlgorithmList.count", "confirmed", [algorithms(1, 5)]),
    ("AlgorithmList.count", "contradicted", [algorithms(5, 5)]),
    ("AlgorithmList.count", "not seen", [algorithms(1, 1), algorithms(3, 5)]),
    (PAGED, "confirmed", [jobs(0, "abcdef"), jobs(1, "def")]),
    (PAGED, "contradicted", [jobs(0, "abcdef"), jobs(1, "bcd")]),
    (PAGED, "not seen", [jobs(0, "abcdef"), jobs(1, "bcd", total=8)]),
    (PAGED, "not seen", [jobs(0, "abcdef"), jobs(1, "efg"), jobs(1, "xyz")]),
    ("listTrainingJobTags", "confirmed", [shown(TAGS, {"tags": []})]),
    ("listTrainingJobTags", "contradicted", [shown(TAGS, {"tags": 7})]),
    ("listTrainingJobTags", "contradicted", [shown(TAGS, {"tags": []}, 202)]),
    ("listTrainingJobTags", "not seen", [shown(TAGS, ERROR, 404), shown(TAGS, None, 0)]),
    ("responses.Unexpected", "confirmed", [shown(TAGS, ERROR, 413)]),
    ("responses.Unexpected", "contradicted", [shown(TAGS, "too large", 413)]),
    ("responses.Unexpected", "not seen", [shown(TAGS, "bad gateway", 502), shown(TAGS, ERROR, 404)]),
]


@pytest.mark.parametrize(("place", "outcome", "exchanges"), CASES)
def test_an_assumption_is_settled_by_responses_only(place: str, outcome: str, exchanges: list[Exchange]) -> None:
    """What says nothing settles nothing: empty values, temporary errors, lists that somebody changes meanwhile."""
    found = {each.place: each for each in assumptions.judged(exchanges, ("v2",))}

    assert found[place].outcome == outcome
    assert bool(found[place].exchanges) == (outcome != "not seen")


MEMBERS = ("items", "total", "count", "metadata", "id", "flavors", "support_engines", "engine_id", "tags", "error_code")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
)
LISTS = ("v2 listTrainingJobs", "v2 listAlgorithms", "v2 showTrainingJobFlavors", "v2 showTrainingJobEngines", TAGS)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(LISTS), JSON, st.sampled_from((200, 202, 404, 413)), JSON), max_size=5))
def test_any_json_is_judged_without_an_error(drawn: list[tuple[str, Any, int, Any]]) -> None:
    exchanges = [shown(operation, body, status, sent=sent) for operation, body, status, sent in drawn]

    numbers = {number for each in assumptions.judged(exchanges, ("v2",)) for number in each.exchanges}

    assert numbers <= set(range(1, len(exchanges) + 1))


def test_every_assumption_is_listed_and_a_place_without_one_is_an_error() -> None:
    """Also in overlays of other documents."""
    listed = assumptions.judged((), NAMES)
    add("odd", {"paths": {}, "components": {"schemas": {}}}, {"assumptions": {"Thing.name": {"fits": {}}}})

    assert len(listed) == 141
    assert {each.outcome for each in listed} == {"not seen"}
    with pytest.raises(LookupError, match=r"odd: nothing is assumed at Thing\.name"):
        assumptions.judged((), ("odd",))


WORD = st.text("bcdfghjklmnpqrstvwxz", min_size=9, max_size=14).map(lambda text: f"qz{text}")
PART = st.integers(100, 255)
PLANTED = st.one_of(
    WORD,
    st.builds("{}.{}@{}.example.org".format, WORD, WORD, WORD),
    st.builds("10.{}.{}.{}".format, PART, PART, PART),
    st.text("0123456789abcdef", min_size=32, max_size=32),
    st.builds("{} {} loaded /{}/data".format, WORD, WORD, WORD),
)


@settings(max_examples=60, deadline=None)
@given(PLANTED, PLANTED, st.sampled_from(("user_name", "name", "description", "id", "odd")))
def test_nothing_that_somebody_owns_is_in_the_file(planted: str, other: str, member: str) -> None:
    """Names, ids, addresses, log lines: in bodies, headers, hosts, messages, notes and the reason of an end."""
    item = {"metadata": {member: planted, "id": other}, "spec": {"labels": {planted: other}}, "content": planted}
    body = json.dumps({"items": [item], "error_msg": f"job {planted} of {other}", planted: other}).encode()
    headers = {"host": "internal.example.org", "x-auth-token": planted, "x-request-id": other}
    url = f"https://{re.sub('[^a-z0-9.]', '', other)}.internal/v2/{PROJECT}/training-jobs/{PROJECT}?x={PROJECT}"
    exchange = Exchange("GET", url, 200, headers, body, headers, body)
    said, place = f"{planted} is shown as {other!r}", f"labels.{planted}"
    found = Finding(Kind.EMPTY, "showTrainingJobDetails", said, place, "v2").shown_by(exchange, "reading")
    note = Finding(Kind.UNKNOWN_FIELD, "showTrainingJobDetails", said, planted, "v2").shown_by(exchange, "reading")
    redaction, config = Redaction(), Config(endpoint=SERVICE, iam_endpoint=SERVICE, project_id=PROJECT, token="t")
    gate = Guard(config, None, 1.0)
    gate.trouble, gate.addresses = f"<b>no login of {planted}: {other} qzbystander</b>", {"http://127.0.0.1:1": SERVICE}
    service = Service({"MODELARTS_ENDPOINT": "http://127.0.0.1:1"}, "", {}, "contract-", guard=gate)
    outcome = Outcome("v2-reading", 0, "", [found, note])

    with tempfile.TemporaryDirectory() as folder:
        file, redacted = Path(folder) / evidence.EVIDENCE, redaction(exchange)
        result = collected(Plan(("v2",)), service, {"v2": [outcome]}, (), datetime.now(UTC), 1, redaction)
        evidence.write(file, result, [redacted], redaction, gate.addresses)
        text = file.read_text("utf-8")

    parts = re.split(r"[\s@/]+", f"{planted} {other} qzbystander")
    kept = [part for part in parts if part.startswith(("qz", "10.")) or len(part) > 20]
    assert [part for part in kept if part in text] == [], text
    assert "internal" not in json.loads(text)["log"]["entries"][0]["request"]["url"]
    assert json.loads(text)["log"]["_evidence"]["region"] == "eu-de"


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: content.decode().encode("utf-16")])
def test_a_file_that_was_packed_or_written_anew_on_the_way_is_read(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """One without evidence is named, in each form."""
    found: dict[str, Any] = {
        "format": 1,
        "region": None,
        "toolkit": "1",
        "started_at": "2026-01-01",
        "assumptions": [],
        "findings": [],
    }
    said = []
    for name, further in (("whole.json", {"_evidence": found}), ("other.json", {})):
        content = json.dumps({"log": {"entries": [], **further}}).encode()
        (tmp_path / name).write_bytes(pack(content))
        said.append(CliRunner().invoke(contract, ["evidence", str(tmp_path / name), "--ledger", str(tmp_path)]))

    assert [each.exit_code for each in said] == [0, 2], said
    assert said[0].output == "Nothing is new.\n"
    assert "other.json is not the evidence.json of a run" in said[1].output
