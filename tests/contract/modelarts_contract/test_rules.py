"""Rules about the meaning of exchanges: none fails, whatever is sent and shown, and one that fails is not silent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.modelarts_contract.run.test_effects import TOKEN, judging
from tests.generated.bodies import JSON, Bodies

import modelarts_openapi
from modelarts_contract import documents
from modelarts_contract.documents import Documents, Operation, load, operations, operations_of, overlay
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.rules.kinds import KINDS
from modelarts_contract.rules.memory import Memory
from modelarts_contract.rules.session import RULES, Rule, Session, applied
from modelarts_contract.rules.stored import with_defaults
from modelarts_contract.run import reports, result
from modelarts_contract.run.collecting import collected
from modelarts_contract.run.plan import Plan
from modelarts_contract.seen import Seen
from modelarts_documents.schema import json_schema

HOST = "https://modelarts.example.com"
DOCUMENTS = Documents()
FEW = settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
HUGE = 10**400
ODD = st.sampled_from(
    [HUGE, -HUGE, "0001-01-01T00:00:00", "nan", "9" * 30, "\ud800", [[]], [{"name": ["x"]}], {"a": {}}]
)
VALUES = st.sampled_from([None, "-1", "0", "2", "60", "asc", "desc", "a:b", "x"])
HEADERS = {"content-type": "application/json", "date": "Tue, 15 Jul 2025 08:00:00 GMT"}
FLAVORS = f"{HOST}/v2/p/training-job-flavors"


@cache
def bodies(name: str, operation_id: str, status: int, perturbed: bool) -> st.SearchStrategy[bytes]:
    """Bodies of a response, or of the request (status 0)."""
    operation = operations(name)[operation_id]
    schema = json_schema(operation.response(status) or {}) if status else operation.body_schema()
    if schema is None:
        return st.just(b"") | JSON.map(as_bytes)
    found = Bodies(load(name)).of(schema, perturbed=perturbed)
    return st.builds(with_odd, found, ODD, st.integers(0, 9)) if perturbed else found.map(as_bytes)


def with_odd(value: Any, odd: Any, place: int) -> bytes:
    """The body with an odd value instead of one of its members."""
    if isinstance(value, dict) and value:
        name = [*value][place % len(value)]
        value = {**value, name: odd}
    return as_bytes(value)


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


@st.composite
def exchanges(draw: st.DrawFn, operation: Operation) -> Exchange:
    """An exchange of the operation, with bodies as documented or with anything in them."""
    status = int(draw(st.sampled_from([each for each in operation.definition["responses"] if each.isdigit()])))
    path = operation.url_path({name: draw(st.sampled_from("12")) for name in ["project_id", *operation.path_names]})
    query = {name: draw(VALUES) for name in operation.parameters("query")}
    asked = "&".join(f"{name}={value}" for name, value in query.items() if value is not None)
    sent, shown = (
        draw(bodies(operation.name, operation.operation_id, each, draw(st.booleans()))) for each in (0, status)
    )
    return Exchange(operation.method, f"{HOST}{path}?{asked}", status, {}, sent, HEADERS, shown)


def failed(found: list[Finding]) -> list[str]:
    return [each.message for each in found if each.kind is Kind.RULE_FAILED]


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_no_rule_fails_whatever_a_service_shows(name: str) -> None:
    """Not even for bodies that the schemas reject."""
    one = st.sampled_from(Documents([name]).operations).flatmap(exchanges)

    @FEW
    @given(st.lists(one, min_size=1, max_size=6))
    def tried(session: list[Exchange]) -> None:
        whole = Session(DOCUMENTS)
        assert [message for each in session for message in failed(whole.see(each))] == []

    tried()


ABOUT_FORM = {kind for kind in Kind if kind.startswith(("invalid", "unknown"))}  # with sentences of the validator
LEAK = re.compile(r"\bNone\b|\bTrue\b|\bFalse\b|(?i:\bnan\b|\binf(inity)?\b)|[{}<>\[\]]")


def plain(value: Any) -> Any:
    """The value with letters and digits only in its texts: what a sentence shows besides is ours."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return re.sub(r"[^\w./: +-]|nan|None", "", value) if isinstance(value, str) else value


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_no_sentence_of_a_rule_shows_what_only_programmers_know(name: str) -> None:
    """Neither None nor NaN, braces or brackets, whatever objects, lists, numbers and texts a service shows."""
    one = st.sampled_from(Documents([name]).operations).flatmap(exchanges)

    @FEW
    @given(st.lists(one, min_size=1, max_size=6))
    def tried(session: list[Exchange]) -> None:
        whole = Session(DOCUMENTS, lag_s=0, deletion_s=0)
        for each in session:
            with suppress(ValueError):
                each = replace(each, response_body=as_bytes(plain(json.loads(each.response_body))))
            for found in whole.see(each):
                assert found.kind in ABOUT_FORM or not LEAK.search(found.message), found.message

    tried()


ODDS: list[Any] = [
    None,
    True,
    -3,
    1.5,
    10**20,
    "x",
    "2026-11-22T10:00:00Z",
    [3, 1],
    ["a", "a"],
    [[1], [2, 3]],
    {},
    {"a": None},
]
ODDS += [
    float("nan"),
    float("inf"),
    "Completed",
    "Running",
    "/a/b",
    "Integer",
    [{"key": "x"}, {"key": "x"}],
    1_700_000_000_000,
]


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_of_a_kind_shows_what_only_programmers_know(kind: str) -> None:
    """With the arguments of our overlays, and of the example, and any value at each of the places."""
    facts = [fact for name in modelarts_openapi.NAMES for each in overlay(name)["facts"].values() for fact in each]
    arguments = [fact[kind] for fact in facts if kind in fact] + [yaml.safe_load(KINDS[kind].example)]
    seen = Seen.of(Exchange("GET", FLAVORS, 200, {}, b"", HEADERS, b"{}"), DOCUMENTS)
    assert seen is not None

    @settings(FEW, max_examples=60)
    @given(st.sampled_from(arguments), st.lists(st.lists(st.sampled_from(ODDS), min_size=9, max_size=9), min_size=2))
    def tried(argument: Any, shown: list[list[Any]]) -> None:
        places = re.findall(r"[a-z_0-9]+(?:\.(?:\*|[a-z_0-9]+))*", json.dumps(argument))
        memory = Memory(lag_s=0)
        for values in shown:
            objects = filled(zip(dict.fromkeys(places), cycle(values), strict=False))
            for _, text in KINDS[kind].check(seen, objects, argument, memory):
                assert not LEAK.search(text), text

    tried()


def filled(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object with these values at places, of which `*` is an entry of a list."""
    whole: dict[str, Any] = {}
    for place, value in values:
        around: Any = whole
        steps = place.replace(".*", ".0").split(".")
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            inner = value if following is None else [] if following == "0" else {}
            if isinstance(around, list):
                around += [inner] if not around else []
                around = around[0]
            elif isinstance(around, dict):
                around = around.setdefault(step, inner)
    return whole


def test_a_name_of_what_is_offered_has_the_id_that_it_depends_on() -> None:
    session, status = Session(DOCUMENTS), {"phase": "Completed", "tasks": ["worker-0"]}
    job = as_bytes({"metadata": {"id": "j1"}, "status": {**status, "task_ips": [{"task": "worker-7"}]}})

    found = session.see(Exchange("GET", f"{HOST}/v2/p/training-jobs/j1", 200, {}, b"", HEADERS, job))

    sentence = "task is 'worker-7', which is not one of the 1 tasks of j1"
    assert [each.message for each in found if "tasks of" in each.message] == [sentence]


@pytest.mark.parametrize(
    ("nodes", "tasks", "wrong"),
    [
        (1, ["worker-0"], None),
        (1, ["server-0", "worker-0"], None),
        (-1, ["worker-0"], None),
        (1, ["server-0", "worker-0", "worker-1"], "has 2 worker- entries, and spec.resource.node_count is 1"),
    ],
)
def test_a_job_has_no_more_workers_than_nodes(nodes: int, tasks: list[str], wrong: str | None) -> None:
    job = as_bytes({"spec": {"resource": {"node_count": nodes}}, "status": {"phase": "Running", "tasks": tasks}})

    found = Session(DOCUMENTS).see(Exchange("GET", f"{HOST}/v2/p/training-jobs/j1", 200, {}, b"", HEADERS, job))

    sentences = [each.message for each in found if each.where == "status.tasks"]
    assert sentences == ([f"status.tasks {wrong}"] if wrong else [])


SEARCH, TRIALS = "POST /v2/p/training-job-searches", "GET /v2/p/training-jobs/1/autosearch-trials/1"
LOG = "GET /v2/p/training-jobs/1/tasks/worker-0/logs/preview"


@pytest.mark.parametrize(
    ("call", "sent", "shown"),
    [
        (LOG, None, {"current_size": HUGE, "full_size": 5, "content": "a"}),
        (SEARCH, {"filters": [{"key": [], "operator": "in", "value": ["x"]}]}, {"items": [{"kind": "job"}]}),
        (SEARCH, {"filters": [{"key": "kind", "operator": "in", "value": 5}]}, {"items": [{"kind": "job"}]}),
        (SEARCH, {"filters": "kind:job"}, {"items": [{"kind": "job"}]}),
        (TRIALS, None, {"header": ["trial_id", []], "data": [["1", "2"]]}),
        (TRIALS, None, {"header": 5, "data": [["1", "2"]]}),
        (TRIALS, None, {"header": ["trial_id"], "data": [5]}),
        (TRIALS, None, {"header": ["trial_id"], "data": 5}),
        (LOG, None, {"current_size": 5, "content": ["a"]}),
    ],
)
def test_no_rule_fails_for_a_value_of_another_kind(call: str, sent: Any, shown: Any) -> None:
    """What the schema rejects is no reason to fail, and a number may be of any size."""
    method, _, path = call.partition(" ")
    exchange = Exchange(method, HOST + path, 200, {}, as_bytes(sent), HEADERS, as_bytes(shown))
    seen = Seen.of(exchange, DOCUMENTS)
    assert seen is not None

    assert failed([each for rule in RULES for each in applied(rule, seen, Memory(), is_valid=True)]) == []


def of_flavors(body: bytes, rules: tuple[Rule, ...] = RULES) -> list[Finding]:
    """What a session finds that begins with this list of flavors."""
    session = Session(DOCUMENTS)
    session.rules = rules
    return session.see(Exchange("GET", FLAVORS, 200, {}, b"", HEADERS, body))


@pytest.mark.parametrize(
    ("body", "why"), [(b'{"flavors": ["\\ud800"]}', "surrogates"), (b"[" * 101 + b"]" * 101, "nested too deeply")]
)
def test_json_that_no_validator_reads_is_a_finding(body: bytes, why: str) -> None:
    """Half of a pair of surrogates is no text, and few programs read what is nested in hundreds of levels."""
    (found,) = of_flavors(body)

    assert (found.kind, why in found.message) == (Kind.INVALID_RESPONSE, True), found.message


def test_json_is_read_to_a_hundred_levels() -> None:
    body = b'{"total_count": 0, "flavors": [], "more": ' + b"[" * 99 + b"]" * 99 + b"}"

    assert Kind.INVALID_RESPONSE not in [each.kind for each in of_flavors(body)]


def defective(seen: Seen, memory: Memory) -> Iterator[Finding]:
    yield Finding.of(seen, Kind.TIME, "found before the rule failed", "status.start_time")
    raise AttributeError(f"a defect of the rule, and {TOKEN}")


def test_a_rule_that_fails_is_a_finding() -> None:
    """What it found before counts, and so does what other rules find."""
    found = of_flavors(as_bytes({"total_count": -5, "flavors": []}), rules=(defective, *RULES))

    kinds = [each.kind for each in found]
    assert (kinds[:2], Kind.TOTAL in kinds) == ([Kind.TIME, Kind.RULE_FAILED], True), kinds
    assert "the rule defective fails for showTrainingJobFlavors with AttributeError" in found[1].message
    assert "in defective\n    raise AttributeError" in found[1].message
    assert found[1].breaks_contract


def test_a_rule_may_fail_for_a_body_that_the_schema_rejects() -> None:
    """The body is a finding already."""
    found = of_flavors(b'{"flavors": 5}', rules=(defective,))

    assert {each.kind for each in found} == {Kind.INVALID_RESPONSE, Kind.TIME}


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, {"total_count": 0, "flavors": []}), (500, {"error_code": "ModelArts.0010", "error_msg": "It failed."})],
)
def test_every_report_of_a_run_shows_the_traceback_of_a_rule_that_fails(status: int, body: Any, tmp_path: Path) -> None:
    """Without the credentials of the run; the exit status is that of a broken contract."""
    with judging((status, body)) as judge:
        judge.session.rules = (defective,)
        judge.call(operations("v2")["showTrainingJobFlavors"], {})
    plan, outcomes = Plan(("v2",), ("showTrainingJobFlavors",)), {"v2": [judge.outcomes()["v2"]]}
    whole = collected(plan, judge.service, outcomes, [], datetime.now(UTC), 1)
    reports.write(whole, tmp_path)
    result.write(whole, tmp_path)

    assert whole.exit_status == 1
    for file in ("report.txt", "junit.xml", "results.json"):
        text = (tmp_path / file).read_text()
        said = [each in text for each in ("the rule defective fails for showTrainingJobFlavors", "in defective", TOKEN)]
        assert said == [True, True, False], file
    assert "the rule defective fails" in reports.screen(whole)


CONFIG = f"{HOST}/v1/p/training-job-configs/x"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, {"is_success": False}, "is_success is false with status 200"),
        (200, {"is_success": True, "error_code": "ModelArts.0105"}, "a success has the error_code ModelArts.0105"),
        (400, {"is_success": True, "error_code": "ModelArts.0105"}, "a rejection says that it is a success"),
        (200, {"is_success": True}, None),
    ],
)
def test_a_success_says_so_and_a_rejection_does_not(status: int, body: Any, message: str | None) -> None:
    found = Session(DOCUMENTS).see(Exchange("DELETE", CONFIG, status, {}, b"", HEADERS, as_bytes(body)))

    assert [each.message for each in found if each.kind is Kind.SUCCESS] == ([message] if message else [])


def described(session: Session, *said: tuple[float, str, str]) -> list[float]:
    """The times (s) of findings, where one operation shows a job at each time with this description, or lists it."""
    start, job, wrong = datetime(2026, 1, 1, tzinfo=UTC), f"{HOST}/v2/p/training-jobs/1", []
    for at_s, how, text in said:
        shown: Any = {"metadata": {"id": "1", "name": "j", "description": text}}
        method, url = ("GET", job) if how == "shown" else ("POST", f"{HOST}/v2/p/training-job-searches")
        body = as_bytes(shown if how == "shown" else {"items": [shown], "total": 1})
        exchange = Exchange(method, url, 200, {}, b"{}", HEADERS, body, started_at=start + timedelta(seconds=at_s))
        wrong += [at_s for each in session.see(exchange) if each.kind is Kind.IDENTITY]
    return wrong


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ([(0, "shown", "a"), (1, "listed", "b"), (6, "shown", "a"), (7, "listed", "b")], []),
        ([(0, "shown", "a"), (1, "listed", "b"), (12, "shown", "a"), (13, "shown", "a")], []),
        ([(0, "shown", "a"), (1, "listed", "b"), (12, "shown", "a"), (13, "listed", "b")], [13]),
        ([(0, "shown", "a"), (1, "listed", "b"), (12, "listed", "a"), (13, "shown", "b"), (14, "listed", "a")], []),
        ([(0, "shown", "a"), (1, "listed", "b"), (2, "shown", "c"), (11.5, "listed", "b"), (11.8, "shown", "c")], []),
        (
            [(0, "shown", "a"), (1, "listed", "b"), (12, "listed", "a"), (13, "listed", "b"), (14, "shown", "a")],
            [],
        ),
    ],
)
def test_two_operations_contradict_each_other_if_both_repeat_it_after_the_lag(said: Any, found: list[float]) -> None:
    """Until then, what somebody has changed may be shown by one of them only; agreeing ends the doubt."""
    assert described(Session(DOCUMENTS, lag_s=10), *said) == found


START = 1_767_225_600_000  # 2026-01-01, in ms


def versions(*shown: tuple[float, int, int]) -> list[str]:
    """What is found where a version is listed at each time (s) with a status of version 1, and a start (s)."""
    session, found = Session(DOCUMENTS, lag_s=10), list[Finding]()
    for at_s, status, start_s in shown:
        version = {"version_id": 5, "version_name": "V1", "status": status, "start_time": START + start_s * 1000}
        body = {"is_success": True, "job_id": 1, "job_name": "j", "version_count": 1, "versions": [version]}
        at = datetime.fromtimestamp(START / 1000 + at_s, UTC)
        url = f"{HOST}/v1/p/training-jobs/1/versions"
        found += session.see(Exchange("GET", url, 200, {}, b"", HEADERS, as_bytes(body), started_at=at))
    return [each.message for each in found if each.kind is Kind.PHASE]


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ([(0, 1, 1), (5, 8, 1), (99, 10, 1)], []),
        ([(0, 1, 1), (5, 10, 1), (9, 8, 1), (11, 10, 1)], []),
        ([(0, 1, 1), (5, 10, 1), (99, 8, 1)], ["status of 5 went from Completed to Running"]),
        ([(0, 10, 1), (99, 8, 98), (120, 10, 98)], []),
        ([(0, 10, 1), (99, 10, 2)], [f"start_time of 5, which has ended, was {START + 1000}, and is {START + 2000}"]),
        ([(0, 10, 1), (99, 10, 1)], []),
        ([(0, 77, 1), (99, 10, 1)], []),
    ],
)
def test_phases_have_an_order_and_what_has_ended_stays(shown: Any, found: list[str]) -> None:
    """A list may lag, an unknown phase says nothing, and another start is another run."""
    assert versions(*shown) == found


def notes_of_others(name: str, facts: list[dict[str, Any]]) -> Session:
    """A session of a document of others, whose notes are created and shown."""
    note = {"type": "object", "properties": {each: {} for each in ("id", "pool_reference_count", "task_duration")}}
    json_note = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}}
    link = {"operationId": "showNote", "parameters": {"id": "$response.body#/id"}}
    create = {
        "operationId": "createNote",
        "requestBody": json_note,
        "responses": {"200": {**json_note, "links": {"a": link}}},
    }
    show = {"operationId": "showNote", "parameters": [{"name": "id", "in": "path"}], "responses": {"200": json_note}}
    paths = {"/notes": {"post": create}, "/notes/{id}": {"get": show}}
    documents.add(name, {"paths": paths, "components": {"schemas": {"Note": note}}}, {"facts": {"Note": facts}})
    return Session(Documents([name]))


@pytest.mark.parametrize("field", ["pool_reference_count", "task_duration"])
@pytest.mark.parametrize("is_declared", [False, True])
def test_no_name_of_a_field_excuses_that_what_was_written_is_not_shown(field: str, is_declared: bool) -> None:
    """Only the overlay does."""
    session = notes_of_others(f"{field}-{is_declared}", [{"varies": [field]}] if is_declared else [])
    sent, shown = ({"id": "1", field: number} for number in (3, 4))

    session.see(Exchange("POST", f"{HOST}/notes", 200, {}, as_bytes(sent), HEADERS, as_bytes(sent)))
    found = session.see(Exchange("GET", f"{HOST}/notes/1", 200, {}, b"", HEADERS, as_bytes(shown)))

    messages = [] if is_declared else [f"{field} was written as 3, and 4 is shown"]
    assert [each.message for each in found] == messages


@pytest.mark.parametrize("body", [{}, {"description": ""}, {"description": "b"}])
def test_a_description_that_an_update_removes_need_not_be_shown_again(body: dict[str, str]) -> None:
    """What the last update sets is what has to be shown."""
    session, url = Session(DOCUMENTS), f"{HOST}/v2/p/training-jobs/{'a' * 8}-aaaa-4aaa-8aaa-{'a' * 12}"
    for sent in ({"description": "a"}, body):
        session.see(Exchange("PUT", url, 200, {}, as_bytes(sent), HEADERS, b""))
    for description, wrong in ((body.get("description", ""), []), ("c", ["b"] if body.get("description") else [])):
        job = {"kind": "job", "metadata": {"id": url.rpartition("/")[2], "description": description}}
        shown_at = datetime.now(UTC) + timedelta(minutes=1)
        seen = Exchange("GET", url, 200, {}, b"", HEADERS, as_bytes(job), started_at=shown_at)
        found = [each.message for each in session.see(seen) if "was written as" in each.message]
        texts = [f"metadata.description was written as {each!r}, and 'c' is shown" for each in wrong]
        assert found == texts, description


@pytest.mark.parametrize("offset", [7, 10**18, 10**30, 10**200])
def test_a_page_far_beyond_the_end_is_empty(offset: int) -> None:
    """However far it is."""
    url = f"{HOST}/v2/p/training-jobs/{'a' * 8}-aaaa-4aaa-8aaa-{'a' * 12}/events?offset={offset}"
    found = Session(DOCUMENTS).see(Exchange("GET", url, 200, {}, b"", HEADERS, as_bytes({"total": 6, "events": []})))
    assert not [each.message for each in found if each.kind is Kind.TOTAL]


ITEM: dict[str, Any] = {
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer", "default": 3},
        "around": {"anyOf": [{"$ref": "#/components/schemas/Item"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"properties": {"key": {"default": "a"}}}},
        "spec": {"default": {}, "properties": {"mode": {"default": "fast"}}},
    }
}
REQUEST = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}}
ITEMS = {
    "paths": {"/items": {"post": {"operationId": "createItem", "requestBody": REQUEST, "responses": {}}}},
    "components": {"schemas": {"Item": ITEM}},
}


def test_what_a_request_leaves_out_has_its_documented_value() -> None:
    """At any depth; neither the request nor the document is changed."""
    (operation,) = operations_of("items", ITEMS)
    sent = {"size": 4, "around": {"name": "x"}, "tags": [{}]}

    for _ in range(2):
        assert with_defaults(operation, sent) == {
            "size": 4,
            "around": {"name": "x", "size": 3, "spec": {"mode": "fast"}},
            "tags": [{"key": "a"}],
            "spec": {"mode": "fast"},
        }, sent
    assert sent == {"size": 4, "around": {"name": "x"}, "tags": [{}]}
    assert with_defaults(operation, None) is None


@pytest.mark.parametrize(("shown", "found"), [("u1", 0), ("u2", 1)])
@pytest.mark.parametrize("token", ["t1", "t2"])
def test_a_token_has_the_user_of_its_creation(token: str, shown: str, found: int) -> None:
    """Another token may have another user."""
    session, host = Session(DOCUMENTS), "https://iam.example.com/v3/auth/tokens"
    users = [json.dumps({"token": {"user": {"id": user, "name": "n"}}}).encode() for user in ("u1", shown)]
    session.see(Exchange("POST", host, 201, {}, b"{}", {"X-Subject-Token": "t1"}, users[0]))

    messages = [
        each.message for each in session.see(Exchange("GET", host, 200, {"X-Subject-Token": token}, b"", {}, users[1]))
    ]

    assert sum("user.id of X-Subject-Token" in each for each in messages) == (found if token == "t1" else 0), messages


@pytest.mark.parametrize(
    ("region", "found"), [("here", []), ("there", ["region of id 'e' is 'there', and was 'here'"])]
)
def test_an_endpoint_has_one_region_and_an_address_in_each_project(region: str, found: list[str]) -> None:
    session, messages = Session(DOCUMENTS), list[str]()
    for project, place in (("p1", "here"), ("p2", region)):
        endpoint = {"id": "e", "url": f"{HOST}/v2/{project}", "region": place, "region_id": place}
        body = as_bytes({"token": {"catalog": [{"id": "c", "endpoints": [endpoint]}]}})
        request = Exchange("POST", "https://iam.example.com/v3/auth/tokens", 201, {}, b"{}", HEADERS, body)
        messages += [each.message for each in session.see(request) if each.kind is Kind.IDENTITY]

    assert messages == found


HOUR_MS, DAY_MS, YEAR_MS = 3_600_000, 86_400_000, 365 * 86_400_000


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ([(START, START), (START, START + DAY_MS)], [1]),
        ([(START, START - 20 * YEAR_MS)], [0]),
        ([(START + 30 * YEAR_MS, START + 30 * YEAR_MS)], []),
        ([(START + 30 * YEAR_MS, START + 41 * YEAR_MS)], [0]),
        ([(HOUR_MS, HOUR_MS - 1000), (HOUR_MS + 1000, HOUR_MS)], []),
        ([(START + DAY_MS, START), (START, START + HOUR_MS), (START + DAY_MS, START + 2 * DAY_MS)], []),
        ([(START + 50_000, START), (START, START + HOUR_MS)], [1]),
        ([(START + DAY_MS, START), (START + DAY_MS, START + 2 * DAY_MS), (START, START)], [1]),
        ([(START, START), (None, START - 20 * YEAR_MS)], [1]),
    ],
)
def test_times_are_judged_by_the_clock_of_the_service_unless_it_was_set(shown: Any, found: list[int]) -> None:
    """Of responses with a Date (ms) and a time of creation; the clock may have been moved ahead, but not back."""
    session, wrong = Session(DOCUMENTS), list[int]()
    for number, (date_ms, created_ms) in enumerate(shown):
        date = {} if date_ms is None else {"date": format_datetime(datetime.fromtimestamp(date_ms / 1000, UTC), True)}
        body = as_bytes({"metadata": {"id": f"{number}", "name": "a", "create_time": created_ms}})
        at = datetime.fromtimestamp(START / 1000, UTC)
        url = f"{HOST}/v2/p/algorithms/{number}"
        kinds = {
            each.kind
            for each in session.see(Exchange("GET", url, 200, {}, b"", HEADERS | {"date": ""} | date, body, at))
        }
        wrong += [number] if kinds & {Kind.TIME, Kind.TOTAL} else []

    assert wrong == found
