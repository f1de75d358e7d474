"""Files to and from object storage: against the emulator's store, over the S3 protocol."""

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.local_servers import LocalHandler, serving
from tests.overlays.conftest import Call, contents

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Obs, Transfer
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.buckets import connect
from modelarts_toolkit.storage.transfers import _transfer


def test_a_folder_comes_back_as_it_went(obs: Call, bucket: str, tree: Path, tmp_path: Path) -> None:
    assert obs("upload", tree, f"obs://{bucket}/code/") == Transfer(files=3, bytes=3)
    assert obs("download", f"/{bucket}/code/", tmp_path / "back") == Transfer(files=3, bytes=3)

    assert contents(tmp_path / "back") == contents(tree)


def test_one_level_of_a_folder_is_listed_by_one_request(obs: Call, bucket: str, tree: Path) -> None:
    obs("upload", tree, f"obs://{bucket}/code/")

    page = obs("list_folder", f"/{bucket}/code/")

    below = {path.name for path in tree.iterdir()}
    urls = [*page.folders, *(each.url for each in page.objects)]
    assert {url.removeprefix(f"obs://{bucket}/code/").rstrip("/") for url in urls} == below
    assert all(url.endswith("/") for url in page.folders)
    assert not page.is_truncated


def test_a_file_goes_to_its_key_or_into_a_folder(obs: Call, bucket: str, tree: Path) -> None:
    obs("upload", tree / "a.txt", f"obs://{bucket}/renamed.txt")
    obs("upload", tree / "a.txt", f"obs://{bucket}/folder/")
    obs("upload", tree / "a.txt", f"obs://{bucket}")

    urls = [found.url for found in obs("list", f"obs://{bucket}/")]
    assert urls == [f"obs://{bucket}/{key}" for key in ("a.txt", "folder/a.txt", "renamed.txt")]


@pytest.mark.parametrize("after", [0, 1], ids=["listing", "object"])
def test_a_call_whose_response_breaks_off_is_repeated(
    obs: Call, bucket: str, tree: Path, tmp_path: Path, store: Emulator, after: int
) -> None:
    obs("upload", tree / "a.txt", f"obs://{bucket}/code/a.txt")
    store.faults.clear()  # of several faults, only the first would be injected
    store.faults.add(kind="drop", moment="body", document="obs", operations=["GET"], after=after, count=1)

    obs("download", f"obs://{bucket}/code/", tmp_path / "back")

    assert contents(tmp_path / "back") == {"a.txt": b"a"}
    assert [fault["applied"] for fault in store.faults.list()] == [1]


def test_a_large_file_goes_in_parts_and_comes_back_whole(obs: Call, bucket: str, tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    large.write_bytes(os.urandom(20_000_001))

    assert obs("upload", large, f"obs://{bucket}/large.bin").bytes == 20_000_001
    assert obs("download", f"obs://{bucket}/large.bin", tmp_path / "back").bytes == 20_000_001
    assert contents(tmp_path / "back") == {"large.bin": large.read_bytes()}


def test_a_listing_of_several_pages_has_each_object_once(obs_config: Config, bucket: str, store: Emulator) -> None:
    """A page of the service has 1,000 objects at most."""
    folder = store.data_dir / "objects" / bucket / "many"
    folder.mkdir()
    for number in range(1001):
        (folder / f"{number:04} +%&.txt").touch()

    urls = [found.url for found in Obs(obs_config).list(f"obs://{bucket}/many/")]

    assert urls == [f"obs://{bucket}/many/{number:04} +%&.txt" for number in range(1001)]


def test_deleting_a_folder_deletes_what_is_below_and_an_object_only_itself(obs: Call, bucket: str, tree: Path) -> None:
    obs("upload", tree, f"obs://{bucket}/code/")
    obs("upload", tree / "a.txt", f"obs://{bucket}/kept.txt")

    assert obs("delete", f"obs://{bucket}/code") == 0  # a folder named like an object
    assert obs("delete", f"obs://{bucket}/code/a.txt") == 1
    assert obs("delete", f"obs://{bucket}/code/") == 2
    assert [found.url for found in obs("list", f"obs://{bucket}/")] == [f"obs://{bucket}/kept.txt"]


def test_a_whole_bucket_is_not_deleted_by_a_short_url(obs: Call, bucket: str) -> None:
    with pytest.raises(ObsError, match="cannot delete the whole bucket"):
        obs("delete", f"obs://{bucket}/")


def test_a_bucket_is_created_once_by_name_or_url(obs: Call, request: pytest.FixtureRequest) -> None:
    kind = request.node.callspec.params["obs"]

    assert obs("create_bucket", f"made-{kind}") is True
    assert obs("create_bucket", f"obs://made-{kind}/") is False


def test_an_invalid_obs_path_is_rejected(obs: Call, tree: Path) -> None:
    for url in ("bucket/key", "s3://b/k", "obs://", "/", "", "obs://b/../c", "obs://b/a//b", "obs:///k"):
        with pytest.raises(ObsError, match="is not an OBS path: write obs://bucket/key"):
            obs("upload", tree, url)


@pytest.mark.parametrize("end", ["#", "?", "\\", "@127.0.0.1", "%2f", ":1\\", "\r\nX-A: b", "\n", " ", ";", "[", "é"])
def test_no_name_of_a_bucket_moves_a_signed_request_to_another_host(tree: Path, end: str, tmp_path: Path) -> None:
    """OBS has the bucket in the host's name, where these characters would end it."""
    Recorder.seen = []
    with serving(Recorder) as url:
        bucket = url.removeprefix("http://") + end
        obs = Obs(Config(obs_endpoint="http://obs.eu-de.example", access_key="a", secret_key="s"))
        for call in (
            lambda: obs.list(f"obs://{bucket}/key/"),
            lambda: obs.upload(tree, f"/{bucket}/key"),
            lambda: obs.download(f"obs://{bucket}/key", tmp_path),
            lambda: obs.delete(f"obs://{bucket}/key"),
            lambda: obs.create_bucket(bucket),
            lambda: obs.delete_bucket(f"obs://{bucket}/"),
        ):
            with pytest.raises(ObsError, match="is not the name of a bucket: use letters") as caught:
                call()

            assert str(caught.value).isprintable()

    assert not Recorder.seen


def test_a_key_that_is_not_text_is_rejected(obs: Call, tree: Path) -> None:
    """As of a file whose name is not UTF-8."""
    with pytest.raises(ObsError, match=r"'obs://bucket/\\udcff' is not an OBS path: its key is not UTF-8"):
        obs("list", "obs://bucket/\udcff")


def test_a_bucket_that_is_not_there_is_named(obs: Call, tree: Path) -> None:
    url = "obs://nowhere/x/"
    for method, arguments in (("list", [url]), ("delete", [url]), ("download", [url, tree]), ("upload", [tree, url])):
        with pytest.raises(ObsError, match='bucket "nowhere" does not exist at http://127') as caught:
            obs(method, *arguments)

        assert caught.value.url.startswith(url)


def test_nothing_to_download_is_an_error_and_leaves_no_folder(obs: Call, bucket: str, tmp_path: Path) -> None:
    with pytest.raises(ObsError, match=f"there is nothing at obs://{bucket}/outputs/: upload it first"):
        obs("download", f"obs://{bucket}/outputs/", tmp_path / "back")

    assert not (tmp_path / "back").exists()


def test_a_local_place_that_cannot_be_written_is_not_a_rejection_by_the_store(
    obs: Call, bucket: str, tree: Path, tmp_path: Path
) -> None:
    obs("upload", tree, f"obs://{bucket}/code/")
    (tmp_path / "back").write_text("a file where a folder has to be")

    with pytest.raises(OSError, match="back"):
        obs("download", f"obs://{bucket}/code/", tmp_path / "back")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"access_key": "UNKNOWN", "secret_key": "x"}, "does not know the access key"),
        ({"secret_key": "hunter2"}, "secret key does not belong"),
        ({"obs_endpoint": "http://127.0.0.1:9"}, "at http://127.0.0.1:9: start the emulator with"),
    ],
)
def test_a_wrong_key_or_address_is_reported_without_the_secret(store: Emulator, settings: Any, message: str) -> None:
    keys = {"access_key": store.identity.access_key, "secret_key": store.identity.secret_key}
    config = Config.load(environ=store.environment(), **{**keys, **settings})

    with pytest.raises(ObsError, match=message) as caught:
        Obs(config).list("obs://bucket/")

    assert "hunter2" not in repr(caught.value)


@pytest.mark.parametrize(
    ("endpoint", "address", "is_virtual"),
    [
        ("http://127.0.0.1:9181", "http://127.0.0.1:9181", "false"),
        ("https://minio.example.com", "https://minio.example.com", "false"),
        ("https://obs.eu-de.example.com", "https://bucket.obs.eu-de.example.com", "true"),
    ],
)
def test_obs_gets_the_bucket_in_the_host_name_and_everybody_else_in_the_path(
    endpoint: str, address: str, is_virtual: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://elsewhere.example.com")
    config = Config(obs_endpoint=endpoint, access_key="a", secret_key="s")

    settings: Any = connect(config, "bucket").config

    assert address == settings["endpoint"] == settings["endpoint_url_s3"]
    assert settings["virtual_hosted_style_request"] == is_virtual
    assert settings["region"] == ("eu-de" if is_virtual == "true" else "us-east-1")


class Recorder(LocalHandler):
    """An empty bucket that keeps the headers of what it was asked."""

    seen: list[dict[str, str]]

    def do_GET(self) -> None:
        type(self).seen.append(dict(self.headers))
        self.respond(200, b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")


def test_a_session_token_of_the_environment_does_not_join_our_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of somebody else")
    Recorder.seen = []
    with serving(Recorder) as url:
        for token in (None, "ours"):
            config = Config(obs_endpoint=url, access_key="a", secret_key="s", security_token=token)
            Obs(config).list("obs://b/out/")

    assert [headers.get("x-amz-security-token") for headers in Recorder.seen] == [None, "ours"]


def test_object_storage_writes_no_signature_into_a_log(
    obs_config: Config, tree: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Creating, listing and transferring log neither a presigned URL nor a header with a signature."""
    obs = Obs(obs_config)

    with caplog.at_level(logging.DEBUG):
        obs.create_bucket("unsigned-log")
        obs.upload(tree, "obs://unsigned-log/code/")
        obs.list("obs://unsigned-log/")

    assert caplog.text
    assert "signature" not in caplog.text.lower()
    assert str(obs_config.access_key) not in caplog.text


def test_without_the_library_object_storage_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['obstore'] = sys.modules['obstore.store'] = None\n"
        "from modelarts_toolkit import Obs\nfrom modelarts_toolkit.settings.config import Config\n"
        "Obs(Config(obs_endpoint='http://127.0.0.1:9', access_key='a', secret_key='s')).upload('.', 'obs://b/')"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert f"ConfigError: object storage needs one more library: {install_command('obs')}" in done.stderr


def test_the_first_error_stops_the_rest_and_is_the_one_that_is_reported() -> None:
    moved = []

    async def move(number: int, _: str) -> int:
        if number == 5:
            raise ObsError("rejected", url="obs://b/5")
        await asyncio.sleep(0.01)
        moved.append(number)
        return 1

    with pytest.raises(ObsError, match="rejected"):
        asyncio.run(_transfer(move, [(number, "") for number in range(500)]))

    assert len(moved) < 50
