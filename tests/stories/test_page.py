"""The page beside an emulator: `modelarts emulator --ui`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import httpx
import pytest
from tests.stories.conftest import eventually

from modelarts_emulator.cli.background import command


def is_served(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False, timeout=300).status_code == 401
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_page_begins_and_ends_with_its_emulator(tmp_path: Path, how: signal.Signals) -> None:
    """Also with one that is killed; it shows that emulator, whatever the environment says of others."""
    arguments = [
        "--ui",
        "--data-dir",
        str(tmp_path / "data"),
        *["--port", "0", "--obs-port", "0", "--executor", "simulated"],
    ]
    environment = {**os.environ, "MODELARTS_ENDPOINT": "https://modelarts.example.com", "BROWSER": "true"}
    with subprocess.Popen(command(arguments), env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            endpoint, address = "", ""
            while not address:
                line = process.stdout.readline()
                assert line
                endpoint = endpoint or next(iter(re.findall(r"ready: (\S+)", line)), "")
                address = next(iter(re.findall(r"http://\S+#token=\S+", line)), "")
            url, _, token = address.partition("/#token=")
            page = httpx.get(url, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=300).text
            assert endpoint.removeprefix("http://") in page
        finally:
            process.send_signal(how)
            process.wait(300)

    eventually(lambda: not is_served(url), "the end of the page")
