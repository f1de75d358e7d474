"""The first run at a real account, `modelarts contract run --service`: what is said before it, and what it leaves."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tests.contract.played import RATE, Played, run

from modelarts_contract.commands import contract
from modelarts_contract.documents import operations
from modelarts_openapi import NAMES

pytestmark = pytest.mark.ci


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
