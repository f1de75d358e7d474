"""No credential of a real service shows in what pytest prints or writes, however verbose it is and whatever fails."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contract.played import Played, playing
from tests.contract.test_service_mode import PYTEST, ROOT

from modelarts_contract.run.proxy import Answer, Ask, Asked

CANARY = "canary-secret-value"


def fail_while_reading(played: Played, monkeypatch: pytest.MonkeyPatch) -> str:
    def broken(asked: Asked, ask: Ask) -> Answer:
        return Answer(500, b"{}", {}) if asked.path.endswith("/training-job-searches") else ask(asked)

    played.interfere = broken
    return "POST /training-job-searches: 500"


def fail_to_log_in(played: Played, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OS_PASSWORD", CANARY)
    return "the login failed"


def fail_to_upload(played: Played, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("WRITE", "1")
    for name in ("MODELARTS_SECRET_KEY", "HUAWEICLOUD_SDK_SK", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, CANARY)
    return "SignatureDoesNotMatch"


@pytest.mark.parametrize("provoke", [fail_while_reading, fail_to_log_in, fail_to_upload])
def test_no_secret_shows_when_a_run_fails(
    provoke: Callable[[Played, pytest.MonkeyPatch], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--tb=long` and `--showlocals`, on the terminal and in JUnit; the reason of the failure shows."""
    with playing(tmp_path, monkeypatch) as played:
        secrets = {CANARY, played.token, *(os.environ[name] for name in ("OS_PASSWORD", "AWS_SECRET_ACCESS_KEY"))}
        reason = provoke(played, monkeypatch)
        options = ["--tb=long", "--showlocals", "-vvvv", f"--junitxml={tmp_path / 'junit.xml'}", "-o", "addopts="]
        done = subprocess.run(
            [*PYTEST, *options, "--import-mode=importlib", "-k", "sorted", "tests/contract/test_promises.py"],
            cwd=ROOT,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    shown = done.stdout + done.stderr + (tmp_path / "junit.xml").read_text()
    assert done.returncode != 0
    assert reason in shown
    assert [secret for secret in secrets if secret in shown] == []
