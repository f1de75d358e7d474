"""The proxy in front of a service reaches it as the settings say."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from tests import local_servers
from tests.local_servers import LocalHandler

from modelarts_contract.proxy import listen, serving
from modelarts_toolkit.settings.config import Config


class Hello(LocalHandler):
    """A server that says which target it was asked for."""

    def do_GET(self) -> None:
        self.respond(200, self.path.encode())


def through(upstream: str, config: Config) -> str:
    """The response to a request that the proxy sends on."""
    with serving(upstream, lambda request, forward: forward(request), config=config) as url:
        return httpx.get(f"{url}/v2", trust_env=False).raise_for_status().text


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_service_can_have_a_certificate_of_the_settings_authority(tmp_path: Path) -> None:
    subject = ("-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1")
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "crt", *subject)
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "crt", tmp_path / "key")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)

    with local_servers.serving(server) as url:
        assert through(url.replace("http", "https"), Config(ca_bundle=str(tmp_path / "crt"))) == "/v2"


def test_the_service_is_reached_through_the_proxy_of_the_settings() -> None:
    with local_servers.serving(Hello) as proxy:
        assert through("http://modelarts.example.com", Config(proxy=proxy)) == "http://modelarts.example.com/v2"


def test_the_service_is_reached_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the settings goes before it."""
    with local_servers.serving(Hello) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.setenv("no_proxy", "")

        assert through("http://modelarts.example.com", Config()) == "http://modelarts.example.com/v2"


@pytest.mark.parametrize("upstream", ["modelarts", "ftp://example.com", "https://"])
def test_what_is_not_a_url_is_rejected(upstream: str) -> None:
    with (
        pytest.raises(ValueError, match="is not an http or https URL"),
        serving(upstream, lambda request, forward: forward(request)),
    ):
        pass


def test_a_web_page_whose_name_resolves_to_this_machine_gets_nothing() -> None:
    """The proxy forwards requests for its own address only."""
    with local_servers.serving(Hello) as server, serving(server, lambda request, forward: forward(request)) as url:
        own = httpx.get(url.replace("127.0.0.1", "localhost"), trust_env=False)
        foreign = httpx.get(url, headers={"Host": "evil.example.com"}, trust_env=False)

    assert (own.status_code, foreign.status_code) == (200, 421)


def test_the_body_of_a_response_does_not_wait_for_the_acknowledgement_of_its_head() -> None:
    with listen(0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_response_to_head_keeps_the_length_of_what_a_get_has() -> None:
    class Sized(LocalHandler):
        def do_HEAD(self) -> None:  # noqa: N802 - of http.server
            self.respond(200, b"", {"Content-Length": "12345"})

    with local_servers.serving(Sized) as upstream, serving(upstream, lambda request, forward: forward(request)) as url:
        response = httpx.head(f"{url}/v2", trust_env=False)

    assert (response.headers["content-length"], response.content) == ("12345", b"")
