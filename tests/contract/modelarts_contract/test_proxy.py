"""The proxy in front of a service reaches it as the settings say."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from modelarts_contract.proxy import listen, serving
from modelarts_toolkit.settings.config import Config


class Hello(BaseHTTPRequestHandler):
    """A server that says which target it was asked for."""

    def do_GET(self) -> None:
        content = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def hello(tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The host and port of a server, with TLS if it is given."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


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

    with hello(tls) as server:
        assert through(f"https://{server}", Config(ca_bundle=str(tmp_path / "crt"))) == "/v2"


def test_the_service_is_reached_through_the_proxy_of_the_settings() -> None:
    with hello() as proxy:
        config = Config(proxy=f"http://{proxy}")

        assert through("http://modelarts.example.com", config) == "http://modelarts.example.com/v2"


def test_the_service_is_reached_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the settings goes before it."""
    with hello() as proxy:
        monkeypatch.setenv("http_proxy", f"http://{proxy}")
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
    with hello() as server, serving(f"http://{server}", lambda request, forward: forward(request)) as url:
        own = httpx.get(url.replace("127.0.0.1", "localhost"), trust_env=False)
        foreign = httpx.get(url, headers={"Host": "evil.example.com"}, trust_env=False)

    assert (own.status_code, foreign.status_code) == (200, 421)


def test_the_body_of_a_response_does_not_wait_for_the_acknowledgement_of_its_head() -> None:
    with listen(0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
