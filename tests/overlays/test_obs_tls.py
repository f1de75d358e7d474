"""Certificates and timeouts of object storage."""

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.local_servers import LocalHandler, serving

from modelarts_toolkit import Obs, ObsError
from modelarts_toolkit.http.transport import Verify
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.buckets import Location, connect, translate_errors

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


class Quiet(ThreadingHTTPServer):
    """A server that does not print the errors of its connections."""

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients reject the certificate."""


class OneObject(LocalHandler):
    """Object storage with the object `a`, which holds `content`."""

    def do_GET(self) -> None:
        entry = "<Contents><Key>a</Key><Size>7</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
        is_list = "list-type" in self.path
        content = f"<ListBucketResult>{entry}</ListBucketResult>".encode() if is_list else b"content"
        self.respond(200, content, {"Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "ETag": '"x"'})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a new key and its certificate for 127.0.0.1; beside it, `ca.crt` is that of its authority."""
    folder = tmp_path_factory.mktemp("tls")
    common = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj")
    extensions = ("-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=CA:FALSE")
    for command in (
        (*common, "/CN=authority", "-keyout", "ca.key", "-out", "ca.crt"),
        (*common, "/CN=x", *extensions, "-CA", "ca.crt", "-CAkey", "ca.key", "-keyout", "key", "-out", "crt"),
    ):
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
    file = folder / "both.pem"
    file.write_text((folder / "key").read_text() + (folder / "crt").read_text())
    return file


@pytest.fixture(scope="module")
def config(certificate: Path) -> Iterator[Config]:
    """The settings of a store behind that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = Quiet(("127.0.0.1", 0), OneObject)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with serving(server) as url:
        yield Config(obs_endpoint=url.replace("http", "https"), access_key="a", secret_key="s", retries=0)


@pytest.mark.parametrize("way", ["careless", "context", "careless context"])
def test_verify_holds_for_object_storage(config: Config, certificate: Path, way: str, tmp_path: Path) -> None:
    """A context brings its certificates; False, and a context that checks nothing, trust every server."""
    verify: Verify = False
    if way != "careless":
        verify = ssl.create_default_context(cafile=certificate.with_name("ca.crt") if way == "context" else None)
    if way == "careless context":
        assert isinstance(verify, ssl.SSLContext)
        verify.check_hostname, verify.verify_mode = False, ssl.CERT_NONE
    obs = Obs(config, verify=verify)

    obs.download("obs://bucket/a", tmp_path)

    assert (tmp_path / "a").read_bytes() == b"content"


def test_an_unknown_certificate_is_rejected(config: Config) -> None:
    """The error names the certificate and the setting, whichever of the two libraries has made the connection."""
    message = r"the certificate of https://127\.0\.0\.1:\d+ was rejected \(.+\): .* MODELARTS_CA_BUNDLE"

    with pytest.raises(ObsError, match=message):
        Obs(config).list("obs://bucket/a")
    with pytest.raises(ObsError, match=message), translate_errors(Location("bucket", "a"), config.obs_endpoint):
        connect(config, "bucket").get("a")
