"""Waiting for a job's end, in virtual time."""

import asyncio
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, cast

import httpx
import pytest
from tests.local_servers import LocalHandler, serving
from tests.overlays.conftest import CLIENTS, JOB, Call, Service, Twin, VirtualTime, with_jobs

from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit import ApiError
from modelarts_toolkit.errors import ConnectionFailed, JobFailed, JobStopped, ServiceFailure, WaitTimeout
from modelarts_toolkit.http.deadlines import call_within, call_within_async
from modelarts_toolkit.jobs.polling import BLOCKING, Pace, Progress, TimeLimit
from modelarts_toolkit.settings.config import Settings

Outcome = httpx.Response | type[Exception]
Wait = Callable[..., Any]


def job(phase: str, **status: Any) -> httpx.Response:
    document = {"metadata": {"id": JOB, "name": "digits"}, "status": {"phase": phase, "tasks": ["worker-0"], **status}}
    return httpx.Response(200, json=document)


def staged(*names: str) -> list[httpx.Response]:
    """Stages of a job, one after the other."""
    records = [{"stages": [{"name": name, "stage_order": 1}], "record_order": 1} for name in names]
    return [httpx.Response(200, json={"running_records": [record]}) for record in records]


NO_STAGES = httpx.Response(404, json={"error_code": "APIG.0101"})


@pytest.fixture(params=CLIENTS)
def wait(request: pytest.FixtureRequest, virtual_time: VirtualTime) -> Wait:
    """Waits for a job of which each poll returns the next of `phases`, the last one for ever; likewise stages."""

    def over(
        phases: list[Outcome],
        log: Outcome | None = None,
        stages: Sequence[httpx.Response] = (NO_STAGES,),
        **options: Any,
    ) -> Any:
        stages = list(stages)

        def response(question: httpx.Request) -> httpx.Response:
            if question.url.path.endswith("/stages"):
                given = stages.pop(0) if len(stages) > 1 else stages[0]
                return httpx.Response(given.status_code, content=given.content)
            is_log = question.url.path.endswith("/logs/preview")
            step = (log or httpx.Response(204)) if is_log else phases.pop(0) if len(phases) > 1 else phases[0]
            if isinstance(step, httpx.Response):
                return httpx.Response(step.status_code, content=step.content)
            raise step("faulty")

        return with_jobs(request.param, response, virtual_time, lambda jobs: jobs._handle(key=JOB).wait(**options))

    return over


def test_the_completed_job_is_returned_and_every_response_is_reported(wait: Wait, virtual_time: VirtualTime) -> None:
    virtual_time.seconds = 1000
    heard: list[Progress] = []

    done = wait([job("Creating"), job("Pending"), job("Running"), job("Completed")], on_progress=heard.append)

    assert done.phase == "Completed"
    assert all(progress.job is done for progress in heard)
    assert [progress.phase for progress in heard] == ["Creating", "Pending", "Running", "Completed"]
    assert heard[0].elapsed == 0
    assert [progress.elapsed for progress in heard] == sorted(progress.elapsed for progress in heard)
    assert heard[-1].elapsed == virtual_time.seconds - 1000


@pytest.mark.parametrize(
    ("stages", "heard_of"),
    [
        (staged("scheduling")[0], {"scheduling"}),
        (NO_STAGES, {None}),
        (httpx.Response(500), {None}),
    ],
)
def test_who_hears_of_a_job_that_does_not_start_hears_of_its_stage(
    wait: Wait, stages: httpx.Response, heard_of: set[str | None]
) -> None:
    """After two seconds, until it runs; a service without stages, or whose stages fail, changes nothing."""
    heard: list[Progress] = []

    wait([*[job("Pending")] * 30, *[job("Running")] * 9, job("Completed")], stages=[stages], on_progress=heard.append)

    found = [(progress.phase, progress.stage and progress.stage.name) for progress in heard if progress.elapsed >= 2]
    assert {name for phase, name in found if phase == "Pending"} == heard_of
    assert {name for phase, name in found if phase != "Pending"} == {None}
    assert not any(progress.stage for progress in heard if progress.elapsed < 2)


@pytest.mark.parametrize(
    ("until", "phases", "reached"),
    [
        ("Running", ["Creating", "Pending", "Running", "Completed"], "Running"),
        ("Pending", ["Creating", "Running", "Completed"], "Running"),
        ("Running", ["Pending", "Completed"], "Completed"),
        ("Failed", ["Running", "Failed"], "Failed"),
        ("preparing", ["Pending", "Running", "Completed"], "Running"),
    ],
)
def test_a_wait_ends_in_the_phase_or_after_it(wait: Wait, until: str, phases: list[str], reached: str) -> None:
    """Without stages, a job has passed all of them when it runs."""
    assert wait([job(phase) for phase in phases], until=until).phase == reached


@pytest.mark.parametrize("seen", [("scheduling", "preparing"), ("scheduling", "running")])
def test_a_wait_ends_in_a_stage_or_after_it_before_the_job_runs(wait: Wait, seen: tuple[str, ...]) -> None:
    phases = [*[job("Pending")] * 3, job("Running")]

    assert wait(phases, stages=staged(*seen), until="preparing").phase == "Pending"


def test_a_job_that_fails_before_raises_as_any_wait_does(wait: Wait) -> None:
    with pytest.raises(JobFailed):
        wait([job("Pending"), job("Failed")], until="Running")
    with pytest.raises(WaitTimeout, match="has completed: it will not be Failed"):
        wait([job("Running"), job("Completed")], until="Failed")
    with pytest.raises(WaitTimeout, match="timed out after 5 s"):
        wait([job("Pending")], until="Running", timeout=5)


def test_another_word_is_rejected_before_the_wait(wait: Wait) -> None:
    with pytest.raises(ValueError, match=r"no phase or stage 'Runing': use Creating, .*, preparing"):
        wait([job("Pending")], until="Runing")


@pytest.mark.parametrize("document", [{}, {"metadata": None}, {"metadata": {"id": None}}, {"metadata": "odd"}])
def test_a_model_without_an_id_is_rejected(document: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no id"):
        with_jobs("sync", Log({}), VirtualTime(), lambda jobs: jobs.get(TrainingJob.from_dict(document)))


@pytest.mark.parametrize("thing", [None, 5, {"metadata": {"id": JOB}}])
def test_something_other_than_a_job_is_rejected_by_its_type(thing: Any) -> None:
    with pytest.raises(TypeError, match=rf"TrainingJob or as its id, not as {type(thing).__name__}"):
        with_jobs("sync", Log({}), VirtualTime(), lambda jobs: jobs.get(thing))


def test_pauses_grow_and_shrink_when_the_phase_changes(wait: Wait, virtual_time: VirtualTime) -> None:
    wait([*[job("Pending")] * 30, *[job("Running")] * 2, job("Completed")], poll=(1.0, 10.0))

    assert virtual_time.sleeps[0] == 1.0
    assert max(virtual_time.sleeps) == 10.0
    assert virtual_time.sleeps[-2:] == pytest.approx([1.0, 1.15])


def test_a_failure_reports_exit_codes_messages_and_the_end_of_the_log(wait: Wait) -> None:
    log = httpx.Response(200, json={"content": "".join(f"line {number}\n" for number in range(100))})
    statuses = [{"task": "worker-0", "exit_code": 0}, {"task": "worker-1", "exit_code": 137, "message": "killed"}]

    with pytest.raises(JobFailed) as caught:
        wait([job("Failed", task_statuses=statuses)], log=log)

    error = caught.value
    assert error.exit_codes == {"worker-0": 0, "worker-1": 137}
    assert error.log_lines == tuple(f"line {number}" for number in range(80, 100))
    assert error.job.details.to_dict()["status"]["phase"] == "Failed"
    first, verdict, log_line, *_ = str(error).splitlines()
    assert first == f'job "digits" ({JOB}) failed: worker-1 was killed (exit code 137, SIGKILL)'
    assert (verdict, log_line) == (str(error.verdict), "  | line 80")


@pytest.mark.parametrize(
    "log", [httpx.Response(204), httpx.Response(400, json={"error_code": "ModelArts.2819"}), ConnectionFailed]
)
def test_a_log_that_cannot_be_read_does_not_hide_the_failure(wait: Wait, log: Outcome) -> None:
    with pytest.raises(JobFailed) as caught:
        wait([job("Failed")], log=log)

    assert caught.value.log_lines == ()
    assert str(caught.value) == f'job "digits" ({JOB}) failed'


@pytest.mark.parametrize(
    ("response", "error"), [(httpx.Response(503), ServiceFailure), (ConnectionFailed, ConnectionFailed)]
)
def test_a_timeout_without_a_single_response_says_why_there_was_none(
    wait: Wait, virtual_time: VirtualTime, response: Outcome, error: type[Exception]
) -> None:
    with pytest.raises(error):
        wait([response], timeout=5.0, poll=(1.0, 2.0))

    assert 4.5 <= virtual_time.seconds <= 5


def test_a_terminated_job_was_stopped_for_the_reason_that_its_tasks_give(wait: Wait) -> None:
    statuses = [{"task": "worker-0", "exit_code": 143, "message": "by the user"}]
    with pytest.raises(
        JobStopped, match=r"stopped: worker-0 was killed \(exit code 143, SIGTERM\): by the user"
    ) as caught:
        wait([job("Terminating"), job("Terminated", task_statuses=statuses)])

    assert caught.value.job.details.to_dict()["status"]["phase"] == "Terminated"


def test_a_timeout_is_kept_and_carries_the_job(wait: Wait, virtual_time: VirtualTime) -> None:
    with pytest.raises(WaitTimeout, match=r"timed out after 7 s: .* is still Running \(it was not stopped\)") as caught:
        wait([job("Running")], timeout=7)

    assert 6.5 <= virtual_time.seconds <= 7
    assert caught.value.job.details.to_dict()["status"]["phase"] == "Running"


def test_a_timeout_of_zero_asks_once(wait: Wait, virtual_time: VirtualTime) -> None:
    """A job that has ended is never a timeout."""
    assert wait([job("Completed")], timeout=0)
    with pytest.raises(WaitTimeout, match="timed out after 0 s"):
        wait([job("Running"), job("Completed")], timeout=0)


def test_an_outage_of_minutes_is_lived_through(wait: Wait) -> None:
    outage = [httpx.Response(503), ConnectionFailed, httpx.Response(429), httpx.Response(500)]

    assert wait([job("Running"), *outage, job("Completed")])


def test_an_outage_without_end_ends_the_wait(wait: Wait, virtual_time: VirtualTime) -> None:
    with pytest.raises(ServiceFailure):
        wait([job("Running"), httpx.Response(503)])

    assert 300 < virtual_time.seconds < 320


def test_an_outage_is_reported_to_whoever_waits(wait: Wait, caplog: pytest.LogCaptureFixture) -> None:
    """Each failed poll is reported with its error and the last known phase, and logged."""
    heard: list[Progress] = []

    wait([httpx.Response(503), job("Running"), ConnectionFailed, job("Completed")], on_progress=heard.append)

    assert [(progress.phase, type(progress.error)) for progress in heard] == [
        (None, ServiceFailure),
        ("Running", type(None)),
        ("Running", ConnectionFailed),
        ("Completed", type(None)),
    ]
    assert heard[0].job is None
    assert heard[2].job == heard[1].job
    warnings = [record.getMessage() for record in caplog.records if record.name == "modelarts_toolkit"]
    assert len(warnings) == 4
    assert all(f"waiting for job {JOB}: " in warning for warning in warnings)


class Log:
    """Responds with the job, and with a log that names the task that was asked for."""

    def __init__(self, status: dict[str, Any]) -> None:
        self.status = status
        self.previews = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/logs/preview"):
            return httpx.Response(200, json={"content": f"log of {request.url.path.split('/')[-3]}\n"})
        return job("Failed", **self.status)


def killed_with(task: str) -> dict[str, Any]:
    return {"message": f"stopped because {task} ended with exit code 7"}


@pytest.mark.parametrize(
    "status",
    [
        {
            "task_statuses": [{"task": "worker-0", "exit_code": 143}, {"task": "worker-1", "exit_code": 7}],
            "running_records": [{"end_related_task": "worker-0"}, {"end_related_task": "worker-1"}],
        },
        {
            "task_statuses": [
                {"task": "worker-0", "exit_code": 143, **killed_with("worker-1")},
                {"task": "worker-1", "exit_code": 7},
                {"task": "worker-2", "exit_code": 143, **killed_with("worker-1")},
            ]
        },
        {"task_statuses": [{"task": "worker-0", "exit_code": 0}, {"task": "worker-1", "exit_code": 7}]},
        {"task_statuses": [{"task": f"worker-{node}", "exit_code": code} for node, code in enumerate((143, 7, 137))]},
    ],
    ids=["the last record names it", "others were stopped because of it", "the only bad exit code", "signals"],
)
def test_the_log_is_that_of_the_task_that_failed_first(status: dict[str, Any]) -> None:
    """Of several nodes, not one that was stopped with it; its exit code comes first."""
    with pytest.raises(JobFailed) as caught:
        with_jobs("sync", Log(status), VirtualTime(), lambda jobs: jobs._handle(key=JOB).wait())

    assert caught.value.log_lines == ("log of worker-1",)
    assert "failed: worker-1 ended with exit code 7" in str(caught.value)


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_of_tasks_that_failed_alike_the_events_name_the_first(kind: str) -> None:
    """Where no record names it; the log and the remedy are those of this task. What was before the last run is past."""
    log = Log(
        {"tasks": ["worker-0", "worker-1"], "task_statuses": [{"task": f"worker-{n}", "exit_code": 1} for n in (0, 1)]}
    )

    def service(request: httpx.Request) -> httpx.Response:
        texts = ["The job was preempted.", "[worker-0] training started."]
        texts += [f"[worker-{node}] Training finished. Exit code 1." for node in (1, 0)]
        if request.url.path.endswith("/events"):
            events = [{"level": "Warning", "message": text} for text in texts]
            return httpx.Response(200, json={"total": 4, "events": events, "offset": 0, "limit": 50})
        log.previews += request.url.path.endswith("/worker-1/logs/preview")
        return log(request)

    verdict = with_jobs(kind, service, VirtualTime(), lambda jobs: jobs._handle(key=JOB).explain())

    assert (verdict.task, verdict.text, log.previews) == ("worker-1", "worker-1 ended with exit code 1.", 1)
    assert "modelarts job logs digits --task worker-1" in verdict.remedy


@pytest.mark.parametrize(
    ("code", "message", "text"),
    [
        (137, "ended by signal SIGKILL", "worker-0 was killed (exit code 137, SIGKILL)"),
        (137, "", "worker-0 was killed (exit code 137, SIGKILL)"),
        (137, "the node was lost", "worker-0 was killed (exit code 137, SIGKILL): the node was lost"),
        (139, "ended by signal SIGSEGV", "worker-0 was killed (exit code 139, SIGSEGV)"),
        (1, "exit with 1", "worker-0 ended with exit code 1"),
        (1, "No space left", "worker-0 ended with exit code 1: No space left"),
        (247, "", "worker-0 ended with exit code 247"),
        (None, "the image does not exist", "worker-0: the image does not exist"),
    ],
)
def test_each_fact_about_a_failed_task_is_said_once(wait: Wait, code: int | None, message: str, text: str) -> None:
    """A signal has its name; a message that only repeats the exit code is left out."""
    statuses = [{"task": "worker-0", "exit_code": code, "message": message}]

    with pytest.raises(JobFailed) as caught:
        wait([job("Failed", task_statuses=statuses)])

    assert str(caught.value).splitlines()[0] == f'job "digits" ({JOB}) failed: {text}'


def test_every_failed_poll_is_one_request_and_reported(do: Call, service: Service) -> None:
    """The retries of single calls do not hide failures from whoever waits."""
    outcomes = [httpx.Response(503, json={}), httpx.Response(503, json={}), job("Completed")]
    service.responses = lambda _: outcomes.pop(0)
    failures: list[Any] = []

    def note(progress: Progress) -> None:
        if progress.error is not None:
            failures.append(progress.error)

    do(lambda ma: ma.jobs._handle(key=JOB).wait(poll=(0.001, 0.001), on_progress=note))

    assert [error.status for error in failures] == [503, 503]


@pytest.mark.parametrize("limit_s", [5.0, math.inf])
@pytest.mark.parametrize("outcome", [7, TimeoutError("own"), KeyError("x")])
def test_a_call_within_its_limit_returns_or_raises_what_it_does(limit_s: float, outcome: Any) -> None:
    """Also a TimeoutError of its own is not taken for the limit."""

    def give() -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def give_later() -> Any:
        await asyncio.sleep(0)
        return give()

    def found(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception as error:
            return error

    assert found(lambda: call_within(limit_s, give)) == outcome
    assert found(lambda: asyncio.run(call_within_async(limit_s, give_later))) == outcome


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: TimeLimit(BLOCKING, "3"), TypeError, r"^timeout must be a number of seconds or None, not str$"),  # type: ignore[arg-type]
        *(
            (partial(Pace, bounds), TypeError, r"poll must be \(shortest, longest\)")
            for bounds in cast(Any, (5, (1.0,), "ab1"))
        ),
        *((partial(Pace, bounds), ValueError, "poll must be") for bounds in ((0.0, 1.0), (2.0, 1.0), (-1.0, 1.0))),
    ],
)
def test_limits_and_pauses_that_make_no_sense_are_rejected(
    make: Callable[[], object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        make()


TIMEOUT_S = 0.5
LATEST_S = 20.0  # on a busy machine; a call without the limit would take 30 s and more
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n"
TOKEN = b"HTTP/1.1 201 Created\r\nX-Subject-Token: t\r\nContent-Length: 2\r\n\r\n{}"
BEHAVIOURS = {
    "silent": [b""] * 10_000,
    "slow body": [HEAD, *[b" "] * 10_000],
    "byte by byte": [*(bytes([byte]) for byte in HEAD), *[b" "] * 10_000],
    "500": [b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}"],
    "429": [b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\nRetry-After: 30\r\n\r\n{}"],
}


class Slow(LocalHandler):
    """Sends the pieces for a login (POST) or for a job (GET) with pauses of 50 ms, at most until the test is over."""

    pieces: ClassVar[dict[str, list[bytes]]]
    is_over: ClassVar[threading.Event]

    def do_GET(self) -> None:
        self.content()
        with suppress(OSError):  # the client has gone
            for piece in self.pieces[self.command]:
                self.wfile.write(piece)
                if self.is_over.wait(0.05):
                    return

    do_POST = do_GET


@pytest.mark.parametrize(
    ("call", "behaviour"), [*(("job", each) for each in BEHAVIOURS), ("login", "silent"), ("login", "slow body")]
)
def test_a_wait_ends_in_time_although_the_service_never_responds(
    twin: Twin, settings: Settings, call: str, behaviour: str
) -> None:
    """The login is part of the time given; without a single response, the error is the reason."""
    pieces = {"POST": [TOKEN], "GET": [], "POST" if call == "login" else "GET": BEHAVIOURS[behaviour]}
    handler: Any = type("Handler", (Slow,), {"pieces": pieces, "is_over": threading.Event()})
    with serving(handler) as url:
        settings |= {"endpoint": url, "iam_endpoint": url}
        began = time.monotonic()
        with pytest.raises((ConnectionFailed, ApiError)):
            twin.do(lambda ma: ma.jobs._handle(key="job-1").wait(timeout=TIMEOUT_S, poll=(0.1, 0.1)), **settings)
        took_s = time.monotonic() - began
        handler.is_over.set()

    assert took_s < LATEST_S
