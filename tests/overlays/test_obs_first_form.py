"""Object storage that lists in the first form only: pages go on by `marker`, and `list-type=2` is ignored."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from tests.local_servers import LocalHandler, serving

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncObs, Obs, Transfer
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.settings.config import Config

MANY = 1010  # a page has 1,000


class FirstForm(LocalHandler):
    """Passes requests on to the emulator's store, and takes elements out of the pages of its listings."""

    protocol_version = "HTTP/1.1"
    target: ClassVar[str]
    removed: ClassVar[str]

    def _forward(self) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() != "accept-encoding"}
        url, content = self.target + self.path, self.content()
        response = httpx.request(self.command, url, headers=headers, content=content, verify=False)
        body = response.content
        if b"<ListBucketResult" in body:
            body = re.sub(rb"<(%s)>[^<]*</\1>" % self.removed.encode(), b"", body)
        kept = {name: value for name, value in response.headers.items() if name in ("etag", "content-type", "range")}
        if self.command == "HEAD":
            kept["content-length"] = response.headers.get("content-length", "0")
        self.respond(response.status_code, body, kept)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _forward  # noqa: N815 - the names of http.server


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """An emulator that is also asked under the port of another server."""
    with Emulator(tmp_path_factory.mktemp("emulator"), allowed_hosts=["127.0.0.1"]) as emulator:
        yield emulator


def forwarding(store: Emulator, removed: str) -> AbstractContextManager[str]:
    """The address of a server that lists what the store has without these elements, and keeps no metadata."""
    return serving(type("Handler", (FirstForm,), {"target": store.obs_endpoint, "removed": removed}))


@pytest.fixture
def first_form(store: Emulator) -> Iterator[Config]:
    """The settings for such a store; `NextMarker` comes with delimiters only. The emulator's own fault sends it."""
    removed = "NextContinuationToken|KeyCount|ContinuationToken|StartAfter|NextMarker"
    with forwarding(store, removed) as url:
        yield Config.load(environ={**store.environment(), "MODELARTS_OBS_ENDPOINT": url})


@pytest.fixture
def many(store: Emulator, bucket: str) -> list[str]:
    """The URLs of 1,010 objects, with characters that have to be encoded."""
    folder = store.data_dir / "objects" / bucket / "many"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number:04} +%&.txt").write_bytes(b"x")
    return [f"obs://{bucket}/many/{number:04} +%&.txt" for number in range(MANY)]


def test_each_object_is_listed_once(first_form: Config, obs_config: Config, bucket: str, many: list[str]) -> None:
    """In both forms."""
    assert [found.url for found in Obs(first_form).list(f"obs://{bucket}/many/")] == many
    assert [found.url for found in Obs(obs_config).list(f"obs://{bucket}/many/")] == many


def test_what_is_there_exists(first_form: Config, bucket: str, many: list[str]) -> None:
    """Of a folder with many objects, of an object, and of what is not there."""
    obs = Obs(first_form)

    assert [obs.exists(url) for url in (f"obs://{bucket}/many/", f"obs://{bucket}/many", many[7])] == [True] * 3
    assert not obs.exists(f"obs://{bucket}/man/")


def test_a_folder_of_many_objects_is_sent_fetched_and_deleted(
    first_form: Config, bucket: str, many: list[str], tmp_path: Path
) -> None:
    """An upload knows all objects that are there, and `sync` removes the stale ones of all pages."""
    obs, url = Obs(first_form), f"obs://{bucket}/many/"

    assert obs.download(url, tmp_path / "back") == Transfer(files=MANY, bytes=MANY)
    for number in range(10, MANY):
        (tmp_path / "back" / f"{number:04} +%&.txt").unlink()
    assert obs.upload(tmp_path / "back", url, sync=True) == Transfer(10, 10, removed=MANY - 10)
    assert [found.url for found in obs.list(url)] == many[:10]
    assert obs.delete(url) == 10


def test_objects_that_others_put_are_sent_once(
    first_form: Config, store: Emulator, bucket: str, tmp_path: Path
) -> None:
    """Their ETags say nothing about their content; what was sent is known by the next upload."""
    obs, url = Obs(first_form), f"obs://{bucket}/theirs/"
    (store.data_dir / "objects" / bucket / "theirs").mkdir()
    (store.data_dir / "objects" / bucket / "theirs" / "x.txt").write_bytes(b"x")
    obs.download(url, tmp_path / "back")

    assert obs.upload(tmp_path / "back", url, sync=True) == Transfer(1, 1)
    assert obs.upload(tmp_path / "back", url, sync=True) == Transfer(0, 0, unchanged=1)


def test_a_listing_without_etags_sends_nothing_again(store: Emulator, bucket: str, tmp_path: Path) -> None:
    """The ETag of each object is asked for."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.txt").write_text("a")
    (files / "b.txt").write_text("b")

    with forwarding(store, "ETag") as endpoint:
        obs = Obs(Config.load(environ={**store.environment(), "MODELARTS_OBS_ENDPOINT": endpoint}))
        obs.upload(files, f"obs://{bucket}/plain/", sync=True)
        (files / "b.txt").write_text("c")
        again = obs.upload(files, f"obs://{bucket}/plain/", sync=True)

    assert again == Transfer(1, 1, unchanged=1)


class Stuck(LocalHandler):
    """Sends the same page again and again."""

    ending: ClassVar[str]
    pages: ClassVar[int]

    def do_GET(self) -> None:
        type(self).pages += 1
        entry = "<Contents><Key>k</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>1</Size></Contents>"
        text = f"<ListBucketResult><IsTruncated>true</IsTruncated>{entry}{self.ending}</ListBucketResult>"
        self.respond(200, text.encode())


@pytest.mark.parametrize(
    "ending",
    ["", "<NextMarker>k</NextMarker>", "<NextContinuationToken>t</NextContinuationToken>"],
)
@pytest.mark.parametrize("call", [lambda obs: obs.list("obs://b/"), lambda obs: obs.delete("obs://b/x/")])
def test_a_listing_that_does_not_continue_is_an_error(ending: str, call: Callable[[Obs], object]) -> None:
    """After the first page that brings no new object."""

    class Endless(Stuck):
        pages = 0

    Endless.ending = ending
    with serving(Endless) as url:
        obs = Obs(Config(obs_endpoint=url, access_key="a", secret_key="s"))
        with pytest.raises(ObsError, match="after 1 objects, object storage sent a page without a new one"):
            call(obs)

    assert Endless.pages == 2


@pytest.mark.parametrize(
    "body", [b"<html>Log in</html>", b"no XML", b"<ListBucketResult><Contents/></ListBucketResult>"]
)
def test_a_response_that_is_no_listing_is_an_error_of_object_storage(body: bytes) -> None:
    class Other(LocalHandler):
        def do_GET(self) -> None:
            self.respond(200, body)

    with serving(Other) as url:
        obs: Any = AsyncObs(Config(obs_endpoint=url, access_key="a", secret_key="s"))
        for call in (lambda: obs.list("obs://b/"), obs.list_buckets):
            with pytest.raises(ObsError, match=r"is not a listing .* is this the address of object storage"):
                asyncio.run(call())
