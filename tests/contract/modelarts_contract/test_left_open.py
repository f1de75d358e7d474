"""What the documents leave open to a service is not a finding, and what only an assumption rules out is a note."""

from __future__ import annotations

import json
from typing import Any

import pytest

from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.rules.session import Session
from modelarts_contract.seen import is_same

HOST = "https://modelarts.example.com"
HEADERS = {"content-type": "application/json", "date": "Tue, 15 Jul 2025 08:00:00 GMT"}


def found_in(call: str, shown: Any, sent: Any = None, status: int = 200) -> list[Finding]:
    """What a session finds that begins with this exchange."""
    method, _, path = call.partition(" ")
    body = b"" if sent is None else json.dumps(sent).encode()
    exchange = Exchange(method, HOST + path, status, {}, body, HEADERS, json.dumps(shown).encode())
    return Session(Documents()).see(exchange)


@pytest.mark.parametrize(
    ("status", "code", "text", "found"),
    [
        (400, "ModelArts.2815", "资源配额不足", set()),
        (400, "ModelArts.2837", "账号受限", set()),
        (400, "ModelArts.0104", "The number of algorithms has reached the upper limit.", set()),
        (403, "PDP.0001", "Policy does not allow modelarts:algorithm:create.", set()),
        (400, "ModelArts.0104", "The name is invalid.", {"unknown error code"}),
        (400, "PDP.0001", "The name is invalid.", {"unknown error code"}),
    ],
)
def test_a_code_is_free_where_the_account_may_not_create(status: int, code: str, text: str, found: set[str]) -> None:
    """A quota or a right that is missing is said by any service, in any language."""
    rejected = found_in("POST /v2/p/algorithms", {"error_code": code, "error_msg": text}, {}, status)

    assert {each.kind.value for each in rejected} == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Invalid token: expired or not of this project", 0),
        ("The credential: required", 0),
        ("password: hunter22", 1),
        ("secret_key: ab-cd-ef", 1),
        ("secret: ABCDEFGHIJKLMNOP", 1),
        ('{"password": "letmein"}', 1),
        ("token=letmein", 1),
    ],
)
def test_a_sentence_about_a_token_is_no_secret(text: str, found: int) -> None:
    """An error may say what is wrong with a login, but not show it."""
    rejected = found_in("GET /v2/p/algorithms/1", {"error_code": "ModelArts.2775", "error_msg": text}, status=404)

    assert [each.kind for each in rejected].count(Kind.LEAK) == found


@pytest.mark.parametrize(
    ("one", "other", "is_one_time"),
    [
        (1796005986421, 1796005986000, True),
        (1796005986421, 1796005987000, True),
        ("1796005986421", 1796005986000, True),
        (1796005986421, 1796005985000, False),
        (1796005986421, 1796005986422, False),
        (1796005986000, 1796005987000, False),
        (1796005986, 1796005985, False),
        (5400, 5000, False),
    ],
)
def test_a_time_is_the_same_in_whole_seconds(one: Any, other: Any, is_one_time: bool) -> None:
    """A list may round what the details show in milliseconds."""
    assert (is_same(one, other), is_same(other, one)) == (is_one_time, is_one_time)


@pytest.mark.parametrize(("names", "found"), [("ärger contract", 0), ("训练 contract", 0), ("zeta contract", 1)])
def test_each_language_has_its_order_of_names(names: str, found: int) -> None:
    """Only the order of letters of English is known."""
    jobs = [{"job_name": name} for name in names.split()]
    listed = found_in("GET /v1/p/training-jobs?sortBy=job_name&order=asc", {"jobs": jobs})

    assert [each.kind for each in listed].count(Kind.ORDER) == found


STARTED = {"name": "a", "stage_order": 1, "start_time": 1752566000000}


@pytest.mark.parametrize(
    ("path", "shown", "where", "kind"),
    [
        ("algorithms", {"total": 2, "count": 2, "items": [{}]}, "count", Kind.UNUSUAL),
        ("training-job-flavors", {"total_count": 2, "flavors": [{}]}, "total_count", Kind.TOTAL),
        ("training-experiments/1", {"metadata": {"create_time": 1752566000}}, "metadata.create_time", Kind.UNUSUAL),
        ("algorithms/1", {"metadata": {"create_time": 1752566000}}, "metadata.create_time", Kind.TIME),
        ("training-jobs/1/stages", {"running_records": [{"stages": [STARTED]}]}, "start_time", Kind.UNUSUAL),
        ("training-jobs/1/stages", {"running_records": [{"stages": [5]}]}, "stages[0]", Kind.INVALID_RESPONSE),
    ],
)
def test_what_only_an_assumption_rules_out_is_a_note(path: str, shown: Any, where: str, kind: Kind) -> None:
    """What a page says breaks the contract; what the document assumes is settled by responses."""
    found = found_in(f"GET /v2/p/{path}", shown)

    ours = {each.kind for each in found if each.where.endswith(where) and "is missing" not in each.message}
    assert ours - {Kind.EMPTY} == {kind}, found


VERSION_JOBS = {"job_total_count": 12, "job_count_limit": 10, "jobs": [], "quotas": 10, "is_success": True}
EXPERIMENT = {"metadata": {"id": "1", "name": "gamma"}}


@pytest.mark.parametrize(
    ("call", "sent", "shown", "found"),
    [
        ("GET /v2/p/training-experiments?limit=5000", None, {"total": 3, "limit": 1000, "items": []}, {"total"}),
        ("GET /v2/p/training-experiments?limit=150", None, {"total": 100, "limit": 100, "items": [{}] * 100}, set()),
        ("GET /v2/p/training-experiments?limit=50", None, {"total": 0, "limit": 40, "items": []}, {"identity"}),
        ("GET /v1/p/training-jobs?page=65535", None, VERSION_JOBS, set()),
        ("GET /v1/p/training-jobs?page=1", None, VERSION_JOBS, {"total"}),
        ("GET /v1/p/training-jobs?page=0&per_page=5", None, {**VERSION_JOBS, "jobs": [{"status": 10}] * 12}, set()),
        ("GET /v1/p/training-jobs?status=8,10", None, {**VERSION_JOBS, "jobs": [{"status": 10}] * 12}, set()),
        ("GET /v1/p/training-jobs?status=8,12", None, {**VERSION_JOBS, "jobs": [{"status": 10}] * 12}, {"filter"}),
        (
            "POST /v2/p/training-job-searches",
            {"filters": [{"key": "name", "operator": "like", "value": ["gam", "beta"]}]},
            {"total": 1, "count": 1, "items": [EXPERIMENT]},
            set(),
        ),
        (
            "POST /v2/p/training-job-searches",
            {"filters": [{"key": "name", "operator": "like", "value": ["alpha", "beta"]}]},
            {"total": 1, "count": 1, "items": [EXPERIMENT]},
            {"filter"},
        ),
    ],
)
def test_a_list_may_be_what_the_documents_leave_open(call: str, sent: Any, shown: Any, found: set[str]) -> None:
    """A large page may be made smaller, a page beyond the end is empty, and one of several values is enough."""
    kinds = {each.kind.value for each in found_in(call, shown, sent)}

    assert kinds & {"total", "identity", "filter", "page size"} == found, kinds
