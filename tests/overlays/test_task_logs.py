"""The logs of tasks, against the emulator's previews and files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice, pairwise, repeat
from time import monotonic, sleep, time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.emulator.conftest import Puppet
from tests.overlays.cli.conftest import job_request

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, Jobs, LogCursor, ModelArts
from modelarts_toolkit.jobs.polling import Clock
from modelarts_toolkit.settings.config import Config

LENGTHS = st.one_of(st.integers(0, 300), st.integers(10_000, 400_000), st.sampled_from([1_000_000, 2_000_000]))
FILLERS = st.sampled_from(["x", "é😀", "\r 5%|#", "\0", "\x9f\xff"])
LINES = st.lists(st.tuples(LENGTHS, st.sampled_from([1, 1, 5, 40]), FILLERS), max_size=8)
PRINTS = st.tuples(LINES, st.booleans(), st.booleans())
NUMBERS = count()
SHORT = 20_000_000  # bytes of a log, at most


class Script(Puppet):
    """A script whose log grows whenever it is looked at."""

    bursts: Iterator[bytes] = iter(())
    job = ""

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        path = self.log_file(handle, task)
        if not path.exists():
            return b""
        with path.open("rb") as stream:
            stream.seek(offset)
            found = stream.read(max_bytes)
        self.write()
        return found

    def write(self, _: float = 0) -> None:
        """Write the next burst; after the last one, the script ends."""
        if (burst := next(self.bursts, None)) is not None:
            with self.log_file(self.job, "worker-0").open("ab") as log:
                log.write(burst)
            return
        if self.reports[self.job][0].state == "running":
            self.report(self.job, TaskReport("worker-0", "ended", time(), time(), 0))
        sleep(0.01)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Script:
    return Script(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def ma(script: Script, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelArts]:
    folder = tmp_path_factory.mktemp("emulator")
    with (
        Emulator(folder, executor=script, keep_jobs=True, max_running_jobs=99) as emulator,
        ModelArts(config=Config.load(environ=emulator.environment())) as ma,
    ):
        emulator.objects.put("obs://work/code/train.py", "print('hello')")
        yield ma


def log_of(lines: list[tuple[int, int, str]], is_numbered: bool, has_end: bool) -> bytes:
    """The log of a script that prints each of these lines this number of times."""
    numbers = iter(count() if is_numbered else repeat(0))
    log = b"".join(
        f"<{number}>{filler * (length // len(filler))}<{number}>\n".encode(
            "latin-1" if filler == "\x9f\xff" else "utf-8"
        )
        for length, times, filler in lines
        for number in islice(numbers, times)
    )[:SHORT]
    return log if has_end else log[:-1]


def followed(ma: ModelArts, script: Script, log: bytes, cuts: list[float], taken: list[int]) -> list[str]:
    """The lines of a job that writes this log in bursts; after so many lines, another process continues."""
    places = [0, *sorted(int(cut * len(log)) for cut in cuts), len(log)]
    job = started(ma, script, [log[first:last] for first, last in pairwise(places)])
    text, lines = LogCursor().to_json(), list[str]()
    for most in [*taken, len(log) + 1]:
        cursor = LogCursor.from_json(text)
        lines += islice(job.logs(follow=True, cursor=cursor), most)
        text = cursor.to_json()
    job.delete()
    return lines


def started(ma: ModelArts, script: Script, bursts: list[bytes]) -> Job:
    """A job that writes a burst whenever it is looked at."""
    job_id = ma.jobs.submit(job_request(f"script-{next(NUMBERS)}")).id
    while job_id not in script.reports:
        sleep(0.01)
    script.job, script.bursts = job_id, iter(bursts)
    script.report(job_id, TaskReport("worker-0", "running", started_at=time()))
    return Jobs(ma, clock=Clock(monotonic, script.write)).get(job_id)


@settings(deadline=None, max_examples=15)
@given(prints=PRINTS, cuts=st.lists(st.floats(0, 1), max_size=12), taken=st.lists(st.integers(0, 9), max_size=2))
def test_each_line_of_a_followed_log_comes_once_and_whole(
    ma: ModelArts, script: Script, prints: Any, cuts: list[float], taken: list[int]
) -> None:
    """However long it is, wherever bursts and previews cut it, also in a character, and whenever it is looked at."""
    log = log_of(*prints)

    found = followed(ma, script, log, cuts, taken)

    wanted = [line.removesuffix("\r") for line in log.decode("utf-8", "replace").removesuffix("\n").split("\n")]
    assert [len(line) for line in found] == [len(line) for line in wanted] if log else not found
    assert found == wanted if log else not found


def test_an_unfinished_line_comes_once_it_is_whole_and_is_offered_before(ma: ModelArts, script: Script) -> None:
    """A reader that cannot continue gets what is there."""
    job, cursor = started(ma, script, [b"a\n 1%\r 2", b"%", b"\r"]), LogCursor()
    source = job.log_source(cursor=cursor)
    script.write()

    assert [[*lines] for lines in job.log_batches(source)] == [["a"], []]
    assert source.unfinished == " 2"
    assert [[*lines] for lines in job.log_batches(source)] == [[], []]
    assert source.unfinished == " 2%"
    assert list(job.logs()) == ["a", " 1%\r 2%"]
    script.write()
    assert list(job.logs(cursor=cursor, follow=True)) == [" 1%\r 2%"]
