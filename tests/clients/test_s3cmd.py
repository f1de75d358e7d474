"""s3cmd works with buckets and objects, with either version of the signature."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.clients.conftest import python_of

from modelarts_emulator.server import Emulator

Run = Callable[..., str]
LARGE = bytes(range(256)) * (11 << 12)  # 11 MiB


@pytest.fixture(scope="module")
def s3cmd(emulator: Emulator, client_variables: dict[str, str]) -> Run:
    """Runs a command and returns what it prints."""
    program = Path(python_of("objects")).with_name("s3cmd")
    host = emulator.obs_endpoint.removeprefix("http://")
    Path(client_variables["HOME"], ".s3cfg").write_text(
        f"[default]\naccess_key = {emulator.identity.access_key}\nsecret_key = {emulator.identity.secret_key}\n"
        f"host_base = {host}\nhost_bucket = {host}\nuse_https = False\nsignurl_use_https = False\n"
        "bucket_location = eu-de\nmultipart_chunk_size_mb = 5\nmax_retries = 1\n"
    )

    def run(*arguments: str) -> str:
        done = subprocess.run([program, *arguments], env=client_variables, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    return run


@pytest.fixture(scope="module")
def bucket(s3cmd: Run) -> str:
    name = f"s3cmd-{uuid.uuid4().hex[:12]}"
    s3cmd("mb", f"s3://{name}")
    return f"s3://{name}"


def test_files_are_put_listed_read_and_deleted(s3cmd: Run, bucket: str, tmp_path: Path) -> None:
    """Small and large files come back as they were; a large one travels in parts."""
    (tmp_path / "small").write_bytes(b"0123456789")
    (tmp_path / "large").write_bytes(LARGE)
    s3cmd("put", "--add-header=x-amz-meta-who:me", str(tmp_path / "small"), f"{bucket}/d/odd name+&'\"ü.txt")
    s3cmd("put", str(tmp_path / "large"), f"{bucket}/d/large")

    assert [line.split()[-1] for line in s3cmd("ls", f"{bucket}").splitlines()] == [f"{bucket}/d/"]
    assert "odd name+&'\"ü.txt" in s3cmd("ls", f"{bucket}/d/")
    s3cmd("get", f"{bucket}/d/large", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == LARGE
    info = s3cmd("info", f"{bucket}/d/odd name+&'\"ü.txt")
    assert "x-amz-meta-who: me" in info
    assert "ACL:       " in info
    s3cmd("cp", f"{bucket}/d/odd name+&'\"ü.txt", f"{bucket}/copy")
    s3cmd("get", "--force", f"{bucket}/copy", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == b"0123456789"
    s3cmd("del", f"{bucket}/copy")
    assert s3cmd("ls", f"{bucket}/copy") == ""


def test_signature_version_2_and_signed_urls(s3cmd: Run, bucket: str, tmp_path: Path) -> None:
    """The older signature is accepted in headers and in URLs, which s3cmd signs with it only."""
    (tmp_path / "x").write_bytes(b"signed")
    s3cmd("put", "--signature-v2", str(tmp_path / "x"), f"{bucket}/x")
    assert f"{bucket}/x" in s3cmd("ls", "--signature-v2", bucket)
    url = s3cmd("signurl", f"{bucket}/x", "+60").strip()

    assert httpx.get(url).content == b"signed"


def test_a_tree_is_synchronised_and_its_bucket_removed(s3cmd: Run, bucket: str, tmp_path: Path) -> None:
    """A second synchronisation finds by MD5 that nothing changed."""
    for name in ("tree/a", "tree/b/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    s3cmd("mb", f"{bucket}-tree")
    s3cmd("sync", f"{tmp_path}/tree/", f"{bucket}-tree/")
    (tmp_path / "tree/a").touch()
    assert "upload:" not in s3cmd("sync", f"{tmp_path}/tree/", f"{bucket}-tree/")
    s3cmd("rb", "--recursive", "--force", f"{bucket}-tree")

    assert f"{bucket}-tree" not in s3cmd("ls")
