"""Following a log until its job has ended, in virtual time."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import CLIENTS, JOB, VirtualTime, with_jobs

from modelarts_toolkit.errors import ConnectionFailed, NotFound
from modelarts_toolkit.jobs.polling import Progress

NOT_READY = httpx.Response(400, json={"error_code": "ModelArts.2818", "error_msg": "not generated"})

Outcome = httpx.Response | type[Exception]
Round = tuple[Outcome | str, Outcome | str]
Follow = Callable[..., list[str]]


class File:
    """The log's file in object storage; before `from_round` it has no link."""

    def __init__(self) -> None:
        self.content = b""
        self.sizes: list[int] = []  # in each round; without them it is complete
        self.size: int | None = None
        self.from_round = 0
        self.failure: int | None = None  # the status of every response that should be a link
        self.ignores_range = False
        self.parts = 0

    def link(self, now: int) -> httpx.Response:
        if now < self.from_round:
            return httpx.Response(400, json={"error_code": "ModelArts.2818", "error_msg": "not generated"})
        self.size = self.sizes[now] if self.sizes else None
        if self.failure is not None:
            return httpx.Response(self.failure, json={"error_code": "X", "error_msg": "no link"})
        return httpx.Response(200, json={"obs_url": "https://obs.example.com/log?s=1"})

    def fetch(self, request: httpx.Request) -> httpx.Response:
        assert request.url == "https://obs.example.com/log?s=1"
        assert not {"Authorization", "X-Auth-Token"} & set(request.headers)
        self.parts += 1
        if self.ignores_range:
            return httpx.Response(200, content=self.content[: self.size])
        first, last = map(int, request.headers["Range"].removeprefix("bytes=").split("-"))
        part = self.content[: self.size][first : last + 1]
        return httpx.Response(206, content=part) if part else httpx.Response(416)


@pytest.fixture
def file() -> File:
    return File()


@pytest.fixture(params=CLIENTS)
def follow(request: pytest.FixtureRequest, virtual_time: VirtualTime, file: File) -> Follow:
    """Follows a job; each request gets the phase or the log of the next round, those of the last for ever."""

    def over(rounds: list[Round], seen: list[str] | None = None, **options: Any) -> list[str]:
        looks = iter(range(10_000))
        now = 0

        def response(question: httpx.Request) -> httpx.Response:
            nonlocal now
            if question.url.host == "obs.example.com":
                return file.fetch(question)
            if question.url.path.endswith("/logs/url"):
                return file.link(now)
            is_log = question.url.path.endswith("/logs/preview")
            if seen is not None:
                seen.append(question.url.path)
            now = min(next(looks), len(rounds) - 1)
            step = rounds[now][is_log]
            if isinstance(step, httpx.Response):
                return httpx.Response(step.status_code, content=step.content)
            if not isinstance(step, str):
                raise step("faulty")
            preview = {"content": step, "current_size": len(step), "full_size": len(step)}
            status = {"metadata": {"id": JOB}, "status": {"phase": step, "tasks": ["worker-0", "worker-1"]}}
            return httpx.Response(200, json=preview if is_log else status)

        def read(jobs: Any) -> Any:
            job = jobs._handle(key=JOB)
            if "late_lines" not in options:
                return job.logs(**{"follow": True, **options})
            return job.log_batches(job.log_source(), **{"follow": True, **options})

        found = with_jobs(request.param, response, virtual_time, read)
        return [line for lines in found for line in lines] if "late_lines" in options else found

    return over


@pytest.mark.parametrize("missing", [httpx.Response(204), NOT_READY])
def test_a_log_that_is_not_there_yet_is_waited_for(follow: Follow, missing: Outcome) -> None:
    assert follow([("Pending", missing)] * 4 + [("Running", missing)] * 4 + [("Completed", "a\n")]) == ["a"]


def test_lines_that_come_in_several_portions_after_the_end_are_not_lost(follow: Follow) -> None:
    """The following ends with the first look that finds nothing new."""
    rounds = [("Completed", "".join(f"{line}\n" for line in "abcd"[:count])) for count in range(5)]

    assert follow(rounds) == ["a", "b", "c", "d"]


def windows(log: bytes, sizes: list[int], window: int) -> list[Round]:
    """Rounds of a running job whose log has these sizes, with previews of its newest `window` bytes, and its end."""
    previews = [
        httpx.Response(
            200, json={"content": log[max(0, size - window) : size].decode("utf-8", "ignore"), "full_size": size}
        )
        for size in [*sizes, len(log)]
    ]
    return [("Creating", ""), *(("Running", preview) for preview in previews), ("Completed", previews[-1])]


LOG = "".join(f"épreuve {number}\n" for number in range(200_000)).encode()  # 3 MB


@pytest.mark.parametrize("ignores_range", [False, True])
@pytest.mark.parametrize("sizes", [[], [20, 1_000_015], [20_001, 1_000_015], [2_000_004, 2_000_018]])
def test_lines_that_the_previews_missed_come_from_the_file(
    follow: Follow, file: File, sizes: list[int], ignores_range: bool
) -> None:
    """Every line comes once and in order, in parts of the file, also if the store sends the whole file each time."""
    file.content, file.ignores_range = LOG, ignores_range

    lines = follow(windows(LOG, sizes, 60_000))

    assert lines == LOG.decode().splitlines()
    assert file.parts >= 2


def test_a_file_that_is_another_log_is_read_once_and_not_waited_for(
    follow: Follow, file: File, virtual_time: VirtualTime
) -> None:
    file.content = LOG.replace(b"preuve", b"PREUVE")

    lines = follow(windows(LOG, [20_001], 60_000))

    assert [line.startswith("[modelarts-toolkit]") for line in lines].count(True) == 1
    assert lines[-2_000:] == LOG.decode().splitlines()[-2_000:]
    assert (file.parts, virtual_time.seconds < 60) == (1, True)


def test_a_file_that_ends_before_the_last_preview_is_continued_by_it(follow: Follow, file: File) -> None:
    """Also if the job has ended and no line is expected any more."""
    file.content = LOG[: LOG.index(b"\n", len(LOG) - 30_000) + 1]
    rounds: list[Round] = [("Completed", windows(LOG, [], 60_000)[-1][1])]

    assert follow(rounds, late_lines=False) == LOG.decode().splitlines()


def test_lines_after_a_gap_wait_for_the_file_until_after_the_end(follow: Follow, file: File) -> None:
    """A link that the service gives only when the job has ended is early enough."""
    file.content = LOG
    rounds = windows(LOG, [14, 2_000_000], 60_000)
    file.from_round = len(rounds) - 1

    assert follow(rounds) == LOG.decode().splitlines()


@pytest.mark.parametrize("status", [404, 503])
def test_without_a_file_a_line_says_how_much_is_missing(
    follow: Follow, file: File, status: int, virtual_time: VirtualTime
) -> None:
    """A service without links is not waited for, one that fails for a minute after the job's end."""
    file.failure = status

    lines = follow(windows(LOG, [], 60_000))

    missing = LOG.index(b"\n", len(LOG) - 60_000) + 1
    assert lines[0] == f"[modelarts-toolkit] {missing} bytes of the log are not shown: a preview holds 5 MB"
    assert lines[1:] == LOG.decode().splitlines()[-len(lines) + 1 :]
    assert (virtual_time.seconds > 60) == (status == 503)


@pytest.mark.parametrize(("behind", "previews"), [(0, range(8)), (50_000, range(25, 60))])
def test_a_long_log_is_followed_by_its_file(follow: Follow, file: File, behind: int, previews: range) -> None:
    """A file that is behind the previews saves none, and no line is lost."""
    sizes = [290_000 + 1_000 * step for step in range(60)]
    file.content, file.sizes = LOG[: LOG.index(b"\n", sizes[-1]) + 1], [0, *(size - behind for size in sizes)]
    rounds, paths = windows(file.content, sizes, 300_000), list[str]()
    file.sizes += [len(file.content)] * 2

    assert follow(rounds, paths) == file.content.decode().splitlines()
    assert sum(path.endswith("/logs/preview") for path in paths) in previews


@pytest.mark.parametrize("length", [1_036_000, 1_500_000])
def test_a_long_log_that_another_one_replaces_is_shown_from_its_begin(follow: Follow, file: File, length: int) -> None:
    """It is not a continuation, even if it is as long; a file that is the old one is not mixed in."""
    other = LOG.replace(b"preuve", b"PREUVE")[: LOG.index(b"\n", length) + 1]
    file.content = LOG[:1_036_000]
    before = windows(file.content, [LOG.index(b"v", 290_000 + 1_000 * step) for step in range(12)], 300_000)[:-2]

    lines = follow([*before, *windows(other, [], 300_000)[1:]])

    end = other.decode().splitlines()[-10_000:]
    assert lines[-len(end) :] == end
    assert sum(line.startswith("[modelarts-toolkit]") for line in lines) <= 1
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("begin", ["two\n", "two\none\nt"])
def test_a_log_that_begins_anew_is_shown_from_its_begin(follow: Follow, begin: str) -> None:
    """Its first line is not lost, and the line that the old one left unfinished stands for itself."""
    new = "two\none\nthree\n"
    rounds: list[Round] = [*[("Running", "one\nhal")] * 2, *[("Running", begin)] * 2, ("Completed", new)]

    assert [line for line in follow(rounds) if "does not continue" not in line] == ["one", "hal", "two", "one", "three"]


@pytest.mark.parametrize("fault", [ConnectionFailed, httpx.Response(503)])
def test_an_outage_neither_loses_nor_repeats_a_line(follow: Follow, fault: Outcome) -> None:
    """Also one at the very end."""
    faulty, running = (fault, fault), ("Running", "a\n")
    rounds: list[Round] = [faulty, running, running, faulty, faulty, faulty, running, faulty, faulty]

    assert follow([*rounds, ("Completed", fault), ("Completed", fault), ("Completed", "a\nb\n")]) == ["a", "b"]


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
def test_a_preview_without_text_is_not_yet_a_log(follow: Follow, preview: dict[str, Any]) -> None:
    assert follow([("Running", httpx.Response(200, json=preview)), ("Completed", "a\n")]) == ["a"]


@pytest.mark.parametrize(("options", "after_end"), [({}, ["j0", "0"]), ({"late_lines": False}, ["j0"])])
def test_each_round_asks_for_the_job_and_its_log(
    follow: Follow, virtual_time: VirtualTime, options: dict[str, Any], after_end: list[str]
) -> None:
    """After the end the log is read twice, without late lines once; `on_progress` hears of each phase."""
    paths: list[str] = []
    heard: list[Progress] = []

    follow([*[("Running", "a\n")] * 6, ("Completed", "a\n")], paths, on_progress=heard.append, **options)

    requests = "".join("0" if path.endswith("preview") else "j" for path in paths)
    assert requests == "".join(["j0", "j0", "j0", *after_end])
    assert [progress.phase for progress in heard] == ["Running"] * 3 + ["Completed"]


def test_the_lines_of_a_job_that_starts_anew_are_not_lost(follow: Follow) -> None:
    """It waits in the queue again, and its log continues where the first attempt ended."""
    first, second = "one\ntw", "one\ntw\nkilled\nthree\n"
    rounds: list[Round] = [*[("Running", first)] * 3, *[("Pending", first)] * 5, *[("Running", second)] * 2]

    assert follow([*rounds, ("Failed", f"{second}end")]) == ["one", "tw", "killed", "three", "end"]


def test_a_job_that_is_deleted_meanwhile_is_not_found(follow: Follow) -> None:
    gone = httpx.Response(400, json={"error_code": "ModelArts.2775", "error_msg": "training job not found."})

    with pytest.raises(NotFound):
        follow([("Running", "a\n"), ("Running", "a\n"), (gone, gone)])


@pytest.mark.parametrize("phase", ["Completed", "Failed"])
def test_a_job_that_ends_without_a_log_has_no_lines(follow: Follow, phase: str) -> None:
    assert follow([("Creating", httpx.Response(204)), (phase, httpx.Response(204))]) == []


def test_a_caller_that_takes_minutes_for_a_line_does_not_use_up_the_time_of_an_outage(
    virtual_time: VirtualTime,
) -> None:
    faults = [httpx.Response(503)]

    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/worker-1/logs/preview") and faults:
            return faults.pop()
        if request.url.path.endswith("/logs/preview"):
            return httpx.Response(200, json={"content": "a\n", "full_size": 2})
        return httpx.Response(
            200, json={"metadata": {"id": JOB}, "status": {"phase": "Completed", "tasks": ["worker-0", "worker-1"]}}
        )

    def slowly(lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            virtual_time.seconds += 400
            yield line

    found = with_jobs(
        "sync", respond, virtual_time, lambda jobs: slowly(jobs._handle(key=JOB).logs(all_tasks=True, follow=True))
    )

    assert found == ["[worker-0] a", "[worker-1] a"]
