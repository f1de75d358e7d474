"""Requests: repeated where that helps, errors that say what to do, no secrets in them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.emulator.job_packages.moxing.conftest import Run

import moxing as mox
from modelarts_emulator.control.client import ObjectControl
from modelarts_emulator.server import Emulator
from moxing import client


@pytest.fixture
def faulty(emulator: Emulator, objects: ObjectControl, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """An emulator whose faults end with the test; pauses between attempts are short."""
    monkeypatch.setattr(client, "FIRST_PAUSE_S", 0.001)
    yield emulator
    emulator.faults.clear()


def test_requests_are_repeated(faulty: Emulator, bucket: str, objects: ObjectControl, tmp_path: Path) -> None:
    """Two failures in a row, and connections that end in the middle of a body, cost no more than time."""
    content = os.urandom(3_000_000)
    faults: list[dict[str, Any]] = [
        *({"kind": "status", "status": 503}, {"kind": "status", "status": 429}, {"kind": "html", "status": 502}),
        *({"kind": "drop", "moment": "before"}, {"kind": "drop", "moment": "after"}),
    ]
    for fault in faults:
        faulty.faults.clear()
        faulty.faults.add(document="obs", **fault, count=2)
        mox.file.write(f"{bucket}/file", content, binary=True)
        faulty.faults.add(document="obs", **fault, count=2)

        assert mox.file.read(f"{bucket}/file", binary=True) == content, fault
        assert objects.get(f"{bucket}/file") == content, fault
        assert [fault["applied"] for fault in faulty.faults.list()] == [2, 2], fault

    faulty.faults.clear()
    faulty.faults.add(document="obs", kind="drop", moment="body", count=3)
    mox.file.copy(f"{bucket}/file", tmp_path / "back")

    assert (tmp_path / "back").read_bytes() == content
    assert faulty.faults.list()[0]["applied"] == 3


def test_an_outage_ends_with_an_error_that_names_the_object(faulty: Emulator, bucket: str) -> None:
    """The status, the code and the message of the storage are reported, and no attempt beyond the limit is made."""
    faulty.faults.add(document="obs", kind="status", status=503, code="SlowDown", count=9)

    with pytest.raises(mox.file.MoxFileRespException, match=f"cannot upload {bucket}/x: 503 SlowDown") as caught:
        mox.file.write(f"{bucket}/x", "content")

    assert caught.value.resp.status == 503
    assert faulty.faults.list()[0]["applied"] == client.ATTEMPTS


def test_what_is_wrong_with_a_variable_is_reported_without_the_secret(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key, an endpoint at which nobody responds, and one that is missing; 403 is not repeated."""
    with monkeypatch.context() as patch:
        patch.setenv("SECRET_ACCESS_KEY", "wrong-and-secret")
        remedy = r"403 SignatureDoesNotMatch: .*\(check ACCESS_KEY_ID"
        with pytest.raises(mox.file.MoxFileRespException, match=remedy) as caught:
            mox.file.read(f"{bucket}/x")
        assert "wrong-and-secret" not in str(caught.value) + repr(client.current())

    monkeypatch.setattr(client, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setenv("S3_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ConnectionError, match=r"http://127\.0\.0\.1:9 cannot be reached .* check S3_ENDPOINT"):
        mox.file.exists(f"{bucket}/x")
    monkeypatch.delenv("S3_ENDPOINT")
    with pytest.raises(ValueError, match="a job of the emulator has S3_ENDPOINT, ACCESS_KEY_ID, SECRET_ACCESS_KEY"):
        mox.file.exists(f"{bucket}/x")


KEYS = st.lists(
    st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
        lambda part: part not in (".", "..") and "\0" not in part and len(part.encode()) < 200
    ),
    min_size=1,
    max_size=3,
).map("/".join)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=KEYS, content=st.binary(max_size=100))
@example("a b+c%20d&e=f?g#h", b"")
@example("ü/\u4e2d\u6587/\U0001f600", b"1")
@example("new\nline/tab\t/'\"<&>/\x7f", b"2")
@example("~*!().,;:@$/x\\y", b"3")
@example("\x01\x1f/ /%2F", b"4")
def test_objects_with_any_key_are_written_listed_read_and_copied(
    objects: ObjectControl, tmp_path: Path, key: str, content: bytes
) -> None:
    """Whatever characters a key has, it is the same key everywhere."""
    bucket = f"obs://b-{uuid.uuid4().hex[:12]}"
    objects.put(f"{bucket}/before", b"")

    mox.file.write(f"{bucket}/dir/{key}", content, binary=True)
    mox.file.copy(f"{bucket}/dir/{key}", f"{bucket}/copy/{key}")
    mox.file.copy_parallel(f"{bucket}/copy", tmp_path / bucket[6:])

    assert objects.list(f"{bucket}/copy") == [f"{bucket}/copy/{key}"]
    assert objects.get(f"{bucket}/copy/{key}") == content
    assert mox.file.list_directory(f"{bucket}/dir", recursive=True, skip_dir=True) == [key]
    assert mox.file.read(f"{bucket}/copy/{key}", binary=True) == content
    assert (tmp_path / bucket[6:] / key).read_bytes() == content
    mox.file.remove(f"{bucket}/copy", recursive=True)
    assert not mox.file.exists(f"{bucket}/copy")


def test_threads_share_connections_and_one_that_was_closed_is_replaced(bucket: str) -> None:
    """Each thread gets what it wrote; the storage may close connections at any time."""

    def round_trip(number: int) -> bool:
        mox.file.write(f"{bucket}/{number}", str(number))
        return bool(mox.file.read(f"{bucket}/{number}") == str(number))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(round_trip, range(40)))

    for idle in client._idle.values():
        for connection in idle:
            connection.sock.shutdown(2)

    assert round_trip(0)


def test_a_forked_process_has_connections_of_its_own(bucket: str, run_script: Run) -> None:
    """Workers that load data are forked with connections open; both processes go on."""
    mox.file.write(f"{bucket}/file", "content")

    run_script(f"""
import moxing as mox, os
url = {bucket!r} + "/file"
mox.file.read(url)
child = os.fork()
ok = all(mox.file.read(url) == "content" for _ in range(20))
if child == 0:
    os._exit(0 if ok else 1)
assert ok and os.waitpid(child, 0)[1] == 0
""")


def test_a_script_with_keys_for_the_service_uses_the_emulator(bucket: str) -> None:
    """`set_auth` takes what public scripts give it, also what is not documented, and changes nothing."""
    mox.file.set_auth(ak="other", sk="secret", server="obs.example.com", port=8443, is_secure=True, negotiation=False)
    mox.file.write(f"{bucket}/file", "content")

    assert mox.file.read(f"{bucket}/file") == "content"
