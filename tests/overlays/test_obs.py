"""Files to and from object storage: against the emulator's store, over the S3 protocol."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.local_servers import LocalHandler, serving
from tests.overlays.conftest import Call, contents

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncObs, Obs, Transfer
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.buckets import connect
from modelarts_toolkit.storage.transfers import _transfer
from modelarts_toolkit.storage.uploads import UploadProgress


def test_a_folder_comes_back_as_it_went(obs: Call, bucket: str, tree: Path, tmp_path: Path) -> None:
    assert obs("upload", tree, f"obs://{bucket}/code/") == Transfer(files=3, bytes=3)
    assert obs("download", f"/{bucket}/code/", tmp_path / "back") == Transfer(files=3, bytes=3)

    assert contents(tmp_path / "back") == contents(tree)
    page = obs("list_folder", f"/{bucket}/code/")
    assert page.folders == (f"obs://{bucket}/code/sub/",)
    assert [each.url for each in page.objects] == [f"obs://{bucket}/code/a.txt"]
    assert not page.is_truncated


def test_a_file_goes_to_its_key_or_into_a_folder(obs: Call, bucket: str, tree: Path) -> None:
    obs("upload", tree / "a.txt", f"obs://{bucket}/renamed.txt")
    obs("upload", tree / "a.txt", f"obs://{bucket}/folder/")
    obs("upload", tree / "a.txt", f"obs://{bucket}")

    urls = [found.url for found in obs("list", f"obs://{bucket}/")]
    assert urls == [f"obs://{bucket}/{key}" for key in ("a.txt", "folder/a.txt", "renamed.txt")]


def test_a_large_file_goes_in_parts_and_comes_back_whole(obs: Call, bucket: str, tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    large.write_bytes(os.urandom(20_000_001))
    heard: list[UploadProgress] = []

    assert obs("upload", large, f"obs://{bucket}/large.bin", on_progress=heard.append).bytes == 20_000_001
    assert max(progress.bytes for progress in heard) == heard[-1].bytes == heard[-1].total_bytes
    assert obs("download", f"obs://{bucket}/large.bin", tmp_path / "back").bytes == 20_000_001
    assert contents(tmp_path / "back") == {"large.bin": large.read_bytes()}


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

            assert str(caught.value).isprintable(), caught.value

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

        assert caught.value.url.startswith(url), method


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


@pytest.mark.parametrize("method", ["list", "create_bucket"])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"access_key": "UNKNOWN", "secret_key": "x"}, "does not know the access key"),
        ({"secret_key": "hunter2"}, "secret key does not belong"),
        ({"obs_endpoint": "http://127.0.0.1:9"}, "at http://127.0.0.1:9: start the emulator with"),
    ],
)
def test_a_wrong_key_or_address_is_reported_without_the_secret(
    store: Emulator, settings: Any, message: str, method: str
) -> None:
    keys = {"access_key": store.identity.access_key, "secret_key": store.identity.secret_key}
    config = Config.load(environ=store.environment(), **{**keys, **settings})

    with pytest.raises(ObsError, match=message) as caught:
        getattr(Obs(config), method)("obs://bucket/")

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


def test_without_the_library_object_storage_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['obstore'] = sys.modules['obstore.store'] = None\n"
        "from modelarts_toolkit import Obs\nfrom modelarts_toolkit.settings.config import Config\n"
        "Obs(Config(obs_endpoint='http://127.0.0.1:9', access_key='a', secret_key='s')).upload('.', 'obs://b/')"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert f"ConfigError: object storage needs one more library: {install_command('obs')}" in done.stderr


def test_without_the_library_a_check_of_a_folder_says_what_to_install(tmp_path: Path) -> None:
    """Nothing is uploaded by then, so no sentence is about object storage."""
    (tmp_path / "train.py").touch()
    job = tmp_path / "job.yaml"
    job.write_text("{name: x, code: ., boot_file: train.py, engine: e, flavor: f}")
    script = (
        "import sys; sys.modules |= dict.fromkeys(['obstore', 'anyio', 'pathspec', 'tomlkit'])\n"
        f"sys.argv = ['modelarts', 'job', 'check', '--offline', {str(job)!r}]\n"
        "from modelarts_toolkit.cli import main; main()"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    needed = f"local folders need one more library, pathspec: {install_command('obs')}"
    assert (done.returncode, done.stderr) == (1, f"Error: {needed}\n")


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


@pytest.fixture
def odd_keys(store: Emulator, bucket: str) -> list[str]:
    """Keys that obstore rejects or some systems cannot have as names, beside one good object in the same folder."""
    keys = [f"out/{name}" for name in ("good.txt", "tab\there", "back\\slash", "line\n\r\x7f", " é ?#%41+", "x" * 255)]
    for key in keys:
        store.objects.put(f"obs://{bucket}/{key}", b"abc")
    return keys


def test_every_name_that_a_file_can_have_is_downloaded(
    obs: Call, bucket: str, odd_keys: list[str], store: Emulator, tmp_path: Path
) -> None:
    """Also a large object, which is read in parts."""
    store.objects.put(f"obs://{bucket}/out/large\n", large := os.urandom(20_000_000))
    assert obs("download", f"obs://{bucket}/out/", tmp_path / "back").files == len(odd_keys) + 1

    names = [key.removeprefix("out/") for key in odd_keys]
    assert contents(tmp_path / "back") == {"large\n": large} | dict.fromkeys(names, b"abc")


def test_what_stands_in_the_target_folder_leads_no_object_out_of_it_and_costs_no_other(
    obs: Call, bucket: str, store: Emulator, tmp_path: Path
) -> None:
    """The target may be a clone of somebody's repository: links to folders or files, a folder, and a file."""
    target, elsewhere, private = tmp_path / "target", tmp_path / "elsewhere", tmp_path / "private"
    (target / "sub").mkdir(parents=True)
    (target / "folder").mkdir()
    (target / "plain").write_bytes(b"old")
    elsewhere.mkdir()
    private.write_bytes(b"mine")
    (target / "up").symlink_to("..")
    (target / "sub" / "link").symlink_to(elsewhere)
    (target / "inside").symlink_to("sub")
    (target / "replaced").symlink_to(private)
    rejected = ["up/a", "sub/link/b", "sub/link/new/c", "folder", "plain/child"]
    for key in (*rejected, "inside/d", "replaced", "z"):
        store.objects.put(f"obs://{bucket}/{key}", b"abc")

    with pytest.raises(ObsError, match="5 of 8 objects cannot be files in") as caught:
        obs("download", f"obs://{bucket}/", target)

    assert all(repr(key) in str(caught.value) for key in rejected)
    assert contents(target) == {"plain": b"old", "sub/d": b"abc", "replaced": b"abc", "z": b"abc"}
    assert private.read_bytes() == b"mine"
    assert list(elsewhere.iterdir()) == []
    assert not (tmp_path / "a").exists()


def test_odd_keys_can_be_listed_and_deleted(obs: Call, bucket: str, odd_keys: list[str]) -> None:
    """Keys with control characters are objects like others."""
    listed = [found.url for found in obs("list", f"obs://{bucket}/out/")]

    assert sorted(listed) == sorted(f"obs://{bucket}/{key}" for key in odd_keys)
    assert obs("delete", f"obs://{bucket}/out/") == len(odd_keys)
    assert obs("list", f"obs://{bucket}/") == []


@pytest.mark.parametrize("start", ["tab\t", "\udcff"])
def test_a_local_name_that_cannot_be_a_key_is_named_before_anything_is_uploaded(
    obs: Call, bucket: str, tree: Path, start: str
) -> None:
    """The other files of the folder are not uploaded either, so that no half of it is taken for the whole."""
    for number in range(12):
        (tree / f"{start}{number:02}").touch()

    first = re.escape(repr(f"code/{start}00"))
    with pytest.raises(ObsError, match=rf"or have control characters: {first}, .* and 2 more: rename the files"):
        obs("upload", tree, f"obs://{bucket}/code/")

    assert obs("list", f"obs://{bucket}/") == []


def test_a_name_that_the_file_system_rejects_is_named_like_an_unusable_key(
    obs: Call, bucket: str, tree: Path, tmp_path: Path
) -> None:
    """A path of 40 folders of 200 letters is longer than the system takes; another file arrives."""
    deep = tmp_path
    while len(str(deep)) < 3800:
        deep = deep / ("d" * 200)
    obs("upload", tree / "a.txt", f"obs://{bucket}/out/{'e' * 200}/{'f' * 200}/a.txt")
    obs("upload", tree / "a.txt", f"obs://{bucket}/out/b.txt")

    with pytest.raises(ObsError, match=r"1 of 2 objects cannot be files in .*/a\.txt"):
        obs("download", f"obs://{bucket}/out/", deep)

    assert (deep / "b.txt").read_bytes() == b"a"


SIZE = 4_000_000
ENTRY = "<Contents><Key>down/large.bin</Key><Size>{}</Size><LastModified>2026-11-21T10:00:00Z</LastModified></Contents>"


class Stuck(LocalHandler):
    """An object store with one object, of which half arrives; it reads nothing of what is put."""

    began: ClassVar[threading.Event]
    is_over: ClassVar[threading.Event]

    def do_PUT(self) -> None:
        if self.path == "/bucket/":  # which makes the bucket
            self.respond(200)
            return
        self.began.set()
        self.is_over.wait(300)

    def do_GET(self) -> None:
        if "list-type" in self.path:
            entry = ENTRY.format(SIZE) if "down" in self.path else ""
            self.respond(200, f"<ListBucketResult>{entry}</ListBucketResult>".encode())
            return
        head = {"ETag": '"1"', "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT", "Content-Length": str(SIZE)}
        with contextlib.suppress(OSError):  # the client has gone
            self.respond(200, bytes(SIZE // 2), head)
            self.is_over.wait(300)


@pytest.fixture
def stuck() -> Iterator[type[Stuck]]:
    handler: Any = type("Handler", (Stuck,), {"began": threading.Event(), "is_over": threading.Event()})
    yield handler
    handler.is_over.set()


def settings_of(url: str) -> dict[str, str]:
    return {"MODELARTS_OBS_ENDPOINT": url, "MODELARTS_ACCESS_KEY": "key", "MODELARTS_SECRET_KEY": "secret"}


def test_a_cancelled_download_stops_at_once_and_leaves_no_file(stuck: type[Stuck], tmp_path: Path) -> None:
    """While it runs, the file does not appear, and after it was cancelled nothing is left."""
    seen: list[str] = []

    async def download(obs: AsyncObs) -> None:
        task = asyncio.create_task(obs.download("obs://bucket/down/", tmp_path / "back"))
        while not seen:
            await asyncio.sleep(0.05)
            seen.extend(contents(tmp_path / "back"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serving(stuck) as url:
        asyncio.run(download(AsyncObs(Config.load(environ=settings_of(url)))))

    assert len(seen) == 1
    assert all(name.endswith(".part") for name in seen)
    assert contents(tmp_path / "back") == {}


JOB = """\
code: code
boot: large.bin
engine: "pytorch_1.8*"
flavor: modelarts.vm.cpu.8u
staging: obs://bucket/staging/
"""


def test_ctrl_c_ends_a_transfer_of_a_command_at_once(
    stuck: type[Stuck], tmp_path: Path, emulator_environment: dict[str, str]
) -> None:
    """SIGINT ends the command, which uploads the code of a job."""
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "large.bin").write_bytes(bytes(SIZE))
    with serving(stuck) as url:
        process = subprocess.Popen(
            [Path(sys.executable).with_name("modelarts"), "job", "submit", "job.yaml"],
            cwd=tmp_path,
            env={**os.environ, **emulator_environment, **settings_of(url)},
            stderr=subprocess.PIPE,
            # a test may run where it is ignored, as in the background of a shell
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            assert stuck.began.wait(300)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=300)
        finally:
            process.kill()
            process.communicate()

    assert (process.returncode, errors.splitlines()[-1:]) == (130, [b"Interrupted."])


def test_a_call_works_where_an_event_loop_runs_already(obs_config: Config, bucket: str, tree: Path) -> None:
    """As in a notebook: the call runs in the event loop of another thread, and raises what it raises there."""
    obs = Obs(obs_config)

    async def cell() -> None:
        assert obs.upload(tree, f"obs://{bucket}/up/").files == 3
        with pytest.raises(FileNotFoundError):
            obs.upload(tree / "missing", f"obs://{bucket}/up/")

    asyncio.run(cell())


def test_a_forked_child_says_why_it_cannot_transfer_files(bucket: str, tree: Path, obs: Call) -> None:
    obs("upload", tree, f"obs://{bucket}/before/")
    read, write = os.pipe()
    if os.fork() == 0:
        with contextlib.suppress(BaseException):
            try:
                obs("upload", tree, f"obs://{bucket}/after/")
            except ObsError as error:
                os.write(write, str(error).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        assert "before this process was forked" in stream.read()
    os.wait()
