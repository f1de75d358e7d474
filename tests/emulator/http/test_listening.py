"""An emulator that listens on all addresses of the machine, as in a container; tests reach it by 127.0.0.1 only."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.server import Emulator, EmulatorError
from modelarts_toolkit.cli.commands import modelarts

EVERYWHERE = "0.0.0.0"


@pytest.fixture(scope="module")
def open_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    folder = tmp_path_factory.mktemp("open")
    with Emulator(folder, host=EVERYWHERE, allowed_hosts=["modelarts"], check_responses=True) as running:
        yield running


def test_it_listens_on_all_addresses_and_names_one_that_can_be_used(open_emulator: Emulator) -> None:
    """Clients on the same machine cannot connect to 0.0.0.0, so endpoints name the loopback address."""
    ports = {urlsplit(url).port for url in (open_emulator.endpoint, open_emulator.obs_endpoint)}
    listening = [entry.laddr for entry in psutil.Process().net_connections("tcp") if entry.status == "LISTEN"]

    assert {address.port for address in listening if address.ip == EVERYWHERE} >= ports
    assert open_emulator.environment()["MODELARTS_ENDPOINT"] == open_emulator.endpoint
    assert urlsplit(open_emulator.endpoint).hostname == urlsplit(open_emulator.obs_endpoint).hostname == "127.0.0.1"


def test_its_jobs_run_and_their_logs_are_found_by_any_allowed_name(open_emulator: Emulator, log_in: Any) -> None:
    """Responses name the endpoints by the host that the client used, which is the one it can reach."""
    api = log_in(open_emulator)
    script = b"import os\nprint(os.environ['MA_APIGW_ENDPOINT'], os.environ['S3_ENDPOINT'])\n"
    job_id = api.run_script(script)
    api.wait_for_phase(job_id, "Completed")
    obs_port = urlsplit(open_emulator.obs_endpoint).port
    path = f"/training-jobs/{job_id}/tasks/worker-0/logs/url"

    links = {}
    for host in ("127.0.0.1:{port}", "localhost:{port}", "modelarts:{port}", "modelarts", "modelarts:7001"):
        header = host.format(port=urlsplit(open_emulator.endpoint).port)
        response = api.call("GET", path, headers={"Host": header})
        link = urlsplit(response.json()["obs_url"])
        links[host] = link.netloc
        log = httpx.get(link._replace(netloc=f"127.0.0.1:{obs_port}").geturl(), headers={"Host": link.netloc})
        assert log.status_code == 200
        assert f"{open_emulator.endpoint} {open_emulator.obs_endpoint}" in log.text

    assert [netloc.rpartition(":")[0] for netloc in links.values()] == ["127.0.0.1", "localhost"] + ["modelarts"] * 3
    assert {netloc.rpartition(":")[2] for netloc in links.values()} == {str(obs_port)}


@pytest.mark.parametrize("host", ["modelarts:7001", "localhost:{port}"])
def test_the_catalogue_names_the_host_that_was_asked(open_emulator: Emulator, log_in: Any, host: str) -> None:
    """Clients that follow the catalogue stay at the name by which they reached the emulator."""
    api = log_in(open_emulator)
    host = host.format(port=urlsplit(open_emulator.endpoint).port)
    api.http.headers["Host"] = host

    catalog = api.log_in().json()["token"]["catalog"]
    health = api.http.get("/_emulator/health").json()

    addresses = {service["type"]: urlsplit(service["endpoints"][0]["url"]) for service in catalog}
    objects = addresses.pop("object")
    assert {address.netloc for address in addresses.values()} == {host}
    assert objects.hostname == host.partition(":")[0]
    assert api.http.get("/v3/projects").json()["links"]["self"] == f"http://{host}/v3/projects"
    assert urlsplit(health["obs_endpoint"]).hostname == host.partition(":")[0]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(modelarts, ["emulator", *arguments])


def test_the_command_says_what_it_means_and_env_names_an_address_that_can_be_used(tmp_path: Path) -> None:
    """The warning goes to standard error, and only where other machines may reach the emulator."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        options = ["--data-dir", str(tmp_path), "--port", str(taken.getsockname()[1]), "--obs-port", "0"]
        warned, quiet = (run(*options, "--host", host) for host in (EVERYWHERE, "127.0.0.1"))
    named = run("env", *options[:2], "--host", "modelarts")

    assert warned.stderr.startswith(f"Warning: the emulator listens on {EVERYWHERE}, so other machines may reach it.")
    assert "cannot be used on 0.0.0.0" in warned.stderr
    assert quiet.stderr.startswith("Error: port")
    assert "OS_AUTH_URL=http://modelarts:9180/v3\n" in named.stdout


@pytest.mark.parametrize("host", ["modelarts", "", "127.0.0.1:9180", "localhost"])
def test_a_host_that_is_not_an_address_is_rejected(host: str) -> None:
    """The message says what to give."""
    with pytest.raises(EmulatorError, match=f"must be an IP address, not '{host}': use 0.0.0.0 for all addresses"):
        Emulator(host=host)


def test_an_address_of_another_machine_is_rejected(tmp_path: Path) -> None:
    """The message names the address and the option."""
    with pytest.raises(EmulatorError, match=r"cannot be used on 192\.0\.2\.1 .* choose another address with --host"):
        Emulator(tmp_path, host="192.0.2.1").__enter__()
