"""Logs of version 1: names of files, and records by cursors."""

from __future__ import annotations

from typing import Any

import pytest
from tests.emulator.v1.conftest import V1Service

from modelarts_toolkit.errors import ApiError

LINES = [f"step {number}" for number in range(100)]


@pytest.fixture
def logged(v1: Any) -> Any:
    """A version that has written a hundred lines."""
    name = v1.unique("Log_Job")
    v1.plan(name, log=LINES)
    created = v1.create(name)
    v1.advance(60)
    return created


def read(v1: Any, created: Any, **query: Any) -> Any:
    log_file = v1.logs.list_training_job_log_files(created.job_id, created.version_id).log_file_list[0]
    return v1.logs.show_training_job_log(created.job_id, created.version_id, log_file=log_file, **query)


def whole(v1: Any, created: Any) -> list[str]:
    """All records: what the task wrote, between lines of the service."""
    lines = records(read(v1, created, lines=500))
    assert [line for line in lines if not line.startswith("[ModelArts Service Log]")] == LINES
    return lines


def records(found: Any) -> list[str]:
    """The content as the use case prints it: an empty line between two records."""
    lines = found.content.removesuffix("\n").split("\n\n") if found.content else []
    assert len(lines) == found.lines
    return list(lines)


def test_the_newest_fifty_records_are_read_unless_a_number_is_given(v1: Any, logged: Any) -> None:
    found = read(v1, logged, lines=8, order="desc")

    assert records(found) == whole(v1, logged)[-8:]
    assert isinstance(found.start_line, str)
    assert len(found.start_line) == len(found.end_line) == 19
    assert records(read(v1, logged)) == records(read(v1, logged, base_line="")) == whole(v1, logged)[-50:]


def test_cursors_lead_backwards_with_asc_and_forwards_with_desc(v1: Any, logged: Any) -> None:
    """At the end the cursor stays where it is."""
    newest = read(v1, logged, lines=10)
    previous = read(v1, logged, lines=10, order="asc", base_line=newest.start_line)
    following = read(v1, logged, lines=10, order="desc", base_line=previous.end_line)
    further = read(v1, logged, order="desc", base_line=newest.end_line)

    assert records(previous) == whole(v1, logged)[-20:-10]
    assert records(following) == records(newest)
    assert (further.content, further.lines) == ("", 0)
    assert further.start_line == further.end_line == newest.end_line


def test_a_log_is_followed_while_it_grows(v1: Any) -> None:
    name = v1.unique("follow")
    v1.plan(name, log=LINES, preparation=10, duration=100)
    created = v1.create(name)
    v1.advance(1)
    found = read(v1, created)
    seen = records(found)
    for _ in range(20):
        v1.advance(10)
        found = read(v1, created, base_line=found.end_line, order="desc", lines=500)
        seen += records(found)

    assert seen == whole(v1, created)


def test_whoever_asks_before_there_is_a_log_gets_a_cursor_that_loses_nothing(staged: Any, puppet: Any) -> None:
    """A line is one record, however long it is; the rest of what is looked at comes with the next response."""
    v1 = V1Service(staged.emulator)
    created = v1.create()
    files = (created.job_id, created.version_id or 0)
    staged.eventually(lambda: v1.logs.list_training_job_log_files(*files).log_file_list)
    first = read(v1, created)
    assert (first.content, first.lines, first.start_line) == ("", 0, first.end_line)

    long_lines = ["first", "x" * 1_500_000, "last"]
    log = puppet.log_file(created.resource_id, "worker-0")
    log.write_text("".join(f"{line}\n" for line in (*LINES, *long_lines)))
    found = read(v1, created, base_line=first.end_line, order="desc", lines=100)
    assert records(found) == LINES
    assert read(v1, created, base_line=first.end_line, order="asc").lines == 0
    seen = []
    while records(found):
        found = read(v1, created, base_line=found.end_line, order="desc", lines=500)
        seen += records(found)
    assert seen == long_lines
    with log.open("a") as stream:
        stream.write("y" * 3_000_000)
    assert records(read(v1, created, lines=2)) == ["last"]
    assert [*v1.ma.v1_jobs.get(created.job_id).logs()] == [*LINES, *long_lines]
    v1.ma.close()


def test_what_is_not_of_this_log_is_rejected(v1: Any, logged: Any) -> None:
    log_file = v1.logs.list_training_job_log_files(logged.job_id, logged.version_id).log_file_list[0]
    for query, code, text in (
        ({"log_file": "job-other.0"}, "ModelArts.0105", "no log file job-other.0"),
        ({"base_line": "newest"}, "ModelArts.0104", "base_line.*'newest' is not a cursor"),
        ({"base_line": "1"}, "ModelArts.0104", "base_line.*'1' is not a cursor of this log"),
        ({"base_line": "9" * 400}, "ModelArts.0104", "base_line.*is not a cursor of this log"),
    ):
        with pytest.raises(ApiError, match=text) as rejection:
            v1.logs.show_training_job_log(logged.job_id, logged.version_id, **{"log_file": log_file} | query)
        assert rejection.value.error_code == code, query
