"""Proxies: which addresses use one, which schemes there are, and what is said when one is down or wrong."""

import os
import socket
import socketserver
import ssl
import threading
from contextlib import contextmanager, suppress
from urllib.request import getproxies

import httpx
import pytest
from tests.local_servers import LocalHandler, free_ports, serving

from modelarts_toolkit import ApiError, Config, ConfigError, ConnectionFailed, ModelArts, Obs, ObsError
from modelarts_toolkit.http import transport
from modelarts_toolkit.http.transport import Network, named_proxy, tls_context
from modelarts_toolkit.storage.buckets import connect
from modelarts_toolkit.urls import checked_proxy


@pytest.fixture(autouse=True)
def no_proxy_of_the_machine(monkeypatch):
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("no_proxy", "direct", "proxied"),
    [
        ("*", ["a.example", "10.1.2.3"], []),
        ("example", ["example", "a.example"], ["anexample", "example.com"]),
        (".example", ["a.example", "a.b.example"], ["anexample"]),
        ("*.example", ["a.example", "a.b.example"], ["anexample"]),
        ("A.Example", ["a.example", "A.EXAMPLE"], ["b.example"]),
        ("10.0.0.0/8", ["10.0.0.1", "10.255.255.255"], ["11.0.0.1", "a.example"]),
        ("10.1.2.3", ["10.1.2.3"], ["10.1.2.30"]),
        ("fd00::/8, b.example", ["[fd00::1]", "b.example"], ["[fe00::1]"]),
        ("[fd00::1]:443", ["[fd00::1]"], ["[fd00::1]:8443", "[fd00::2]"]),
        ("fd00::1", ["[fd00::1]", "[fd00::1]:8443"], ["[fd00::2]"]),
        ("a.example:8443 b.example:443", ["a.example:8443", "b.example"], ["a.example", "b.example:8443"]),
        ("10.0.0.0/8:8443", ["10.0.0.1:8443"], ["10.0.0.1"]),
        (" ,a.example,, ", ["a.example"], ["b.example"]),
        ("1.2.3.4/x, a.example:no", [], ["1.2.3.4", "a.example"]),
        ("", [], ["a.example"]),
    ],
)
@pytest.mark.parametrize("variable", ["no_proxy", "NO_PROXY"])
def test_no_proxy_has_domains_networks_and_ports(monkeypatch, variable, no_proxy, direct, proxied):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.net:3128")
    monkeypatch.setenv(variable, no_proxy)

    assert {host: named_proxy(f"https://{host}") for host in direct} == dict.fromkeys(direct)
    assert all(named_proxy(f"https://{host}") for host in proxied)
    assert named_proxy("https://a.example", "http://own.example.net") is not None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("proxy.example.net:3128", "http://proxy.example.net:3128"),
        ("HTTP://proxy.example.net:3128/", "http://proxy.example.net:3128/"),
        ("https://u:p%40ss@proxy.example.net", "https://u:p%40ss@proxy.example.net"),
        ("socks://proxy.example.net:1080", "socks5://proxy.example.net:1080"),
        ("SOCKS5H://[::1]:1080", "socks5h://[::1]:1080"),
    ],
)
def test_the_address_of_a_proxy_is_completed(given, expected):
    assert checked_proxy("proxy", given) == Config(proxy=given).proxy == expected
    assert httpx.Proxy(expected).url.host


@pytest.mark.parametrize("scheme", ["socks4", "ftp", "file", "ws", "sock s5"])
@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "proxy"])
def test_a_proxy_of_another_scheme_is_named_by_its_variable(monkeypatch, variable, scheme):
    url, configured = f"{scheme}://user:geh31m@proxy.example.net:1", None
    if variable == "proxy":
        configured = url
    else:
        monkeypatch.setenv(variable, url)
    with pytest.raises(ConfigError, match=f"^{variable} must start with one of http://") as caught:
        named_proxy("https://ma.example", configured)
    assert "geh31m" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["u:geh31m@", "u:geh31m@host:port", "u:geh/31m@host", "u:geh#31m@host", "geh31m host", "host:99999"]
)
def test_what_is_not_the_address_of_a_proxy_is_not_shown(monkeypatch, address):
    monkeypatch.setenv("HTTPS_PROXY", f"http://{address}")
    with pytest.raises(ConfigError, match=r"^HTTPS_PROXY is not the URL of a proxy: write it as ") as caught:
        named_proxy("https://ma.example")
    assert "31m" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["socks", "socks5", "socks5h"])
def test_a_socks_proxy_needs_an_extra(monkeypatch, scheme):
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://proxy.example.net:1080")
    found = named_proxy("https://ma.example")
    assert found == (f"{'socks5' if scheme == 'socks' else scheme}://proxy.example.net:1080", "ALL_PROXY")

    monkeypatch.setattr(transport, "find_spec", lambda _: None)
    with pytest.raises(
        ConfigError, match=r"^ALL_PROXY is a SOCKS proxy, which needs one more library: pip install .*\["
    ):
        named_proxy("https://ma.example")
    assert named_proxy("http://127.0.0.1:1") is None


def test_object_storage_says_that_it_knows_no_socks_proxy():
    config = Config(
        obs_endpoint="https://obs.example", access_key="AKAK1", secret_key="SKSK1", proxy="socks5://p.example:1080"
    )
    with pytest.raises(ConfigError, match=r"object storage cannot be reached through a SOCKS proxy \(proxy\)"):
        connect(config, "bucket")


class _Socks(socketserver.StreamRequestHandler):
    """Accepts any user, and connects to the port that a name of the form `port-PORT.example` has."""

    def handle(self):
        methods = self.rfile.read(self.rfile.read(2)[1])
        self.wfile.write(bytes([5, 2 if 2 in methods else 0]))
        if 2 in methods:
            self.rfile.read(self.rfile.read(2)[1])
            self.rfile.read(self.rfile.read(1)[0])
            self.wfile.write(b"\1\0")
        *_, length = self.rfile.read(5)
        host, port = self.rfile.read(length).decode(), self.rfile.read(2)
        with socket.create_connection(("127.0.0.1", int(host.split(".")[0].removeprefix("port-")))) as other:
            self.wfile.write(b"\5\0\0\1\0\0\0\0" + port)
            threading.Thread(target=self._copy, args=[other], daemon=True).start()
            while data := other.recv(65536):
                self.wfile.write(data)

    def _copy(self, other):
        with suppress(OSError):  # the end
            while data := self.request.recv(65536):
                other.sendall(data)


class _Service(LocalHandler):
    def do_GET(self):
        self.respond(200, b'{"total_count": 0, "flavors": []}')


@contextmanager
def _socks():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Socks) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=[0.01]).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize("scheme", ["socks", "socks5", "socks5h"])
def test_a_call_goes_through_a_socks_proxy(scheme):
    with serving(_Service) as url, _socks() as port:
        proxy = f"{scheme}://user:geh31m@127.0.0.1:{port}"
        endpoint = f"http://port-{url.rpartition(':')[2]}.example"
        with ModelArts(endpoint=endpoint, project_id="p", token="t" * 20, proxy=proxy) as ma:
            assert ma.v2.flavors.show_training_job_flavors().flavors == []


def _unused():
    return f"u:geh31m@127.0.0.1:{free_ports(1)[0]}"


@pytest.mark.parametrize("source", ["HTTPS_PROXY", "all_proxy", "setting"])
@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
def test_a_proxy_that_is_down_is_named_without_its_password(monkeypatch, source, scheme):
    proxy = f"{scheme}://{_unused()}"
    setting = proxy if source == "setting" else None
    if setting is None:
        monkeypatch.setenv(source, proxy)
    ma = ModelArts(endpoint="https://ma.example", project_id="p", token="t" * 20, retries=0, proxy=setting)
    with pytest.raises(ConnectionFailed, match="is the proxy running, and is this its address") as caught:
        ma.v2.flavors.show_training_job_flavors()
    shown, name = f"{scheme}://{proxy.rpartition('@')[2]}", "proxy" if setting else source
    assert f"https://ma.example through the proxy {shown} ({name}) (" in str(caught.value)
    assert "geh31m" not in str(caught.value)


def test_object_storage_names_a_proxy_that_is_down(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", proxy := f"http://{_unused()}")
    config = Config(obs_endpoint="https://store.example", access_key="AKAK1", secret_key="SKSK1", retries=0)
    with pytest.raises(ObsError, match=r"store.example through the proxy .* is the proxy running") as caught:
        Obs(config).list("obs://bucket/")
    assert proxy.rpartition("@")[2] in str(caught.value)
    assert "geh31m" not in str(caught.value)


class _Refusing(LocalHandler):
    def do_CONNECT(self):  # noqa: N802 - of http.server
        self.respond(407, b"not with this password", {"Proxy-Authenticate": 'Basic realm="x"'})


def test_a_proxy_that_refuses_is_named():
    with serving(_Refusing) as url:
        proxy = url.replace("http://", "http://u:geh31m@")
        ma = ModelArts(endpoint="https://ma.example", project_id="p", token="t" * 20, retries=0, proxy=proxy)
        with pytest.raises(ConnectionFailed, match=r"\(407 .*correct the proxy, its user or its password") as caught:
            ma.v2.flavors.show_training_job_flavors()
    assert f"through the proxy {url} (proxy)" in str(caught.value)


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR", "ca_bundle"])
@pytest.mark.parametrize("kind", ["missing", "empty"])
def test_certificates_that_cannot_be_read_are_named(monkeypatch, tmp_path, name, kind):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    path, bundle = tmp_path / kind, None
    if kind == "empty":
        path.mkdir() if name == "SSL_CERT_DIR" else path.write_text("no certificate")
    if name == "ca_bundle":
        bundle = str(path)
    else:
        monkeypatch.setenv(name, str(path))
    if (name, kind) == ("SSL_CERT_DIR", "empty"):
        assert isinstance(tls_context(is_https=True), ssl.SSLContext)
    else:
        with pytest.raises(ConfigError, match=f"^{name} {path} cannot be used: .*: correct the path, or unset it$"):
            tls_context(is_https=True, ca_bundle=bundle)
        with pytest.raises(ConfigError, match=f"^{name} {path} cannot be used"):
            Network(config=Config(ca_bundle=bundle)).transport("https://ma.example")
        keys = Config(obs_endpoint="https://obs.example", access_key="AKAK1", secret_key="SKSK1", ca_bundle=bundle)
        with pytest.raises(ConfigError, match=f"^{name} {path} cannot be used"):
            connect(keys, "bucket")
    assert isinstance(tls_context(is_https=True, ca_bundle=bundle, verify=False), ssl.SSLContext)
    if name != "ca_bundle":
        assert isinstance(tls_context(is_https=False), ssl.SSLContext)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_an_error_about_a_redirect_names_where_it_leads(status):
    class Moved(LocalHandler):
        def do_GET(self):
            self.respond(
                status, b"", {"Location": "https://user:geh31m@new.example.net/v2/p?X-Amz-Signature=0123456789"}
            )

    says = f"^{status}: the service redirects to https://"
    with serving(Moved) as url, pytest.raises(ApiError, match=says) as caught:
        ModelArts(endpoint=url, project_id="p", token="t" * 20).v2.flavors.show_training_job_flavors()
    assert "new.example.net/v2/p: correct the address of the endpoint" in str(caught.value)
    assert "geh31m" not in str(caught.value)
    assert "0123456789" not in str(caught.value)


def test_proxies_of_the_machine_do_not_reach_these_tests():
    assert set(getproxies()) <= {"no"}
