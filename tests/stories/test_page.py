"""The page beside an emulator: `modelarts emulator --ui`."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import httpx
import pytest
from tests.stories.conftest import EmulatorProcess, eventually


def is_served(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False, timeout=300).status_code == 401
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_page_begins_and_ends_with_its_emulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    """Also with one that is killed; it shows that emulator, whatever the environment says of others."""
    monkeypatch.setenv("MODELARTS_ENDPOINT", "https://modelarts.example.com")
    monkeypatch.setenv("BROWSER", "true")
    emulator = EmulatorProcess(tmp_path / "data", more=("--ui",))
    try:
        (endpoint,) = re.findall(r"ready: http://(\S+)", emulator.start())
        (address,) = eventually(
            lambda: re.findall(r"http://\S+#token=\S+\n", emulator.output.read_text()), "the page's address is printed"
        )
        url, _, token = address.strip().partition("/#token=")
        page = httpx.get(url, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=300).text
    finally:
        emulator.end(how)

    assert endpoint in page
    eventually(lambda: not is_served(url), "the end of the page")
