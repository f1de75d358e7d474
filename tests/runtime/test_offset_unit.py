"""Whether an offset counts pages or records is learned from the pages, where the service differs from the setting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.test_pages import QUICK, TOTALS, Service, search

from modelarts_runtime.types import plain


def test_a_service_that_counts_records_where_pages_are_documented_loses_none(caplog):
    """The unit is learned from the pages, said once, and kept for the next iteration of the client."""
    service = search(100, unit="record", client_unit="page")
    method = service.method("Api")

    assert [plain(job) for job in method()] == service.records
    assert [asked["offset"] for asked in service.asked] == [0, 1, 50]
    assert [record.getMessage() for record in caplog.records if record.name == "modelarts_api"] == [
        'the offset of this list counts records: set offset_unit="record" (MODELARTS_OFFSET_UNIT) to save requests'
    ]

    service.asked.clear()
    assert len(list(method())) == 100
    assert [asked["offset"] for asked in service.asked] == [0, 50]
    assert len([record for record in caplog.records if record.name == "modelarts_api"]) == 1


@pytest.mark.parametrize(("size", "limit", "asked"), [(120, 50, [0, 50, 1, 2]), (5, 2, [0, 2, 3, 1])])
def test_a_service_that_counts_pages_where_records_are_set_loses_none(size, limit, asked, caplog):
    """Also if the page before the end has a single record."""
    service = search(size, unit="page", client_unit="record")

    assert sorted(map(str, service.all(limit=limit))) == sorted(map(str, service.records))
    assert [request["offset"] for request in service.asked] == asked
    assert "counts pages" in caplog.text


@pytest.mark.parametrize(
    ("client_unit", "start", "asked"),
    [("record", 2, [2, 12, 3, 4, 5, 6, 7, 8, 9]), ("page", 20, [20, 21, 30, 40, 50, 60, 70, 80, 90])],
)
def test_a_list_that_is_entered_in_the_middle_ends_at_its_total(client_unit, start, asked, caplog):
    """What was skipped counts in the unit that was learned: no further page is requested, and no end is reported."""
    service = search(100, unit="page" if client_unit == "record" else "record", client_unit=client_unit)

    assert service.all(limit=10, position=start) == service.records[20:]
    assert [request["offset"] for request in service.asked] == asked
    assert "the list ended" not in caplog.text


def test_two_new_records_on_a_page_of_three_do_not_change_the_unit(caplog):
    """Page 1 then is page 0 moved by one record, as if the offset counted records; the next request shows otherwise."""

    class Growing(Service):
        def response(self, position, size):
            response = super().response(position, size)
            if len(self.asked) == 1:
                self.records[:0] = [self.record(100), self.record(101)]
            return response

    service = Growing(search(0).listed, 12, unit="page")
    before = list(service.records)

    assert service.all(limit=3) == before
    assert [asked["offset"] for asked in service.asked] == [0, 1, 3, 2, 3, 4, 5]
    assert "counts" not in caplog.text


@pytest.mark.parametrize("new", [0, 3])
def test_a_wrong_total_does_not_change_the_unit(new, caplog):
    """The page that would show that pages are counted ends with a known record, also if new ones came before it."""

    class Growing(Service):
        def response(self, position, size):
            response = super().response(position, size)
            if len(self.asked) == 3:
                self.records[:0] = [self.record(100 + number) for number in range(new)]
            return response

    service = Growing(search(0).listed, 10, unit="record", client_unit="record", total=lambda size: 12)
    before = list(service.records)

    assert service.all(limit=5) == before
    assert [asked["offset"] for asked in service.asked] == [0, 5, 10, 1]
    assert [record.getMessage() for record in caplog.records if record.name == "modelarts_api"] == [
        "the list ended after 10 of 12 records"
    ]


@pytest.mark.parametrize("client_unit", ["page", "record"])
@QUICK
@given(
    size=st.integers(0, 200),
    cap=st.integers(1, 60),
    limit=st.integers(1, 60),
    start=st.integers(0, 20),
    total=st.sampled_from(["right", "text"]),
    unit=st.sampled_from(["page", "record"]),
)
def test_whatever_the_offset_counts_every_record_comes_once(client_unit, size, cap, limit, start, total, unit):
    """From the start of the list; entered in the middle, a list that seems to end at its total shows no unit."""
    start = start if unit == client_unit else 0
    service = search(size, cap=cap, unit=unit, client_unit=client_unit, total=TOTALS[total])
    skipped = start * min(limit, cap) if unit == "page" else start

    found = [record["metadata"]["id"] for record in service.all(limit=limit, position=start)]

    assert sorted(found) == sorted(record["metadata"]["id"] for record in service.records[skipped:])


def test_a_list_that_ends_before_its_total_is_logged(caplog):
    """The service may be wrong about the total, so that this is not an error."""
    service = search(3, total=lambda size: 5)

    assert service.all() == service.records
    assert [record.getMessage() for record in caplog.records if record.name == "modelarts_api"] == [
        "the list ended after 3 of 5 records"
    ]
