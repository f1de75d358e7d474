"""Object storage that lists in the first form only: pages go on by `marker`, and `list-type=2` is ignored."""

import asyncio
import http.client
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from tests.local_servers import LocalHandler, serving

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncObs, Obs, Transfer
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.settings.config import Config

MANY = 1500


class FirstForm(LocalHandler):
    """Passes requests on to the emulator's store, whose pages lose everything that only the second form has."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    target: ClassVar[str]
    has_next_marker: ClassVar[bool] = True
    has_etags: ClassVar[bool] = True  # in listings; a store without them keeps no metadata either
    listings: ClassVar[list[str]]

    def _forward(self) -> None:
        content = self.content()
        query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        connection = http.client.HTTPConnection(self.target, timeout=300)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(content)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        if self.command == "GET" and "prefix" in query:
            self.listings.append(query.get("marker", [""])[0])
            removed = b"NextContinuationToken|KeyCount|ContinuationToken|StartAfter"
            removed += b"" if self.has_next_marker else b"|NextMarker"
            removed += b"" if self.has_etags else b"|ETag"
            body = re.sub(rb"<(" + removed + rb")>[^<]*</\1>", b"", body)
        skipped = ("content-length", "connection", "date", "server", "transfer-encoding")
        headers = {name: value for name, value in response.getheaders() if name.lower() not in skipped}
        if not self.has_etags:
            headers = {name: value for name, value in headers.items() if not name.lower().startswith("x-amz-meta-")}
        if self.command == "HEAD":
            self.respond(response.status, b"", headers | {"Content-Length": response.getheader("Content-Length", "0")})
        else:
            self.respond(response.status, body, headers)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _forward  # noqa: N815 - the names of http.server


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """An emulator that is also asked under the port of another server."""
    with Emulator(tmp_path_factory.mktemp("emulator"), allowed_hosts=["127.0.0.1"]) as emulator:
        yield emulator


@pytest.fixture(params=[True, False], ids=["with NextMarker", "without NextMarker"])
def first_form(request: pytest.FixtureRequest, store: Emulator) -> Iterator[Config]:
    """The settings for such a store."""
    environment = store.environment()
    target = urlsplit(environment["MODELARTS_OBS_ENDPOINT"]).netloc
    shared: dict[str, Any] = {"target": target, "has_next_marker": request.param, "listings": []}
    with serving(type("Handler", (FirstForm,), shared)) as url:
        yield Config.load(environ={**environment, "MODELARTS_OBS_ENDPOINT": url})


@pytest.fixture
def many(store: Emulator, bucket: str) -> list[str]:
    """The URLs of 1,500 objects, with characters that have to be encoded."""
    folder = store.data_dir / "objects" / bucket / "many"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number:04} +%&.txt").write_bytes(b"x")
    return [f"obs://{bucket}/many/{number:04} +%&.txt" for number in range(MANY)]


def test_each_object_is_listed_once(first_form: Config, bucket: str, many: list[str]) -> None:
    assert [found.url for found in Obs(first_form).list(f"obs://{bucket}/many/")] == many


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
    first_form: Config, bucket: str, many: list[str], tmp_path: Path
) -> None:
    """Their ETags say nothing about their content; what was sent is known by the next upload."""
    obs, url = Obs(first_form), f"obs://{bucket}/many/"
    obs.download(url, tmp_path / "back")

    assert obs.upload(tmp_path / "back", url, sync=True) == Transfer(MANY, MANY)
    assert obs.upload(tmp_path / "back", url, sync=True) == Transfer(0, 0, unchanged=MANY)


def test_a_listing_without_etags_sends_nothing_again(store: Emulator, bucket: str, tmp_path: Path) -> None:
    """The ETag of each object is asked for."""
    environment = store.environment()
    target = urlsplit(environment["MODELARTS_OBS_ENDPOINT"]).netloc
    shared: dict[str, Any] = {"target": target, "has_etags": False, "listings": []}
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.txt").write_text("a")
    (files / "b.txt").write_text("b")

    with serving(type("Handler", (FirstForm,), shared)) as endpoint:
        obs = Obs(Config.load(environ={**environment, "MODELARTS_OBS_ENDPOINT": endpoint}))
        obs.upload(files, f"obs://{bucket}/plain/", sync=True)
        (files / "b.txt").write_text("c")
        again = obs.upload(files, f"obs://{bucket}/plain/", sync=True)

    assert again == Transfer(1, 1, unchanged=1)


def test_the_command_lists_and_deletes_all_objects(
    first_form: Config, bucket: str, many: list[str], monkeypatch: pytest.MonkeyPatch, store: Emulator
) -> None:
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MODELARTS_OBS_ENDPOINT", str(first_form.obs_endpoint))

    assert "1500 objects" in CliRunner().invoke(modelarts, ["obs", "rm", f"obs://{bucket}/many/"], input="n\n").output
    assert "Deleted  1500" in CliRunner().invoke(modelarts, ["obs", "rm", f"obs://{bucket}/many/", "--yes"]).output


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
