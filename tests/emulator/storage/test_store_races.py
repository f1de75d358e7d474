"""The store while several work on it, or on its folder, at the same time."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.storage.errors import NoSuchBucket, PreconditionFailed, StoreError
from modelarts_emulator.storage.objects import Attributes, Condition
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


def test_an_acknowledged_object_does_not_vanish_with_its_bucket(store: Store, before: Hook) -> None:
    """A write that begins while the bucket is deleted either fails, or its object is there afterwards."""
    (store.root / "data" / "empty").mkdir()
    results: list[str] = []

    def write() -> None:
        try:
            store.put("data", "x", b"1")
        except NoSuchBucket:
            results.append("rejected")
        else:
            results.append("acknowledged")

    writer = threading.Thread(target=write)

    def begin(_: Any) -> None:
        if writer.ident is None:
            writer.start()
            writer.join(0.1)

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


def test_of_writers_that_replace_one_state_one_succeeds(store: Store, before: Hook) -> None:
    """`if_match` and the replacement are one step: two writers that saw the same state do not both replace it."""
    etag = store.put("data", "x", b"0").etag
    together = threading.Barrier(2, timeout=0.2)

    def wait(path: Any) -> None:
        if Path(path).parent.name == ".drafts":
            try:
                together.wait()
            except threading.BrokenBarrierError:
                return

    before("replace", wait)
    monkey, results = threading.Barrier(2), []

    def replace(text: bytes) -> None:
        with store.draft("data", "x") as draft:
            draft.write(text)
            monkey.wait()
            try:
                draft.commit(condition=Condition(if_match=etag))
            except PreconditionFailed:
                return
            results.append(text)

    threads = [threading.Thread(target=replace, args=(text,)) for text in (b"1", b"2")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [store.read("data", "x")] == results


def test_a_reader_never_gets_an_object_without_its_metadata(store: Store, before: Hook) -> None:
    """An object that is replaced between being opened and being described is opened again."""
    store.put("data", "x", b"old", Attributes(metadata={"of": "old"}))
    replaced: list[bool] = []

    def replace(_: Any) -> None:
        if not replaced:
            replaced.append(True)
            store.put("data", "x", b"new", Attributes(metadata={"of": "new"}))

    before("fstat", replace)
    info, stream = store.get("data", "x")
    with stream:
        assert (stream.read().decode(), info.metadata) == (info.metadata["of"], {"of": info.metadata["of"]})


def test_sidecars_of_replaced_and_deleted_objects_go(store: Store) -> None:
    """Writers of one key at the same time leave one sidecar, that of the last one; deleting it leaves none."""

    def sidecars() -> int:
        return len(list((store.root / ".meta" / "data").rglob("?" * 62))) - 1  # one is the bucket's

    threads = [
        threading.Thread(
            target=lambda: [store.put("data", "x", b"1", Attributes(metadata={"a": "b"})) for _ in range(10)]
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sidecars() == 1
    store.put("data", "x", b"without metadata")
    assert sidecars() == 0
    store.put("data", "x", b"1", Attributes(metadata={"a": "b"}))
    store.delete("data", "x")
    assert sidecars() == 0
