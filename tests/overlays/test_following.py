"""Following a log until its job has ended, in virtual time."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from modelarts_api.client import Client
from modelarts_api.v2 import Api, AsyncApi
from modelarts_toolkit.errors import ConnectionFailed, NotFound
from modelarts_toolkit.flows import stream, stream_async
from modelarts_toolkit.logs import following
from modelarts_toolkit.waiting import Progress

from .conftest import VirtualTime

JOB = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"
NOT_READY = httpx.Response(400, json={"error_code": "ModelArts.2818", "error_msg": "not generated"})

Answer = httpx.Response | type[Exception]
Round = tuple[Answer | str, Answer | str]
Follow = Callable[..., list[str]]


@pytest.fixture(params=["sync", "async"])
def follow(request: pytest.FixtureRequest, virtual_time: VirtualTime) -> Follow:
    """Follows a job whose phase and log are those of the next round at each look, those of the last for ever."""

    def over(rounds: list[Round], seen: list[str] | None = None, **options: Any) -> list[str]:
        looks = iter(range(10_000))
        now = 0

        def answer(question: httpx.Request) -> httpx.Response:
            nonlocal now
            is_log = question.url.path.endswith("/logs/preview")
            if seen is not None:
                seen.append(question.url.path)
            if not is_log:
                now = min(next(looks), len(rounds) - 1)
            step = rounds[now][is_log]
            if isinstance(step, httpx.Response):
                return httpx.Response(step.status_code, content=step.content)
            if not isinstance(step, str):
                raise step("faulty")
            preview = {"content": step, "current_size": len(step), "full_size": len(step)}
            status = {"metadata": {"id": JOB}, "status": {"phase": step, "tasks": ["worker-0", "worker-1"]}}
            return httpx.Response(200, json=preview if is_log else status)

        client = Client("https://x.example.com", httpx_args={"transport": httpx.MockTransport(answer)})
        if request.param == "sync":
            with client:
                return list(stream(following(lambda: Api(client, "p"), JOB, virtual_time.blocking, **options)))

        async def run() -> list[str]:
            async with client:
                lines = stream_async(following(lambda: AsyncApi(client, "p"), JOB, virtual_time.asyncio, **options))
                return [line async for line in lines]

        return asyncio.run(run())

    return over


def test_lines_come_once_until_the_job_has_ended(follow: Follow) -> None:
    lines = follow([("Running", "a\n"), ("Running", "a\nb"), ("Running", "a\nbc\n"), ("Completed", "a\nbc\nend")])

    assert lines == ["a", "bc", "end"]


@pytest.mark.parametrize("missing", [httpx.Response(204), NOT_READY])
def test_a_log_that_is_not_there_yet_is_waited_for(follow: Follow, missing: Answer) -> None:
    assert follow([("Pending", missing), ("Running", missing), ("Completed", "a\n")]) == ["a"]


@pytest.mark.parametrize("phase", ["Completed", "Failed", "Terminated", "Abnormal"])
def test_a_job_that_ends_without_a_log_has_no_lines(follow: Follow, phase: str) -> None:
    assert follow([("Creating", httpx.Response(204)), (phase, httpx.Response(204))]) == []


def test_lines_that_the_service_collects_after_the_end_are_not_lost(follow: Follow) -> None:
    assert follow([("Running", "a\n"), ("Completed", "a\n"), ("Completed", "a\nlate\n")]) == ["a", "late"]


@pytest.mark.parametrize("fault", [ConnectionFailed, httpx.Response(503), httpx.Response(429), httpx.Response(502)])
def test_an_outage_neither_loses_nor_repeats_a_line(follow: Follow, fault: Answer) -> None:
    rounds: list[Round] = [
        ("Running", "a\n"),
        (fault, fault),
        ("Running", fault),
        (fault, "x"),
        ("Completed", "a\nb\n"),
    ]

    assert follow(rounds) == ["a", "b"]


def test_an_outage_at_the_very_end_does_not_cut_the_log(follow: Follow) -> None:
    assert follow([("Running", "a\n"), ("Completed", httpx.Response(503)), ("Completed", "a\nb\n")]) == ["a", "b"]


def test_a_job_that_is_deleted_meanwhile_is_not_found(follow: Follow) -> None:
    gone = httpx.Response(400, json={"error_code": "ModelArts.2775", "error_msg": "training job not found."})

    with pytest.raises(NotFound):
        follow([("Running", "a\n"), (gone, gone)])


def test_the_first_task_is_followed_unless_another_is_named(follow: Follow) -> None:
    first: list[str] = []
    second: list[str] = []

    follow([("Completed", "a\n")], first)
    follow([("Completed", "a\n")], second, task="worker-1")

    assert {path.split("/")[-3] for path in first if path.endswith("preview")} == {"worker-0"}
    assert {path.split("/")[-3] for path in second if path.endswith("preview")} == {"worker-1"}


def test_the_name_that_content_had_until_2022_is_read_as_well(follow: Follow) -> None:
    assert follow([("Completed", httpx.Response(200, json={"context": "old\n"}))]) == ["old"]


@pytest.mark.parametrize("preview", [{}, {"content": None}, {"content": 5}])
def test_a_preview_without_text_is_no_log_yet(follow: Follow, preview: dict[str, Any]) -> None:
    assert follow([("Running", httpx.Response(200, json=preview)), ("Completed", "a\n")]) == ["a"]


def test_whoever_follows_hears_of_the_phases_too(follow: Follow) -> None:
    heard: list[Progress] = []

    follow([("Creating", httpx.Response(204)), ("Running", "a\n"), ("Completed", "a\n")], on_progress=heard.append)

    assert [progress.phase for progress in heard][:3] == ["Creating", "Running", "Completed"]


def test_a_silent_job_is_asked_less_and_less_often(follow: Follow, virtual_time: VirtualTime) -> None:
    follow([*[("Running", "a\n")] * 30, ("Completed", "a\n")])

    assert min(virtual_time.sleeps) == 0.5
    assert max(virtual_time.sleeps) == 5.0
