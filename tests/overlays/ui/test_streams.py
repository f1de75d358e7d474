"""What pages get while they are open: lines of logs and changed parts, each once."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack
from itertools import islice
from typing import Any

from tests.overlays.ui.conftest import Served, simulated, submitted

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui.app import listen
from modelarts_toolkit.ui.log_feed import LogFeed


def lines_of(served: Served, path: str, last_id: str = "") -> tuple[list[str], str]:
    """All lines until the end, and the id of the last event."""
    found: list[str] = []
    for name, data, id_ in served.events(path, last_id):
        if name == "start":
            found = []
        if name == "lines":
            found += data
        last_id = id_ or last_id
        if name == "end":
            break
    return found, last_id


def test_a_log_is_followed_to_its_end(served: Served, ma: ModelArts) -> None:
    """What a script prints comes as text, with its colours and its HTML untouched."""
    job = submitted(ma, "followed", epochs=2000)
    found, _ = lines_of(served, f"/jobs/{job.id}/log")

    assert [line for line in found if line.startswith("epoch")] == [
        f"epoch {number} loss: {1 / (number + 1):.3f}" for number in range(2000)
    ]
    assert "\x1b[32mgreen\x1b[0m <script>alert(1)</script>" in found


def test_a_tab_that_slept_gets_exactly_what_it_missed(served: Served, ended: Job) -> None:
    """Whatever line it had last; the whole log is a file, too."""
    path = f"/jobs/{ended.id}/log"
    whole, end = lines_of(served, path)
    epoch = end.partition("-")[0]
    for had in (0, 1, 255, 256, 257, 500, len(whole) - 1, len(whole)):
        rest, _ = lines_of(served, path, f"{epoch}-{had}")
        assert rest == whole[had:], had
    file = served.client.get(f"{path}.txt")
    assert file.text.splitlines() == whole
    assert file.headers["content-disposition"].startswith("attachment")


def test_a_tab_of_an_earlier_server_gets_the_whole_log_anew(served: Served, ended: Job) -> None:
    events = served.events(f"/jobs/{ended.id}/log", "0000dead-7")

    assert next(events)[:2] == ("start", 1)
    assert next(events)[1][0].startswith("[ModelArts Service Log]")


def test_the_log_of_a_job_that_is_deleted_meanwhile_ends(served: Served, ma: ModelArts) -> None:
    job = submitted(ma, "deleted", epochs=3)
    job.wait(timeout=300)
    path = f"/jobs/{job.id}/log?task=all"
    events = served.events(path)
    assert next(events)[0] == "start"
    job.delete()

    assert "end" in {name for name, _, _ in events}
    assert served.client.get(path).status_code == 404


def test_a_list_changes_when_a_job_does(served: Served, ma: ModelArts) -> None:
    """An open list first gets what is there, and then the new job."""
    events = served.events("/live?name=appears")
    assert 'class="empty"' in next(events)[1]["rows"]
    job = submitted(ma, "appears")

    assert any(job.name in parts.get("rows", "") for _, parts, _ in islice(events, 20))
    job.wait(timeout=300)


def test_a_tab_that_has_everything_gets_only_what_changes(served: Served, ma: ModelArts) -> None:
    job = submitted(ma, "unchanged")
    job.wait(timeout=300)
    for last_id in ("", "0000dead-1000"):  # the number that an earlier server gave means nothing here
        _, parts, _ = next(served.events(f"/jobs/{job.id}/live", last_id))
        assert set(parts) == {"summary"}, last_id


def test_the_stream_of_a_page_whose_job_is_deleted_ends(served: Served, ma: ModelArts) -> None:
    """Also one of a tab that was hidden meanwhile, and one of version 1."""
    job = submitted(ma, "goes", epochs=3)
    job.wait(timeout=300)
    open_tab = served.events(f"/jobs/{job.id}/live")
    _, _, id_ = next(open_tab)
    job.delete()

    assert [name for name, _, _ in open_tab] == ["gone"]
    assert next(served.events(f"/jobs/{job.id}/live", id_))[0] == "gone"
    assert next(served.events("/v1/jobs/7-7/live"))[0] == "gone"


def test_the_body_of_a_response_does_not_wait_for_the_acknowledgement_of_its_head() -> None:
    with listen(0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


class Printing:
    """A job whose log has a line break within a line, and a bar that is at 50 percent until `is_seen`."""

    phase, is_terminal, unfinished = "Completed", True, ""

    def __init__(self) -> None:
        self.is_seen = asyncio.Event()

    def log_source(self, _task: str | None, *, all_tasks: bool) -> object:
        assert all_tasks
        return self

    async def log_batches(self, _source: object, **_: object) -> AsyncIterator[Iterable[str]]:
        self.unfinished = " 10%|#  |\r 50%|## |"
        yield ["one\ntwo"]
        await self.is_seen.wait()
        self.unfinished = ""
        yield [" 10%|#  |\r100%|###|\r", "three"]


def test_a_line_break_within_a_line_does_not_shift_the_others() -> None:
    """Of a progress bar the last state is shown, as on a terminal, also while it goes on."""

    async def run() -> tuple[list[str], list[str]]:
        job: Any = Printing()
        feed = LogFeed(job, None, (0.01, 0.01))
        events = []
        async for event in feed.events(""):
            events.append(event)
            if "50%" in event:
                job.is_seen.set()
        lines = feed.lines(0, 10)
        await feed.close()
        assert "event: end" in events[-1]
        return lines, [event.partition("data: ")[2].strip() for event in events if "event: unfinished" in event]

    assert asyncio.run(run()) == (["one two", "100%|###|", "three"], ['" 50%|## |"', '""'])


def test_an_empty_log_says_why() -> None:
    """That its job waits, and for what; that says nothing any more when there are lines."""
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 1}) as emulator, ExitStack() as stack:
        emulator.clock.freeze()
        config = Config.load(environ=emulator.environment())
        ma = stack.enter_context(ModelArts(config=config))
        first, second = (simulated(ma, name) for name in ("first", "second"))
        page = stack.enter_context(Served(config, emulator.environment()))
        events = page.events(f"/jobs/{second.id}/log")
        assert [next(events)[0], next(events)[1].partition(":")[0]] == ["start", "There are no lines yet"]
        while "(scheduling)" not in next(events)[1]:
            pass  # it is created first
        first.delete()
        emulator.clock.advance(100_000)
        found = list(events)

    assert {name for name, _, _ in found} == {"lines", "empty", "end"}
    assert [text for name, text, _ in found if name == "empty"][-1] == ""


def test_a_log_that_stays_empty_says_that_its_job_has_ended() -> None:
    class Silent(Printing):
        async def log_batches(self, _source: object, **_: object) -> AsyncIterator[Iterable[str]]:
            yield []

    async def run() -> list[str]:
        job: Any = Silent()
        feed = LogFeed(job, None, (0.01, 0.01))
        events = [event async for event in feed.events("")]
        await feed.close()
        return events

    assert "The job has ended (Completed). Its script has printed nothing here" in "".join(asyncio.run(run()))
