"""The store while several work on it, or on its folder, at the same time."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.storage.errors import NoSuchBucket, PreconditionFailed, StoreError
from modelarts_emulator.storage.objects import ALWAYS, PLAIN, Attributes, Condition
from modelarts_emulator.storage.protocol import Store

Hook = Callable[[str, Callable[[Any], None]], None]


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Hook:
    """Do something right before a function of `os` or `shutil` does its work, with the path that it was given."""

    def hook(name: str, act: Callable[[Any], None]) -> None:
        module: Any = shutil if name == "rmtree" else os
        original = getattr(module, name)
        acting = threading.local()

        def call(path: Any, *rest: Any, **named: Any) -> Any:
            if not getattr(acting, "is_set", False):
                acting.is_set = True
                try:
                    act(path)
                finally:
                    acting.is_set = False
            return original(path, *rest, **named)

        monkeypatch.setattr(module, name, call)

    return hook


def _vanishing(folder: Path, at_look: int = 1) -> Callable[[Any], None]:
    """Removes the folder when somebody looks at it for the first, second, ... time."""
    looks = [0]

    def act(path: Any) -> None:
        looks[0] += str(path).rstrip("/") == str(folder)
        if looks[0] == at_look and folder.exists():
            shutil.rmtree(folder)

    return act


@pytest.mark.parametrize("call", ["stat", "scandir"])
@pytest.mark.parametrize("delimiter", ["", "/"])
def test_a_folder_that_vanishes_while_it_is_listed_is_empty(
    store: Store, before: Hook, call: str, delimiter: str
) -> None:
    """A listing leaves out a folder that is removed between being seen and being opened, and continues."""
    store.put("data", "code/a.py", b"")
    store.put("data", "code/tmp/x", b"")
    store.put("data", "code/z.py", b"")
    before(call, _vanishing(store.root / "data" / "code" / "tmp"))

    listing = store.list("data", "code/", delimiter)
    assert ([info.key for info in listing.objects], listing.prefixes) == (["code/a.py", "code/z.py"], [])


@pytest.mark.parametrize("at_look", [1, 2])
def test_a_bucket_that_vanishes_is_left_out_of_the_list(store: Store, before: Hook, at_look: int) -> None:
    """The list of buckets leaves out one that is deleted while it is made."""
    (store.root / "other").mkdir()
    before("stat", _vanishing(store.root / "other", at_look))

    assert [bucket.name for bucket in store.buckets()] == ["data"]


def test_a_file_that_arrives_while_its_bucket_is_deleted_stays(store: Store, before: Hook) -> None:
    """A bucket is deleted directory by directory, so a file that was put there since it was seen empty is kept."""
    (store.root / "data" / "empty").mkdir()
    late = store.root / "data" / "late"
    arrived: list[Path] = []

    def arrive(_: Any) -> None:
        if not arrived:
            arrived.append(late)
            late.touch()

    for name in ("rmdir", "rmtree"):
        before(name, arrive)

    with store_error("BucketNotEmpty"):
        store.delete_bucket("data")
    assert late.exists()


@pytest.fixture
def has_asked(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set as soon as a writer of this process was refused the lock, because another Store holds it."""
    original, event = fcntl.flock, threading.Event()

    def flock(file: Any, operation: int) -> None:
        try:
            original(file, operation)
        except BlockingIOError:
            event.set()
            raise

    monkeypatch.setattr(fcntl, "flock", flock)
    return event


def _write(store: Store, results: list[str], is_done: threading.Event, condition: Condition = ALWAYS) -> None:
    """Write an object; what became of it is appended to the results."""
    try:
        with store.draft("data", "x") as draft:
            draft.write(b"here")
            draft.commit(condition=condition)
    except (NoSuchBucket, PreconditionFailed):
        results.append("rejected")
    else:
        results.append("acknowledged")
    finally:
        is_done.set()


def test_an_acknowledged_object_does_not_vanish_with_its_bucket(
    store: Store, before: Hook, has_asked: threading.Event
) -> None:
    """A write that begins while the bucket is deleted either fails, or its object is there afterwards."""
    (store.root / "data" / "empty").mkdir()
    results: list[str] = []
    writer = threading.Thread(target=_write, args=(Store(store.root), results, has_asked))

    def begin(_: Any) -> None:
        if writer.ident is None:
            writer.start()
            assert has_asked.wait(300)

    before("rmdir", begin)
    before("rmtree", begin)
    try:
        store.delete_bucket("data")
    except StoreError:
        deleted = False
    else:
        deleted = True
    writer.join()

    assert results == (["rejected"] if deleted else ["acknowledged"])
    assert store.has_bucket("data") is not deleted


_OTHER_PROCESS = """
import os, sys
from pathlib import Path
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.storage.objects import Condition

store, replace = Store(Path(sys.argv[1])), os.replace
def wait(source, target):
    print("inside", flush=True)
    sys.stdin.readline()
    replace(source, target)
with store.draft("data", "x") as draft:
    draft.write(b"there")
    os.replace = wait
    draft.commit(condition=Condition(if_match=sys.argv[2]))
"""


def test_of_processes_that_replace_one_state_one_succeeds(store: Store, has_asked: threading.Event) -> None:
    """`if_match` and the replacement are one step: two writers that saw the same state do not both replace it."""
    etag = store.put("data", "x", b"0").etag
    command = [sys.executable, "-c", _OTHER_PROCESS, str(store.root), etag]
    results: list[str] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "inside\n"
        writer = threading.Thread(target=_write, args=(store, results, has_asked, Condition(if_match=etag)))
        writer.start()
        assert has_asked.wait(300)
        other.communicate("continue\n")
        writer.join()

    assert (other.returncode, results, Store(store.root).read("data", "x")) == (0, ["rejected"], b"there")


@pytest.mark.parametrize("new", [PLAIN, Attributes(metadata={"of": "new"})])
def test_a_reader_never_gets_an_object_with_other_metadata(store: Store, before: Hook, new: Attributes) -> None:
    """An object that another process replaces between its being opened and described is opened again."""
    store.put("data", "x", b"old", Attributes(metadata={"of": "old"}))
    reader, replaced = Store(store.root), list[Any]()

    def replace(_: Any) -> None:
        if not replaced:
            replaced.append(store.put("data", "x", b"new", new))

    before("fstat", replace)
    info, stream = reader.get("data", "x")
    with stream:
        found = stream.read(), info.metadata
    assert found in ((b"old", {"of": "old"}), (b"new", new.metadata))
    assert replaced
    assert reader.head("data", "x").metadata == new.metadata
