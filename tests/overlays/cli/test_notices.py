"""`--notify` of `modelarts job wait` and `job submit`."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.local_servers import LocalHandler, serving
from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.notices import ByCommand, notifying
from modelarts_toolkit.cli.terminal import Terminal

WRITER = "import json, os, sys; json.dump([sys.argv[2:], {**os.environ}], open(sys.argv[1], 'w')); print('told')"


class Receiver(LocalHandler):
    """Keeps what it gets; the path is the status of its response."""

    received: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        self.received.append((dict(self.headers), json.loads(self.content())))
        self.respond(int(self.path.strip("/")))


@pytest.fixture
def receiver() -> Iterator[str]:
    """The address of a server, whose requests are in `Receiver.received`."""
    Receiver.received.clear()
    with serving(Receiver) as url:
        yield url


@pytest.fixture
def ended(submit: Submit, service: Emulator) -> Emulator:
    """An emulator with the job `digits`, which has completed, and `broken`, which has failed."""
    service.plans.add(job="*", duration=65)
    service.plans.add(job="broken", duration=65, exit_code=3)
    submit("digits")
    submit("broken")
    service.clock.advance(600)
    return service


def written_by(file: Path) -> str:
    return shlex.join([sys.executable, "-c", WRITER, str(file), "a b", "$HOME;"])


def test_a_command_gets_its_arguments_without_a_shell_and_the_state_in_variables(
    run: Run, ended: Emulator, tmp_path: Path
) -> None:
    """Also for a failed job, whose exit status stays; the result on standard output is not mixed with its output."""
    done = run("job", "wait", "broken", "-o", "json", "--notify", written_by(tmp_path / "told"))

    arguments, variables = json.loads((tmp_path / "told").read_text())
    assert done.exit_code == 3
    assert done.stdout == ""
    assert arguments == ["a b", "$HOME;"]
    assert {name: variables[f"MODELARTS_JOB_{name}"] for name in ("NAME", "STATE", "DURATION")} == {
        "NAME": "broken",
        "STATE": "Failed",
        "DURATION": "65.0",
    }


def test_a_url_gets_a_small_document_without_secrets(run: Run, ended: Emulator, receiver: str) -> None:
    done = run("job", "wait", "digits", "--notify", f"{receiver}/204")

    assert done.exit_code == 0, done.stderr
    ((headers, body),) = Receiver.received
    assert set(body) == {"job_id", "job_name", "job_state", "job_duration"}
    assert (body["job_name"], body["job_state"], body["job_duration"]) == ("digits", "Completed", 65)
    assert not {"authorization", "x-auth-token", "cookie"} & {name.lower() for name in headers}


@pytest.mark.parametrize("target", ["{0}/500", "http://127.0.0.1:1/token-in-path", "desktop"])
def test_a_notice_that_fails_is_a_warning(
    run: Run, ended: Emulator, receiver: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit status is that of the job; the rest of the URL, which may be a secret, is not printed."""
    program = tmp_path / "notify-send"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    done = run("job", "wait", "digits", "--notify", target.format(receiver))

    assert done.exit_code == 0
    assert "Warning: " in done.stderr
    assert "could not be notified: " in done.stderr
    assert "token-in-path" not in done.stderr


def test_a_command_that_does_not_end_is_given_up(
    submit: Submit, ended: Emulator, capsys: pytest.CaptureFixture[str]
) -> None:
    notice = ByCommand(["sleep", "600"])
    notice.limit_s = 0.5
    job = submit("other")
    ended.clock.advance(600)

    with notifying(Terminal(), job.refresh(), notice):
        pass

    assert "sleep could not be notified: it took more than 0.5 s" in capsys.readouterr().err


def test_the_desktop_gets_the_name_as_an_argument(
    run: Run, ended: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/told\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    assert run("job", "wait", "digits", "--notify", "desktop").exit_code == 0

    assert (tmp_path / "told").read_text() == "--\nJob digits: Completed\nIt ran 65 s.\n"


@pytest.mark.parametrize("target", ["desktop", "ftp://example.com", "no-such-command x", "'"])
def test_what_cannot_work_is_an_error_before_anything_is_asked(
    run: Run, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    done = run("job", "wait", "digits", "--notify", target)

    assert done.exit_code == 2
    assert "Invalid value for '--notify'" in done.stderr


def test_submit_tells_at_the_end_and_not_with_detach(run: Run, quick: Emulator, project: Path) -> None:
    done = run("job", "submit", "job.yaml", "--notify", written_by(project / "told"))

    assert done.exit_code == 0, done.stderr
    assert json.loads((project / "told").read_text())[1]["MODELARTS_JOB_STATE"] == "Completed"
    assert "leave --detach out" in run("job", "submit", "job.yaml", "--detach", "--notify", "true").stderr


def test_nobody_is_told_of_a_job_that_goes_on(run: Run, submit: Submit, service: Emulator, tmp_path: Path) -> None:
    submit("digits")

    done = run("job", "wait", "digits", "--timeout", 0, "--notify", written_by(tmp_path / "told"))

    assert done.exit_code == 5
    assert not (tmp_path / "told").exists()
