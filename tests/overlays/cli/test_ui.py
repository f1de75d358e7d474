"""`modelarts ui`: who gets the address, and what the page may change."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from modelarts_emulator.server import Emulator

PROGRAM = "from modelarts_toolkit.cli import main; main()"
LIMIT_S = 300


@contextmanager
def page(environment: dict[str, str], *options: str) -> Iterator[tuple[str, httpx.Client]]:
    """The address that the command prints, and a client with its token."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MODELARTS_", "OS_"))}
    command = [sys.executable, "-c", PROGRAM, "ui", "--quiet", "--until-input-ends", *options]
    with subprocess.Popen(
        command, env={**others, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        url, _, token = address.partition("/#token=")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=LIMIT_S, trust_env=False) as client:
            yield address, client
        assert process.stdin is not None
        process.stdin.close()
        process.wait(LIMIT_S)


def test_the_browser_s_arguments_do_not_have_the_token(emulator: Emulator, tmp_path: Path) -> None:
    """All users of a machine can read them; the browser gets a file, which is this user's alone and goes at the end."""
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nstat -c %a "$(dirname "${{1#file://}}")" > {seen}.new\n')
    with browser.open("a") as script:
        script.write(f'cat "${{1#file://}}" >> {seen}.new\necho "$1" >> {seen}.new\nmv {seen}.new {seen}\n')
    browser.chmod(0o755)

    with page({**emulator.environment(), "BROWSER": f"{browser} %s"}) as (address, _):
        deadline = time.monotonic() + LIMIT_S
        while not seen.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        mode, content, argument = seen.read_text().splitlines()
    assert mode == "700"
    assert f'url={address}"' in content
    assert argument.startswith("file://")
    assert address.partition("token=")[2] not in argument
    assert not Path(argument.removeprefix("file://")).exists()


@pytest.mark.parametrize(("token", "is_emulator"), [(None, True), ("left-from-yesterday", False)])
def test_only_a_service_that_takes_the_control_token_is_an_emulator(
    emulator: Emulator, token: str | None, is_emulator: bool, tmp_path: Path
) -> None:
    """A token that is left in a variable does not make a service writable that is reached through this machine."""
    environment = emulator.environment()
    environment |= {"MODELARTS_EMULATOR_TOKEN": token, "MODELARTS_EMULATOR_DATA_DIR": str(tmp_path)} if token else {}

    with page(environment, "--no-browser") as (_, client):
        control, stop = client.get("/emulator"), client.post("/jobs/missing/stop")

    assert (control.status_code == 200) == is_emulator
    assert (stop.status_code != 403) == is_emulator
    assert ("This page only reads from a cloud" in stop.text) != is_emulator
