"""An iterator gives the records of all pages once each, in order, and asks for no page that it does not need."""

import asyncio
import datetime
import json
from contextlib import nullcontext
from importlib import import_module
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.generated.names import snake

import modelarts_openapi
from modelarts_api.errors import IncompleteList
from modelarts_api.v1 import models as v1
from modelarts_api.v2 import models as v2
from modelarts_runtime.client import Client
from modelarts_runtime.types import plain

QUICK = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
ABSENT = object()
MOST_REQUESTS = 400  # of one list in these tests: whoever sends more does not find the end


def lists():
    """Every operation whose response is one page of a list, with its document."""
    for name in modelarts_openapi.NAMES:
        for path, item in modelarts_openapi.load(name)["paths"].items():
            for operation in item.values():
                if isinstance(operation, dict) and "x-pagination" in operation:
                    yield pytest.param((name, path, operation), id=f"{name}-{operation['operationId']}")


def nested(path, value):
    for step in reversed(path.split(".")):
        value = {step: value}
    return value


def merged(first, second):
    both = {name: merged(first[name], second[name]) for name in first.keys() & second.keys()}
    return first | second | both


class Service:
    """A service with one list, read from the operation's `x-pagination`: no page is longer than `cap`.

    `total` makes what a response says of the records of all pages from their number.
    """

    def __init__(self, listed, size, *, cap=1000, unit: Any = None, client_unit: Any = None, total=lambda size: size):
        self.listed = listed
        self.document, self.path, self.operation = listed
        self.pages = self.operation["x-pagination"]
        self.counts = f"{unit}s" if unit and "setting" in self.pages else self.pages["counts"]
        self.first = self.pages["first"] if self.counts == self.pages["counts"] else 0
        self.unit: Any = client_unit or unit or "page"
        self.cap = cap
        self.total = total
        self.records = [self.record(number) for number in range(size)]
        self.asked: list[dict[str, Any]] = []

    def record(self, number):
        return nested(self.pages["id"], f"r{number}") if "id" in self.pages else {"number": number}

    def __call__(self, request):
        asked = json.loads(request.content) if self.pages["in"] == "body" else dict(request.url.params)
        self.asked.append(asked)
        assert len(self.asked) <= MOST_REQUESTS
        return httpx.Response(200, json=self.response(self.position(asked), self.size(asked)))

    def position(self, asked):
        return int(asked.get(self.pages["position"], self.first)) - self.first

    def size(self, asked):
        return min(int(asked.get(self.pages["limit"], 10)), self.cap)

    def response(self, position, size):
        start = position * size if self.counts == "pages" else position
        response = nested(self.pages["items"], self.records[start : start + size])
        total = self.total(len(self.records))
        if total is ABSENT or "total" not in self.pages:
            return response
        return merged(response, nested(self.pages["total"], total))

    def arguments(self, limit=None, position=None):
        """Positional and named arguments of the iterator."""
        values = {self.pages["limit"]: limit, self.pages["position"]: position}
        values = {name: value for name, value in values.items() if value is not None}
        template = [part for part in self.path.split("/") if part.startswith("{") and part != "{project_id}"]
        positional = ["7" for _ in template]
        if self.pages["in"] == "body":
            return [*positional, values], {}
        return ([*positional, {}] if "requestBody" in self.operation else positional), values

    def method(self, kind):
        client = Client(
            "http://service.test", httpx_args={"transport": httpx.MockTransport(self)}, offset_unit=self.unit
        )
        api = getattr(import_module(f"modelarts_api.{self.document}"), kind)(client, "p")
        name = snake(self.operation["operationId"])
        return getattr(getattr(api, self.operation["tags"][0].replace("-", "_")), f"iter_{name.split('_', 1)[1]}")

    def iterate(self, **given):
        positional, named = self.arguments(**given)
        return self.method("Api")(*positional, **named)

    def all(self, **given):
        return [plain(record) for record in self.iterate(**given)]

    def all_async(self, **given):
        async def run():
            positional, named = self.arguments(**given)
            return [plain(record) async for record in self.method("AsyncApi")(*positional, **named)]

        return asyncio.run(run())


def search(size, kind=Service, **options):
    """A service with the training jobs of version 2, whose offset counts pages or records."""
    (listed,) = (case.values[0] for case in lists() if case.id == "v2-listTrainingJobs")
    return kind(listed, size, **options)


def pages_of(size, page):
    return max(1, -(-size // page))


TOTALS = {
    "right": lambda size: size,
    "text": str,
    "absent": lambda size: ABSENT,
    "null": lambda size: None,
    "nonsense": lambda size: {"about": size},
    "false": lambda size: False,
    "zero": lambda size: 0,
    "larger": lambda size: size + 1000,
}


@pytest.mark.parametrize("listed", list(lists()))
@settings(QUICK, max_examples=40)
@given(
    size=st.integers(0, 130),
    cap=st.integers(1, 60) | st.just(1000),
    limit=st.none() | st.integers(1, 70),
    start=st.just(0) | st.integers(0, 20),
    total=st.sampled_from(list(TOTALS)),
    unit=st.sampled_from(["page", "record"]),
)
@example(size=0, cap=1000, limit=None, start=0, total="absent", unit="page")
@example(size=50, cap=1000, limit=50, start=0, total="right", unit="record")
@example(size=120, cap=20, limit=50, start=0, total="right", unit="page")
def test_all_records_come_in_order_with_as_few_pages_as_the_service_lets_one_know(
    listed, size, cap, limit, start, total, unit
):
    """From the first page on, or from anywhere."""
    service = Service(listed, size, cap=cap, unit=unit, total=TOTALS[total])
    page = service.size({service.pages["limit"]: limit or service.pages.get("largest", 10)})
    skipped = start * page if service.counts == "pages" else start

    found = service.all(limit=limit, position=service.first + start if start else None)

    assert found == service.records[skipped:]
    needed = pages_of(max(0, size - skipped), page)
    assert len(service.asked) <= needed + 1
    is_total_known = total in ("right", "text") and "total" in service.pages
    last = size - (needed - 1) * page
    is_too_large = total == "larger" and "total" in service.pages
    if not is_total_known and size and (needed == 1 or last == page or is_too_large):
        needed += 1  # nothing but an empty page shows that there is no more
    assert start or len(service.asked) == needed


@pytest.mark.parametrize("listed", list(lists()))
def test_a_page_is_asked_for_when_its_first_record_is_wanted(listed):
    service = Service(listed, 7, cap=3)
    records = service.iterate()

    assert len(service.asked) == 0
    assert [(next(records), len(service.asked))[1] for _ in range(7)] == [1, 1, 1, 2, 2, 2, 3]
    assert list(records) == []
    assert len(service.asked) == 3


def test_what_the_offset_counts_is_a_setting_of_the_client():
    pages, records = search(120, unit="page"), search(120, unit="record")

    assert pages.all() == records.all_async()
    assert [asked["offset"] for asked in pages.asked] == [0, 1, 2]
    assert [asked["offset"] for asked in records.asked] == [0, 50, 100]


@pytest.mark.parametrize("size", [1, 5, 50])
@pytest.mark.parametrize("unit", ["page", "record"])
@pytest.mark.parametrize("total", ["right", "absent"])
def test_records_that_come_meanwhile_make_no_record_come_twice_or_get_lost(size, unit, total, caplog):
    """They are not missing either, although the total counts them."""

    class Growing(Service):
        """A service whose newest record is the first, and where one comes after every second response."""

        def response(self, position, size):
            response = super().response(position, size)
            if len(self.asked) % 2:
                self.records.insert(0, self.record(1000 + len(self.asked)))
            return response

    service = search(20, Growing, unit=unit, total=TOTALS[total])
    before = list(service.records)

    assert service.all(limit=size) == before
    assert "the list ended" not in caplog.text


@pytest.mark.parametrize("listed", list(lists()))
@pytest.mark.parametrize("total", [10**9, 30, 3, 0, -1, ABSENT], ids=["1e9", "30", "3", "0", "-1", "absent"])
def test_a_service_that_always_gives_the_same_page_is_asked_four_times_at_most(listed, total):
    """The end, if there are no more records; an error, if the total says that the others cannot be reached."""
    service: Any = Service(listed, 10, total=lambda _: total)
    service.position = lambda _: 0
    records, found = service.iterate(limit=10), list[Any]()
    is_short = "total" in service.pages and total is not ABSENT and total > (10 if "id" in service.pages else 30)

    with pytest.raises(IncompleteList, match=r"but its pages only repeat") if is_short else nullcontext():
        found.extend(plain(record) for record in records)

    assert found[:10] == service.records
    assert len(service.asked) <= 4
    assert len(found) == 10 or "id" not in service.pages


def test_records_without_an_id_are_all_given():
    service = search(0)
    odd = [{"metadata": {"id": value}} for value in (None, "", "", {"a": 1}, ["b"])]
    service.records = [*odd, {}, {"metadata": None}, None, "x", {}]

    assert service.all(limit=3) == service.records


@pytest.mark.parametrize("listed", list(lists()))
@pytest.mark.parametrize("kind", ["Api", "AsyncApi"])
def test_an_invalid_position_is_rejected_before_anything_is_sent(listed, kind):
    service = Service(listed, 5)
    for position in (-1, "2", 1.5, True):
        positional, named = service.arguments(position=position)

        with pytest.raises(ValueError, match=rf"{service.pages['position']} must be an integer of at least [01], not "):
            service.method(kind)(*positional, **named)
    assert service.asked == []


def test_a_service_that_counts_records_where_pages_are_documented_loses_none(caplog):
    """The unit is learned from the pages, said once, and kept for the next iteration of the client."""
    service = search(100, unit="record", client_unit="page")
    method = service.method("Api")

    assert [plain(job) for job in method()] == service.records
    assert [asked["offset"] for asked in service.asked] == [0, 1, 51]
    assert [record.getMessage() for record in caplog.records if record.name == "modelarts_api"] == [
        'the offset of this list counts records: set offset_unit="record" (MODELARTS_OFFSET_UNIT) to save requests'
    ]
    service.asked.clear()
    assert len(list(method())) == 100
    assert [asked["offset"] for asked in service.asked] == [0, 50]


@QUICK
@given(
    size=st.integers(0, 100), cap=st.integers(1, 60), limit=st.integers(1, 60), total=st.sampled_from(["right", "text"])
)
def test_a_service_that_counts_records_gives_every_record_once(size, cap, limit, total):
    service = search(size, cap=cap, unit="record", client_unit="page", total=TOTALS[total])

    assert service.all(limit=limit) == service.records


def test_a_list_that_ends_before_its_total_is_logged(caplog):
    """The service may be wrong about the total, so that this is not an error."""
    service = search(3, total=lambda size: 5)

    assert service.all() == service.records
    assert [record.getMessage() for record in caplog.records if record.name == "modelarts_api"] == [
        "the list ended after 3 of 5 records"
    ]


def test_records_that_go_meanwhile_make_no_record_come_twice():
    class Shrinking(Service):
        def response(self, position, size):
            response = super().response(position, size)
            del self.records[:2]
            return response

    service = search(20, Shrinking)
    before = list(service.records)
    found = service.all(limit=5)

    assert found[:5] == before[:5]
    assert len(found) == len({str(record) for record in found})


JOB = {
    "kind": "job",
    "metadata": {"id": "c7519e20-8ad2-4e0a-a0b2-0123456789ab", "name": "digits-1", "create_time": 1_700_000_000_123},
    "status": {"phase": "Completed", "duration": 6_300, "start_time": 1_700_000_001_000},
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.2u", "node_count": 1}},
}


@pytest.mark.parametrize(
    ("phase", "is_terminal"),
    [
        ("Creating", False), ("Pending", False), ("Running", False), ("Terminating", False), ("Later", False),
        ("Completed", True), ("Failed", True), ("Terminated", True), ("Abnormal", True), (None, False),
    ],
)  # fmt: skip
def test_a_status_knows_whether_its_phase_is_terminal(phase, is_terminal):
    assert v2.JobStatus.from_dict({"phase": phase}).is_terminal is is_terminal


@pytest.mark.parametrize(
    ("status", "name", "is_terminal"),
    [
        (8, "JOBSTAT_RUNNING", False),
        (10, "JOBSTAT_COMPLETED", True),
        ("10", "JOBSTAT_COMPLETED", True),
        (99, "99", False),
        ("odd", "odd", False),
    ],
)
def test_a_status_number_has_a_name(status, name, is_terminal):
    version = v1.TrainingJobVersion.from_dict({"status": status})

    assert (version.status_name, version.is_terminal) == (name, is_terminal)


def test_times_are_datetimes_with_their_zone():
    job = v2.TrainingJob.from_dict(JOB)

    assert job.metadata.created_at == datetime.datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=datetime.UTC)
    assert job.status.started_at == datetime.datetime(2023, 11, 14, 22, 13, 21, tzinfo=datetime.UTC)
    assert job.status.running_time == datetime.timedelta(seconds=6.3)


def test_a_job_shows_itself_in_a_line():
    job = v2.TrainingJob.from_dict(JOB)

    assert str(job) == "digits-1 c7519e20 Completed 6.3 s"
    assert repr(job) == "<TrainingJob digits-1 c7519e20 Completed 6.3 s>"


def test_a_list_of_jobs_is_a_table_in_a_notebook():
    odd = {**JOB, "metadata": {"name": "<b>&"}}
    html = v2.TrainingJobList.from_dict({"items": [JOB, odd]})._repr_html_()

    assert html.count("<tr>") == 3
    assert "<td>digits-1</td>" in html
    assert "<td>&lt;b&gt;&amp;</td>" in html
    assert "2023-11-14 22:13:20 UTC" in html
