"""How `modelarts ui` ends, and what its terminal shows of a service that is down."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
from tests.overlays.ui.conftest import simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

PROGRAM = "from modelarts_toolkit.cli import main; main()"
LIMIT_S = 300


@contextmanager
def command(environment: dict[str, str]) -> Iterator[tuple["subprocess.Popen[str]", httpx.Client]]:
    """The process of `modelarts ui`, and a client with its token."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MODELARTS_", "OS_"))}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "ui", "--no-browser", "--quiet"],
        env={**others, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url, _, token = process.stdout.readline().strip().partition("/#token=")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=LIMIT_S, trust_env=False) as client:
            yield process, client
        if process.poll() is None:
            process.kill()


def test_ctrl_c_ends_the_streams_of_open_tabs_and_shows_no_traceback() -> None:
    """Of a list, a job and its log while the job runs; the streams end properly, and none has to be cut off."""
    with Emulator(executor="simulated") as emulator:
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            job = simulated(ma, "lives")
        with command(emulator.environment()) as (process, client), ExitStack() as tabs:
            paths = ("/live", f"/jobs/{job.id}/live", f"/jobs/{job.id}/log")
            streams = [tabs.enter_context(client.stream("GET", path)).iter_lines() for path in paths]
            assert all(next(stream) for stream in streams)
            process.send_signal(signal.SIGINT)
            rest = ["".join(stream) for stream in streams]
            _, said = process.communicate(timeout=LIMIT_S)

    assert len(rest) == len(paths)
    assert (process.returncode, said) == (0, "")


def test_the_terminal_says_nothing_of_a_service_that_is_down() -> None:
    """The pages say it, in words without requests, as long as it is so."""
    with ExitStack() as service:
        emulator = service.enter_context(Emulator(executor="simulated"))
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            job = simulated(ma, "lives")
        with command(emulator.environment()) as (process, client):
            path = f"/jobs/{job.id}"
            with client.stream("GET", f"{path}/live") as live, client.stream("GET", f"{path}/log") as log:
                assert next(log.iter_lines())
                lines = live.iter_lines()
                assert next(lines)
                service.close()
                said_of_it = next(line for line in lines if "start the emulator" in line)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=LIMIT_S)

    assert f"No response from {emulator.endpoint}: start the emulator with" in said_of_it
    assert "POST" not in said_of_it
    assert said == ""
