"""The HTTP servers of both ports: dates, headers that are there twice, upgrades, proxies, bodies that are announced."""

from __future__ import annotations

import http.client
import json
import socket
import tracemalloc
from collections.abc import Iterator
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.server import Emulator, EmulatorError
from modelarts_toolkit.cli.commands import modelarts

HOST = b"Host: 127.0.0.1\r\n"
GET = b"GET /v3 HTTP/1.1\r\n" + HOST
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n"


def exchange(url: str, *pieces: bytes) -> bytes:
    """What a server sends before it closes the connection, which it must do by itself."""
    host, port = url.removeprefix("http://").split(":")
    response = b""
    with socket.create_connection((host, int(port)), timeout=300) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece.replace(HOST, b"Host: 127.0.0.1:%s\r\n" % port.encode()))
            while piece := connection.recv(65536):
                response += piece
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has closed it already
    return response


def statuses(response: bytes) -> list[int]:
    return [int(part[:3]) for part in response.split(b"HTTP/1.1 ")[1:]]


@pytest.fixture(params=["endpoint", "obs_endpoint"])
def url(request: pytest.FixtureRequest, shared_emulator: Any) -> str:
    return str(getattr(shared_emulator, request.param))


def test_every_response_is_dated_by_the_clock() -> None:
    """As soon as the clock has moved, and rejections of a host or of a path, too; objects keep to real time."""
    with Emulator(executor="simulated") as emulator, httpx.Client(base_url=emulator.endpoint) as client:
        emulator.clock.freeze()
        for hours in (1, 2):
            emulator.clock.advance(3600)
            dates = {
                client.get(path, headers=headers).headers["Date"]
                for path, headers in (("/v3", {}), ("/nowhere", {}), ("/v3", {"Host": "foreign.example"}))
            }

            assert dates == {formatdate(emulator.clock.now, usegmt=True)}, hours
        date = parsedate_to_datetime(client.get(emulator.obs_endpoint).headers["Date"]).timestamp()
        assert emulator.clock.now - date > 3600


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        (b"", "Host"),
        (HOST + HOST, "Host"),
        (HOST + b"Authorization: one\r\nauthorization: two\r\n", "Authorization"),
        (HOST + b"X-Auth-Token: one\r\nx-auth-token: two\r\n", "X-Auth-Token"),
    ],
)
def test_a_request_names_its_host_and_its_user_once(url: str, headers: bytes, name: str) -> None:
    """Neither of two credentials is the one that counts."""
    response = exchange(url, b"GET /v3 HTTP/1.1\r\nConnection: close\r\n" + headers + b"\r\n")
    assert statuses(response) == [400]
    assert f"must have one {name} header" in response.decode()


@pytest.mark.parametrize("framing", ["length", "chunks", "pieces"])
def test_the_body_of_a_request_that_offers_http_2_is_read(api: Any, framing: str) -> None:
    """Java's HttpClient and `curl --http2` offer it with every request."""
    body = json.dumps(api.login_body()).encode()
    start = b"POST /v3/auth/tokens HTTP/1.1\r\n" + HOST + UPGRADE
    if framing == "chunks":
        pieces = [start + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)]
    else:
        pieces = [start + b"Content-Length: %d\r\n\r\n" % len(body), body]
    if framing == "length":
        pieces = [b"".join(pieces)]

    response = exchange(api.emulator.endpoint, *pieces, GET + UPGRADE + b"\r\n", GET + b"Connection: close\r\n\r\n")

    assert statuses(response) == [201, 200, 200]


def test_connect_and_what_is_not_http_is_rejected_and_the_connection_closed(url: str) -> None:
    for begin in (
        b"CONNECT example.com:443 HTTP/1.1\r\n",
        b"CONNECT /v3 HTTP/1.1\r\n",
        b"G\0T / HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\na b: c\r\n",
        b"PUT / HTTP/1.1\r\nContent-Length: -1\r\n",
        b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ):
        assert statuses(exchange(url, begin + HOST + b"\r\n")) == [400], begin


CHUNKED = b"POST /v3/auth/tokens HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (GET, b"A: b\r\n" * 1000),
        (GET + b"A: ", b"b" * 8000),
        (b"GET /", b"a" * 8000),
        (CHUNKED, b"A: b\r\n" * 1000),
        (CHUNKED + b"A: ", b"b" * 8000),
    ],
)
def test_a_head_or_trailer_without_end_is_rejected_and_costs_no_memory(url: str, start: bytes, more: bytes) -> None:
    """Before any login: a few megabytes of headers, of one header, or of a path, end the connection."""
    tracemalloc.start()
    try:
        exchange(url, start, *[more] * 4000)
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert used < 16 << 20


def test_a_rejection_without_the_announced_body_ends_the_connection(url: str) -> None:
    """So the next request of the same client is not taken for that body."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=300)
    connection.putrequest("PUT", "/v2/nobody/anything")
    connection.putheader("Content-Length", "10")
    connection.putheader("Expect", "100-Continue")
    connection.endheaders()
    response = connection.getresponse()
    response.read()

    assert (response.status in (403, 404), response.getheader("Connection")) == (True, "close")
    connection.request("GET", "/")  # http.client connects again where the server has closed
    assert connection.getresponse().status in (300, 403)
    connection.close()


def test_an_announced_body_that_is_read_leaves_the_connection_open(api: Any) -> None:
    response = api.http.post("/v3/auth/tokens", headers={"Expect": "100-continue"}, json={})

    assert (response.status_code, response.headers.get("Connection")) == (400, None)


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
        assert log.status_code == 200, host
        assert f"{open_emulator.endpoint} {open_emulator.obs_endpoint}" in log.text, host

    assert [netloc.rpartition(":")[0] for netloc in links.values()] == ["127.0.0.1", "localhost"] + ["modelarts"] * 3
    assert {netloc.rpartition(":")[2] for netloc in links.values()} == {str(obs_port)}


def test_the_catalogue_names_the_host_that_was_asked(open_emulator: Emulator, log_in: Any) -> None:
    """Clients that follow the catalogue stay at the name by which they reached the emulator."""
    api = log_in(open_emulator)
    for host in ("modelarts:7001", f"localhost:{urlsplit(open_emulator.endpoint).port}"):
        api.http.headers["Host"] = host

        catalog = api.log_in().json()["token"]["catalog"]
        health = api.http.get("/_emulator/health").json()

        addresses = {service["type"]: urlsplit(service["endpoints"][0]["url"]) for service in catalog}
        objects = addresses.pop("object")
        assert {address.netloc for address in addresses.values()} == {host}, host
        assert objects.hostname == urlsplit(health["obs_endpoint"]).hostname == host.partition(":")[0], host
        assert api.http.get("/v3/projects").json()["links"]["self"] == f"http://{host}/v3/projects", host


def test_the_command_says_what_it_means(tmp_path: Path) -> None:
    """The warning goes to standard error, and only where other machines may reach the emulator."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(modelarts, ["emulator", *arguments])

    with socket.create_server(("127.0.0.1", 0)) as taken:
        options = ["--data-dir", str(tmp_path), "--port", str(taken.getsockname()[1]), "--obs-port", "0"]
        warned, quiet = (run(*options, "--host", host) for host in (EVERYWHERE, "127.0.0.1"))

    assert warned.stderr.startswith(f"Warning: the emulator listens on {EVERYWHERE}, so other machines may reach it.")
    assert "cannot be used on 0.0.0.0" in warned.stderr
    assert quiet.stderr.startswith("Error: port")


def test_a_host_that_is_not_an_address_of_this_machine_is_rejected(tmp_path: Path) -> None:
    """The message says what to give."""
    for host in ("modelarts", "", "127.0.0.1:9180", "localhost"):
        with pytest.raises(EmulatorError, match=f"must be an IP address, not '{host}': use 0.0.0.0 for all addresses"):
            Emulator(host=host)
    with pytest.raises(EmulatorError, match=r"cannot be used on 192\.0\.2\.1 .* choose another address with --host"):
        Emulator(tmp_path, host="192.0.2.1").__enter__()
