"""s3cmd works with buckets and objects, with either version of the signature."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.clients.conftest import output_of, python_of

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

    return lambda *arguments: output_of(program, *arguments, variables=client_variables)


@pytest.fixture
def bucket(s3cmd: Run) -> str:
    name = f"s3cmd-{uuid.uuid4().hex[:12]}"
    s3cmd("mb", f"s3://{name}")
    return f"s3://{name}"


def test_files_are_put_listed_read_and_deleted(s3cmd: Run, bucket: str, tmp_path: Path) -> None:
    """A large one travels in parts; the older signature is accepted in headers, and in URLs, which have no other."""
    odd = f"{bucket}/d/odd name+&'\"ü.txt"
    (tmp_path / "small").write_bytes(b"0123456789")
    (tmp_path / "large").write_bytes(LARGE)
    s3cmd("put", "--add-header=x-amz-meta-who:me", "--signature-v2", str(tmp_path / "small"), odd)
    s3cmd("put", str(tmp_path / "large"), f"{bucket}/d/large")

    assert [line.split()[-1] for line in s3cmd("ls", bucket).splitlines()] == [f"{bucket}/d/"]
    assert odd in s3cmd("ls", "--signature-v2", f"{bucket}/d/")
    assert "x-amz-meta-who: me" in s3cmd("info", odd)
    s3cmd("get", f"{bucket}/d/large", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == LARGE
    s3cmd("cp", odd, f"{bucket}/copy")
    assert httpx.get(s3cmd("signurl", f"{bucket}/copy", "+60").strip()).content == b"0123456789"
    s3cmd("del", f"{bucket}/copy")
    assert s3cmd("ls", f"{bucket}/copy") == ""


def test_a_tree_is_synchronised_and_its_bucket_removed(s3cmd: Run, bucket: str, tmp_path: Path) -> None:
    """A second synchronisation finds by MD5 that nothing changed."""
    for name in ("tree/a", "tree/b/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    s3cmd("sync", f"{tmp_path}/tree/", f"{bucket}/")
    (tmp_path / "tree/a").touch()
    assert "upload:" not in s3cmd("sync", f"{tmp_path}/tree/", f"{bucket}/")
    s3cmd("rb", "--recursive", "--force", bucket)

    assert bucket not in s3cmd("ls")
