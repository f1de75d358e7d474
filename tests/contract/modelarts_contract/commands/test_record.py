"""`modelarts contract record`: a proxy until Ctrl-C, and a file that holds what passed."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_emulator.server import Emulator

MODELARTS = Path(sys.executable).with_name("modelarts")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_passes_until_a_signal_is_in_the_file(number: signal.Signals, emulator: Emulator, tmp_path: Path) -> None:
    """The command says how many exchanges there are, also where a shell's `&` has made it ignore SIGINT."""
    file = tmp_path / "session.har"
    record = [str(MODELARTS), "contract", "record", emulator.endpoint, str(file)]
    command = ["sh", "-c", 'trap "" INT && exec "$@"', "sh", *record]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[1]
        for path in ("/v3", "/v3/regions", "/v3"):
            httpx.get(address + path)
        process.send_signal(number)
        said = process.stderr.read()

    assert (process.returncode, said.strip()) == (0, f"3 exchanges are in {file}.")
    assert [exchange.status for exchange in har.read(file)] == [200, 401, 200]


@pytest.mark.parametrize(
    ("service", "file", "fact"),
    [
        ("modelarts", "new.har", "modelarts is not an http or https URL"),
        ("https://example.com", "old.har", "old.har already exists: name another file, or delete it"),
        ("https://example.com", "missing/new.har", "missing is not a folder: make it first"),
    ],
)
def test_wrong_usage_creates_nothing(
    service: str, file: str, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.har").write_text("kept")

    done = CliRunner().invoke(contract, ["record", service, file])

    assert done.exit_code == 2
    assert fact in " ".join(done.output.split())
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.har", "kept")]


def test_a_port_in_use_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        done = CliRunner().invoke(
            contract, ["record", "https://example.com", str(tmp_path / "new.har"), "--port", port]
        )

    assert done.exit_code == 2
    assert f"port {port} cannot be used (Address already in use)" in " ".join(done.output.split())


def test_the_service_and_the_way_to_it_can_be_those_of_a_profile(
    emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its address is reached through its proxy, here the emulator for a host that does not exist."""
    profiles = tmp_path / "config.toml"
    profiles.write_text(f'[profiles.work]\nendpoint = "http://modelarts.example.com"\nproxy = "{emulator.endpoint}"\n')
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(profiles))
    file = tmp_path / "session.har"
    command = [str(MODELARTS), "contract", "record", "--profile", "work", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        response = httpx.get(said.split()[1] + "/v3")
        process.send_signal(signal.SIGINT)
        process.wait()

    assert "instead of http://modelarts.example.com;" in said
    assert (response.status_code, len(list(har.read(file)))) == (421, 1)  # the emulator does not serve that host


def test_without_a_service_anywhere_the_command_says_what_to_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty.toml").touch()
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(tmp_path / "empty.toml"))
    monkeypatch.delenv("MODELARTS_ENDPOINT", raising=False)

    done = CliRunner().invoke(contract, ["record", str(tmp_path / "session.har")])

    assert done.exit_code == 2
    assert "no service is configured: name its URL" in " ".join(done.output.split())
