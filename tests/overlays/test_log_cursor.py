"""Logs read in pieces, by processes that know of each other only through a saved cursor."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.conftest import PROJECT

from modelarts_toolkit import Jobs, LogCursor, ModelArts
from modelarts_toolkit.jobs.log_cursor import Cursor
from modelarts_toolkit.jobs.polling import Clock
from modelarts_toolkit.settings.config import Settings

UNHURRIED = Clock(lambda: 0.0, lambda _: None)
SETTINGS: Settings = {"endpoint": "https://x.example.com", "token": "the-token", "project_id": PROJECT}
JOB = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"


def service(log: bytes, preview_size: int = 100_000, tasks: tuple[str, ...] = ("worker-0",)) -> httpx.MockTransport:
    """A service with one ended job, whose previews hold the end of its log."""

    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.host == "obs.example.com":
            first, last = map(int, request.headers["Range"].removeprefix("bytes=").split("-"))
            return httpx.Response(206, content=log[first : last + 1])
        if request.url.path.endswith("/logs/url"):
            return httpx.Response(200, json={"obs_url": "https://obs.example.com/log"})
        if request.url.path.endswith("/logs/preview"):
            content = log[-preview_size:].decode("utf-8", "replace")
            return httpx.Response(200, json={"content": content, "full_size": len(log)})
        return httpx.Response(200, json={"metadata": {"id": JOB}, "status": {"phase": "Completed", "tasks": tasks}})

    return httpx.MockTransport(respond)


def reading(log: bytes, cursor: LogCursor, **options: Any) -> Iterator[str]:
    kept = {name: options.pop(name) for name in ("preview_size", "tasks") if name in options}
    with ModelArts(transport=service(log, **kept), **SETTINGS) as ma:
        yield from Jobs(ma, clock=UNHURRIED).get(JOB).logs(cursor=cursor, **options)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 4), max_size=8), st.sampled_from([100_000, 40]))
def test_lines_come_once_however_often_reading_is_interrupted(counts: list[int], preview_size: int) -> None:
    """A process takes some lines, saves the cursor and ends; the last one reads the rest, also from the log's file."""
    log = "".join(f"épreuve {number}\n" for number in range(12)).encode() + b"no line end"
    text, lines = LogCursor().to_json(), []
    for count in [*counts, 100]:
        cursor = LogCursor.from_json(text)
        lines += list(islice(reading(log, cursor, preview_size=preview_size), count))
        text = cursor.to_json()

    assert lines == log.decode().splitlines()


def test_a_cursor_that_is_used_again_continues_after_the_line_that_was_taken_last() -> None:
    cursor = LogCursor()
    first = reading(b"a\nb\nc\n", cursor)

    assert [next(first), next(first)] == ["a", "b"]
    assert list(reading(b"a\nb\nc\nd\n", cursor)) == ["c", "d"]


def test_a_saved_cursor_keeps_the_half_line() -> None:
    """The rest of a line comes to another process, which has only the text of the cursor."""
    cursor = Cursor()
    assert list(cursor.deliver(cursor.feed("one\ntw"))) == ["one"]

    continued = Cursor.from_dict(json.loads(json.dumps(cursor.delivered)))

    assert continued.feed("one\ntwo\nthree\n") == ["two", "three"]


def test_a_cursor_belongs_to_one_job() -> None:
    cursor = LogCursor()
    cursor.bind("another")

    with pytest.raises(ValueError, match="for the logs of job another, not of job"):
        next(reading(b"a\n", cursor))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"job": null, "tasks": []}', '{"job": null, "tasks": {"worker-0": {"offset": 1}}}']
)
def test_another_text_is_not_a_cursor(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a cursor: use the text that LogCursor.to_json\(\) returned"):
        LogCursor.from_json(text)
