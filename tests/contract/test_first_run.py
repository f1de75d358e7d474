"""The first run at a real account, `modelarts contract run --service`: what is said before it, and what it leaves."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.contract.played import RATE, Played, run

from modelarts_contract.commands import contract
from modelarts_contract.documents import operations
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_openapi import NAMES

pytestmark = pytest.mark.ci
FULL = 20_000  # bytes that a file may have


def on_terminal(*options: str, answer: str) -> tuple[int, str]:
    """The exit status and the output of the command on a terminal on which somebody answers its question."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "modelarts_toolkit", "contract", "run", "--service", *options]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        os.write(ours, answer.encode())
        output, _ = process.communicate(timeout=300)
    os.close(ours)
    os.close(theirs)
    return process.returncode, output


def test_nothing_is_sent_before_somebody_agrees(played: Played) -> None:
    """Without a terminal, with another answer than yes, and with --dry-run, which lists all operations that read."""
    unasked = CliRunner().invoke(contract, ["run", "--service"])
    declined, said = on_terminal(answer="n\n")
    listed = CliRunner().invoke(contract, ["run", "--service", "--dry-run"])

    assert (unasked.exit_code, declined, listed.exit_code) == (2, 2, 0), (unasked.output, said)
    assert "give --yes; nothing was sent" in unasked.output
    assert "not started; nothing was sent" in said
    assert played.sent == []
    reads = [id_ for name in NAMES for id_, each in operations(name).items() if each.kind == "read"]
    assert re.findall(r"^(?:iam|v1|v2) +(\w+)", listed.output, re.MULTILINE) == reads
    assert f"calls {len(reads)} operations that only read" in listed.output
    assert f"This run tries {played.address}." in listed.output


def test_a_yes_on_a_terminal_starts_the_run_at_the_configured_service(played: Played) -> None:
    status, said = on_terminal("--documents", "iam", "--rate", str(RATE), answer="y\n")

    assert status == 0, said
    assert "The contract is kept" in said
    assert {sent.method for sent in played.sent if not sent.is_login} <= {"GET", "HEAD"}


def test_the_number_of_requests_is_about_what_was_said(played: Played) -> None:
    """No more than a tenth more; a project with few things gets fewer."""
    for options in ((), ("--rejected-logins",)):
        first = len(played.sent)
        done = run(played, *options)
        expected = int(re.search(r"sends about (\d+) requests", done.output)[1])  # type: ignore[index]
        assert expected / 3 < len(played.sent) - first < expected * 1.1, done.output


def commands(number: int) -> list[subprocess.Popen[str]]:
    """So many runs that began at once, in the same folder."""
    command = [sys.executable, "-m", "modelarts_toolkit", "contract", "run", "--service", "--yes", "--rate", "1000"]
    pipe = subprocess.PIPE
    return [
        subprocess.Popen([*command, "--documents", "v2"], stdout=pipe, stderr=pipe, text=True) for _ in range(number)
    ]


def evidence_in(folder: Path) -> Any:
    return json.loads((folder / "evidence.json").read_text("utf-8"))["log"]["_evidence"]


def test_two_runs_at_once_leave_a_file_each(played: Played) -> None:
    runs = commands(2)
    done = [process.communicate(timeout=300) for process in runs]

    folders = list(Path.cwd().glob("contract-report-*"))
    assert [process.returncode for process in runs] == [0, 0], done
    assert len(folders) == 2
    assert {evidence_in(folder)["verdict"] for folder in folders} == {"The contract is kept: 0 findings"}
    assert {Path(out.splitlines()[-1].split()[0]).parent.name for out, _ in done} == {each.name for each in folders}


def test_a_run_on_a_full_disk_says_so_and_is_no_verdict_of_the_service(played: Played) -> None:
    """Exit status 3, because 1 says that the contract is broken."""
    limited = ["prlimit", f"--fsize={FULL}", sys.executable, "-m", "modelarts_toolkit", "contract", "run"]
    command = [*limited, "--service", "--yes", "--rate", str(RATE), "--documents", "iam"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    assert done.returncode == 3, done
    assert "a file of the run cannot be written (File too large): make room" in done.stderr


def test_an_interrupted_run_leaves_what_it_has_seen(played: Played) -> None:
    """Ctrl-C ends it after its sixtieth request."""

    def interrupt(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        if len(played.sent) == 60:
            process.send_signal(signal.SIGINT)
        return forward(request)

    played.interfere = interrupt
    (process,) = commands(1)
    output = process.communicate(timeout=300)

    (folder,) = Path.cwd().glob("contract-report-*")
    found = evidence_in(folder)
    assert process.returncode == 130, output
    assert found["is_interrupted"]
    assert found["verdict"] == "The run ended early, and what it checked is kept: 0 findings"
    assert sum(found["statuses"].values()) > 20
    assert "confirmed" in {each["outcome"] for each in found["assumptions"]}


def test_a_service_that_ends_in_the_middle_leaves_what_was_seen(played: Played, tmp_path: Path) -> None:
    def vanish(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        return forward(request) if len(played.sent) < 40 else ProxyResponse(502, b"", {"retry-after": "0"})

    played.interfere = vanish
    done = run(played, "--documents", "v2", "--report", str(tmp_path / "report"))

    found = evidence_in(tmp_path / "report")
    assert done.exit_code == 3, done.output
    assert "502" in found["trouble"]
    assert "confirmed" in {each["outcome"] for each in found["assumptions"]}
    assert done.output.splitlines()[-1].startswith(str(tmp_path / "report" / "evidence.json"))


def test_reports_whose_folder_is_gone_at_the_end_are_elsewhere(played: Played, tmp_path: Path) -> None:
    """One that cannot be written is an error before anything is sent."""
    (tmp_path / "file").touch()
    rejected = run(played, "--report", str(tmp_path / "file" / "report"))
    count = len(played.sent)

    def remove(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        shutil.rmtree(tmp_path / "report", ignore_errors=True)
        (tmp_path / "report").touch()
        return forward(request)

    played.interfere = remove
    done = run(played, "--documents", "iam", "--report", str(tmp_path / "report"))

    assert (rejected.exit_code, count, done.exit_code) == (2, 0, 0), (rejected.output, done.output)
    elsewhere = re.search(r"cannot be written any more .*: the reports are in (\S+)", done.output)
    assert elsewhere is not None, done.output
    assert evidence_in(Path(elsewhere[1]))["verdict"] == "The contract is kept: 0 findings"
    shutil.rmtree(elsewhere[1])
