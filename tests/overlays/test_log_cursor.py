"""Logs read in pieces, by processes that know of each other only through a saved cursor."""

import asyncio
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_api.client import Client
from modelarts_api.v2 import Api, AsyncApi
from modelarts_toolkit import LogCursor
from modelarts_toolkit.flows import ASYNCIO, Clock, stream, stream_async
from modelarts_toolkit.log_cursor import Cursor
from modelarts_toolkit.logs import following

UNHURRIED = Clock(lambda: 0.0, lambda _: None)
JOB = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"


def client(log: bytes, preview_size: int = 100_000, tasks: tuple[str, ...] = ("worker-0",)) -> Client:
    """A client of a service with one ended job, whose previews hold the end of its log."""

    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/logs/url"):
            return httpx.Response(200, json={"obs_url": "https://obs.example.com/log"})
        if request.url.path.endswith("/logs/preview"):
            content = log[-preview_size:].decode("utf-8", "replace")
            return httpx.Response(200, json={"content": content, "full_size": len(log)})
        return httpx.Response(200, json={"metadata": {"id": JOB}, "status": {"phase": "Completed", "tasks": tasks}})

    return Client("https://x.example.com", httpx_args={"transport": httpx.MockTransport(respond)})


def reading(log: bytes, cursor: LogCursor, **options: Any) -> Iterator[str]:
    def fetch(_url: str, headers: Any) -> httpx.Response:
        first, last = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        return httpx.Response(206, content=log[first : last + 1])

    kept = {name: options.pop(name) for name in ("preview_size", "tasks") if name in options}
    with client(log, **kept) as connection:
        yield from stream(
            following(lambda: Api(connection, "p"), fetch, JOB, UNHURRIED, cursor=cursor, follow=False, **options)
        )


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


def test_each_task_has_its_own_position() -> None:
    cursor, options = LogCursor(), {"tasks": ("worker-0", "worker-1"), "all_tasks": True}

    assert list(islice(reading(b"a\nb\n", cursor, **options), 3)) == ["[worker-0] a", "[worker-0] b", "[worker-1] a"]
    assert list(reading(b"a\nb\n", cursor, **options)) == ["[worker-1] b"]


def test_the_asynchronous_client_takes_the_same_cursor() -> None:
    cursor = LogCursor()

    async def read(log: bytes) -> list[str]:
        async with client(log) as connection:
            flow = following(lambda: AsyncApi(connection, "p"), print, JOB, ASYNCIO, cursor=cursor, follow=False)
            return [line async for line in stream_async(flow)]

    assert asyncio.run(read(b"a\n")) == ["a"]
    assert asyncio.run(read(b"a\nb\n")) == ["b"]


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


def test_a_saved_cursor_is_small() -> None:
    """It has no lines, whatever was read."""
    cursor = LogCursor()
    list(reading(b"0123456789\n" * 10_000, cursor))

    assert len(cursor.to_json()) < 7_000
    assert json.loads(cursor.to_json())["job"] == JOB


def test_a_cursor_says_how_far_it_has_come() -> None:
    cursor = LogCursor()
    assert repr(cursor) == "LogCursor(unused)"

    cursor.bind("425b7087")
    cursor.of("worker-1").feed("a\nb\n", 4)

    assert repr(cursor) == "LogCursor(425b7087, worker-1: 4 bytes)"
