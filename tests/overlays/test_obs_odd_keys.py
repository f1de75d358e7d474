"""Objects whose keys cannot be names of local files."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from tests.overlays.conftest import Call, contents

from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.settings.config import Config


@pytest.fixture
def client(obs_config: Config) -> Iterator[Any]:
    """A client that takes any key."""
    with contextlib.closing(
        boto3.client(
            "s3",
            endpoint_url=obs_config.obs_endpoint,
            aws_access_key_id=obs_config.access_key,
            aws_secret_access_key=obs_config.secret_key,
            region_name="local",
        )
    ) as client:
        yield client


@pytest.fixture
def odd_keys(client: Any, bucket: str) -> list[str]:
    """Keys that no local file can have, beside one good object in the same folder."""
    odd = ["tab\there", "back\\slash", "bell\x07", "n" * 256]
    stored = []
    for name in ["good.txt", *odd]:
        with contextlib.suppress(client.exceptions.ClientError):  # a folder holds no name of 256 bytes
            client.put_object(Bucket=bucket, Key=f"out/{name}", Body=b"abc")
            stored.append(f"out/{name}")
    return stored


def test_keys_that_cannot_be_files_are_named_after_the_other_objects_were_downloaded(
    obs: Call, bucket: str, odd_keys: list[str], tmp_path: Path
) -> None:
    """One unusable key does not cost the good files."""
    with pytest.raises(ObsError, match="cannot be files in") as caught:
        obs("download", f"obs://{bucket}/out/", tmp_path / "back")

    assert contents(tmp_path / "back") == {"good.txt": b"abc"}
    assert {"out/tab\there", "out/back\\slash", "out/bell\x07"} < set(odd_keys)
    assert all(repr(key) in str(caught.value) for key in odd_keys[1:])
    assert f"{len(odd_keys) - 1} of {len(odd_keys)} objects" in str(caught.value)


def test_a_link_in_the_target_folder_leads_no_object_out_of_it(
    obs: Call, bucket: str, client: Any, tmp_path: Path
) -> None:
    """The target may be a clone of somebody's repository, with links to folders elsewhere."""
    target, elsewhere = tmp_path / "target", tmp_path / "elsewhere"
    (target / "sub").mkdir(parents=True)
    elsewhere.mkdir()
    (target / "up").symlink_to("..")
    (target / "sub" / "link").symlink_to(elsewhere)
    (target / "inside").symlink_to("sub")
    for key in ("up/a", "sub/link/b", "sub/link/new/c", "inside/d", "e"):
        client.put_object(Bucket=bucket, Key=key, Body=b"abc")

    with pytest.raises(ObsError, match="3 of 5 objects cannot be files in") as caught:
        obs("download", f"obs://{bucket}/", target)

    assert all(repr(key) in str(caught.value) for key in ("up/a", "sub/link/b", "sub/link/new/c"))
    assert contents(target) == {"sub/d": b"abc", "e": b"abc"}
    assert (sorted(path.name for path in tmp_path.iterdir()), list(elsewhere.iterdir())) == (
        ["elsewhere", "empty.toml", "target"],
        [],
    )


def test_a_key_that_is_a_folder_or_below_a_file_of_the_target_does_not_cost_the_other_objects(
    obs: Call, bucket: str, client: Any, tmp_path: Path
) -> None:
    (tmp_path / "back" / "folder").mkdir(parents=True)
    (tmp_path / "back" / "plain").write_bytes(b"old")
    for key in ("folder", "plain/child", "z"):
        client.put_object(Bucket=bucket, Key=key, Body=b"abc")

    with pytest.raises(ObsError, match=r"2 of 3 objects cannot be files in .*: 'folder', 'plain/child'"):
        obs("download", f"obs://{bucket}/", tmp_path / "back")

    assert contents(tmp_path / "back") == {"plain": b"old", "z": b"abc"}


def test_unusable_keys_can_be_listed_and_deleted(obs: Call, bucket: str, odd_keys: list[str]) -> None:
    """Keys with control characters are objects like others, except that no file can have their names."""
    listed = [found.url for found in obs("list", f"obs://{bucket}/out/")]

    assert sorted(listed) == sorted(f"obs://{bucket}/{key}" for key in odd_keys)
    assert obs("delete", f"obs://{bucket}/out/") == len(odd_keys)
    assert obs("list", f"obs://{bucket}/") == []


def test_a_file_that_is_a_link_is_replaced_and_not_followed(
    obs: Call, bucket: str, client: Any, tmp_path: Path
) -> None:
    target, private = tmp_path / "target", tmp_path / "private"
    private.write_bytes(b"mine")
    target.mkdir()
    (target / "a").symlink_to(private)
    client.put_object(Bucket=bucket, Key="a", Body=b"abc")

    obs("download", f"obs://{bucket}/", target)

    assert (private.read_bytes(), (target / "a").read_bytes()) == (b"mine", b"abc")


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
