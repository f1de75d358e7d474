"""Uploads: what is sent again, what is removed, what is too much, and whether it arrived."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from tests.local_servers import LocalHandler, serving
from tests.overlays.conftest import Call

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Obs, Transfer
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.uploads import PART, UploadProgress


def test_a_file_whose_content_is_there_already_is_not_sent_again(obs: Call, bucket: str, tree: Path) -> None:
    url = f"obs://{bucket}/code/"
    obs("upload", tree, url)

    assert obs("upload", tree, url) == Transfer(files=0, bytes=0, unchanged=3)
    (tree / "a.txt").write_text("b")  # of the same size
    os.utime(tree / "sub" / "deeper" / "empty")
    assert obs("upload", tree, url) == Transfer(files=1, bytes=1, unchanged=2)
    assert obs("upload", tree / "a.txt", f"{url}a.txt") == Transfer(files=0, bytes=0, unchanged=1)


def test_an_object_that_was_changed_in_the_store_is_sent_again(
    obs_config: Config, bucket: str, tree: Path, store: Emulator
) -> None:
    """Also by hand, in the emulator's folder, where what was noted about the object stays behind."""
    obs = Obs(obs_config)
    obs.upload(tree, f"obs://{bucket}/code/")
    (store.data_dir / "objects" / bucket / "code" / "a.txt").write_text("x")

    assert obs.upload(tree, f"obs://{bucket}/code/") == Transfer(files=1, bytes=1, unchanged=2)


def test_sync_removes_what_the_folder_does_not_have_and_nothing_else(obs: Call, bucket: str, tree: Path) -> None:
    """What .modelartsignore names is neither sent nor removed; nor is anything beside the folder."""
    obs("upload", tree, f"obs://{bucket}/code/")
    obs("upload", tree / "a.txt", f"obs://{bucket}/code-2/a.txt")
    obs("upload", tree / "a.txt", f"obs://{bucket}/code/results/a.txt")
    (tree / "a.txt").unlink()
    (tree / ".modelartsignore").write_text("results/\n")
    assert obs("upload", tree, f"obs://{bucket}/code").removed == 0

    done = obs("upload", tree, f"obs://{bucket}/code", sync=True)

    assert done == Transfer(files=0, bytes=0, unchanged=2, removed=1)
    left = [stored.url.removeprefix(f"obs://{bucket}/") for stored in obs("list", f"obs://{bucket}/")]
    assert left == ["code-2/a.txt", "code/results/a.txt", "code/sub/b b%20+#?ü.txt", "code/sub/deeper/empty"]


@pytest.mark.parametrize(
    ("source", "url", "reason"),
    [
        ("tree", "obs://{}", "is not a folder below a bucket"),
        ("tree/a.txt", "obs://{}/code/", "is not a folder below a bucket"),
        ("empty", "obs://{}/code/", "has no files to upload"),
    ],
)
def test_sync_that_could_remove_everything_by_mistake_is_rejected(
    obs_config: Config, bucket: str, tree: Path, tmp_path: Path, source: str, url: str, reason: str
) -> None:
    (tmp_path / "empty").mkdir()
    obs = Obs(obs_config)
    obs.upload(tree, f"obs://{bucket}/code/")

    with pytest.raises(ObsError, match=reason):
        obs.upload(tmp_path / source, url.format(bucket), sync=True)

    assert len(obs.list(f"obs://{bucket}/")) == 3


NOWHERE = Config(obs_endpoint="http://127.0.0.1:9", access_key="a", secret_key="s")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("many", "at most 1000 files, not 1001"),
        ("large", "at most 5368709120 bytes, not 5368709121"),
        ("deep", r"at most 32 levels \(code/0/1/.*\), not 33"),
    ],
)
def test_a_code_directory_that_is_too_much_is_rejected_before_anything_is_sent(
    tmp_path: Path, kind: str, message: str
) -> None:
    """No store listens here."""
    source = tmp_path / "code"
    source.mkdir()
    if kind == "many":
        for number in range(1001):
            (source / f"{number}.py").touch()
    elif kind == "large":
        with (source / "large").open("wb") as file:
            file.truncate(5 * 1024**3 + 1)
    else:
        folder = source.joinpath(*map(str, range(33)))
        folder.mkdir(parents=True)
        (folder / "train.py").touch()

    with pytest.raises(ObsError, match=message):
        Obs(NOWHERE).upload(source, "obs://bucket/code/", code=True)


def test_stale_objects_count_in_a_code_directory(obs_config: Config, bucket: str, tree: Path, store: Emulator) -> None:
    """Nothing is sent; with `sync` there is room."""
    folder = store.data_dir / "objects" / bucket / "code"
    folder.mkdir()
    for number in range(998):
        (folder / f"{number}.py").touch()
    obs = Obs(obs_config)

    with pytest.raises(ObsError, match=r"at most 1000 files, not 1001: .*delete what is stale at obs://"):
        obs.upload(tree, f"obs://{bucket}/code/", code=True)
    assert len(obs.list(f"obs://{bucket}/code/")) == 998
    assert obs.upload(tree, f"obs://{bucket}/code/", code=True, sync=True).removed == 998


def test_progress_is_reported_file_by_file(obs: Call, bucket: str, tree: Path) -> None:
    """What need not be sent counts."""
    steps: list[UploadProgress] = []
    obs("upload", tree / "a.txt", f"obs://{bucket}/code/a.txt")

    obs("upload", tree, f"obs://{bucket}/code/", on_progress=steps.append)

    assert [step.files for step in steps] == [1, 2, 3]
    assert (steps[-1].bytes, steps[-1].total_files, steps[-1].total_bytes) == (3, 3, 3)
    assert {step.url for step in steps} == {stored.url for stored in obs("list", f"obs://{bucket}/code/")}


def test_the_search_for_many_files_is_reported_and_can_be_ended(tmp_path: Path) -> None:
    """No store listens here."""
    for number in range(1200):
        (tmp_path / f"{number}.txt").write_text("ab")
    steps: list[UploadProgress] = []

    def stop(progress: UploadProgress) -> None:
        steps.append(progress)
        if len(steps) == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        Obs(NOWHERE).upload(tmp_path, "obs://bucket/data/", on_progress=stop)

    assert [(step.files, step.bytes, step.total_files, step.total_bytes) for step in steps] == [
        (0, 0, 500, 1000),
        (0, 0, 1000, 2000),
    ]


def test_reading_a_large_file_is_reported_before_it_is_sent(obs: Call, bucket: str, tmp_path: Path) -> None:
    """So that a signal can end it, however large the file is."""
    (tmp_path / "large.bin").write_bytes(os.urandom(20_000_000))
    steps: list[UploadProgress] = []
    obs("upload", tmp_path / "large.bin", f"obs://{bucket}/")

    assert obs("upload", tmp_path / "large.bin", f"obs://{bucket}/", on_progress=steps.append).unchanged == 1
    assert [step.bytes for step in steps] == [0, 0, 0, 20_000_000]


def test_a_named_pipe_is_not_uploaded(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(ObsError, match="pipe is a named pipe, a socket or a device: name a file or a folder"):
        Obs(NOWHERE).upload(tmp_path / "pipe", "obs://bucket/data/")


class Store(LocalHandler):
    """Object storage that keeps one object and may alter it, or give ETags that are not checksums."""

    alters: ClassVar[bool]
    has_md5: ClassVar[bool]
    kept = b""
    md5 = ""
    reads = writes = 0
    is_listed = False

    def _show(self) -> None:
        self.respond(200, b"", {"x-amz-meta-modelarts-md5": type(self).md5})

    do_HEAD = _show  # noqa: N815 - the name of http.server

    def do_GET(self) -> None:
        if "list-type" in self.path:
            found = (
                f"<Key>a.txt</Key><Size>{len(type(self).kept)}</Size><LastModified>2026-11-22T04:00:00Z</LastModified>"
            )
            entry = f"<Contents>{found}<ETag>opaque</ETag></Contents>" if type(self).is_listed else ""
            page = f"<ListBucketResult><IsTruncated>false</IsTruncated>{entry}</ListBucketResult>"
            return self._send(page.encode())
        type(self).reads += 1
        return self._send(type(self).kept)

    def do_PUT(self) -> None:
        content = self.content()
        type(self).writes += 1
        type(self).md5 = self.headers.get("x-amz-meta-modelarts-md5", "")
        type(self).kept = b"altered" if type(self).alters else content
        self._send(b"")

    def _send(self, body: bytes) -> None:
        md5 = hashlib.md5(type(self).kept).hexdigest() if type(self).has_md5 else "0123456789abcdef" * 2
        self.respond(200, body, {"ETag": f'"{md5}"', "Last-Modified": "Sun, 22 Nov 2026 04:00:00 GMT"})


@pytest.fixture
def odd_store(request: pytest.FixtureRequest) -> Iterator[tuple[type[Store], Config]]:
    alters, has_md5 = request.param
    handler = type("Handler", (Store,), {"alters": alters, "has_md5": has_md5})
    with serving(handler) as endpoint:
        yield handler, Config(obs_endpoint=endpoint, access_key="a", secret_key="s")


@pytest.mark.parametrize("odd_store", [(True, True), (True, False)], indirect=True)
@pytest.mark.parametrize("size", [1, PART])
def test_a_file_that_does_not_arrive_as_it_was_is_an_error(
    odd_store: tuple[type[Store], Config], tmp_path: Path, size: int
) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(size))

    with pytest.raises(ObsError, match=r"obs://bucket/a\.txt differs from the file"):
        Obs(odd_store[1]).upload(tmp_path / "a.txt", "obs://bucket/")


@pytest.mark.parametrize("odd_store", [(False, False)], indirect=True)
def test_etags_that_are_not_checksums_are_found_out_once(odd_store: tuple[type[Store], Config], tree: Path) -> None:
    """As in encrypted buckets: the first object is read back and no other, and its own checksum is noted beside it."""
    handler, obs = odd_store[0], Obs(odd_store[1])

    assert [(obs.upload(tree / "a.txt", "obs://bucket/").files, handler.reads) for _ in range(2)] == [(1, 1), (1, 1)]
    handler.is_listed = True
    done = obs.upload(tree / "a.txt", "obs://bucket/")

    assert (done.files, done.unchanged, handler.writes) == (0, 1, 2)
