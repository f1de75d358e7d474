"""What the store does, whatever lies in its folder, and the URLs of its objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.storage.errors import BucketAlreadyOwnedByYou, InvalidKey, NoSuchKey, PreconditionFailed
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.objects import Attributes, Condition
from modelarts_emulator.storage.protocol import Store, open_store


def keys(store: Store, prefix: str = "", delimiter: str = "", marker: str = "") -> list[str]:
    return [info.key for info in store.list("data", prefix, delimiter, marker).objects]


def test_an_object_is_read_as_it_was_written(store: Store) -> None:
    """Bytes, size, attributes and ETag are those of the write; whoever has the URL of a store opens it again."""
    headers = {"cache-control": "no-store", "expires": "Thu, 01 Dec 2044 16:00:00 GMT", "content-language": "de"}
    headers |= {"x-obs-object-type": "Appendable", "x-amz-checksum-crc32": "AAAAAA=="}
    written = store.put("data", "a/b ü.txt", b"content", Attributes("text/plain", {"who": "größe\n"}, headers))

    after = open_store(store.url, "account")
    info = after.head("data", "a/b ü.txt")
    assert info == store.head("data", "a/b ü.txt")
    assert after.read("data", "a/b ü.txt") == b"content"
    assert (info.size, info.content_type, dict(info.metadata)) == (7, "text/plain", {"who": "größe\n"})
    assert dict(info.headers) == headers
    assert (info.etag, info.key, written.size) == (written.etag, written.key, 7)
    assert after.list("data").objects[0].etag == info.etag
    assert abs(info.modified - written.modified) < 5


@pytest.mark.parametrize(
    "key", ["../x", "a/../../x", "/etc/x", "a//b", "./x", "..", "a\0b", "s" * 256, "d/" * 40 + ".."]
)
def test_a_key_that_cannot_be_a_path_is_rejected_and_leads_nowhere(store: Store, tmp_path: Path, key: str) -> None:
    """Jobs get objects as files. Such an object does not exist, so deleting it is not an error."""
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(InvalidKey, match="cannot be a path"):
        store.put("data", key, b"")
    for act in (store.head, store.read):
        with pytest.raises(NoSuchKey):
            act("data", key)
    store.delete("data", key)

    assert keys(store) == []
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_name_or_a_key_that_breaks_the_rules_is_rejected(store: Store) -> None:
    """A key has 1 to 1,024 bytes."""
    for name in ("ab", "a" * 64, "Upper", "under_score", "-abc", "abc.", ".meta", "a..b", "192.168.1.1", "a/b"):
        with store_error("InvalidBucketName"):
            store.create_bucket(name)

    for key in ("", "x" * 1025):
        for act in (store.head, store.read, store.delete, lambda bucket, key: store.put(bucket, key, b"")):
            with pytest.raises(InvalidKey):
                act("data", key)


def test_a_prefix_that_no_key_can_have_finds_nothing(store: Store) -> None:
    """Strange prefixes are legal questions."""
    store.put("data", "file", b"")

    for prefix in ("x" * 300 + "/", "x/" * 3000, "file/x/", "../", "a//b", "\0/x", "\x01", "./"):
        assert keys(store, prefix) == keys(store, prefix, "/") == [], prefix


def test_a_folder_object_is_an_object_of_its_own(store: Store) -> None:
    """A key that ends in `/` is listed, read and deleted as any other; what has objects below it is a directory."""
    store.put("data", "f/", b"", Attributes(metadata={"who": "me"}))
    store.put("data", "f/x", b"1")

    assert keys(store) == ["f/", "f/x"]
    assert keys(store, "f/", "/") == ["f/", "f/x"]
    assert store.list("data", delimiter="/").prefixes == ["f/"]
    assert (store.read("data", "f/"), dict(store.head("data", "f/").metadata)) == (b"", {"who": "me"})
    assert store.list("data", limit=1).next_marker == "f/"
    assert keys(store, marker="f/") == ["f/x"]
    store.delete("data", "f/")
    with pytest.raises(NoSuchKey):
        store.head("data", "f/")
    assert keys(store) == ["f/x"]

    store.put("data", "d/e/x", b"")
    store.put("data", "empty/", b"")

    assert all(store.has_folder("data", key) for key in ("", "d", "d/", "d/e", "empty", "empty/"))
    assert not any(store.has_folder("data", key) for key in ("d/e/x", "e", "no"))


def test_a_copy_keeps_the_attributes_or_gets_others(store: Store) -> None:
    """A copy has the content of its source, and the attributes unless others are given; so has a copy to itself."""
    store.put("data", "x", b"content", Attributes("text/plain", {"who": "me"}))
    store.copy(("data", "x"), ("data", "x"))
    store.create_bucket("other")
    copied = store.copy(("data", "x"), ("other", "y"))
    store.copy(("data", "x"), ("data", "z"), Attributes("text/html"))

    after = Store(store.root)
    info, other = after.head("other", "y"), after.head("data", "z")
    assert (store.read("other", "y"), info.content_type) == (b"content", "text/plain")
    assert dict(info.metadata) == {"who": "me"}
    assert (store.read("data", "z"), other.content_type, dict(other.metadata)) == (b"content", "text/html", {})
    assert copied.etag == info.etag
    with pytest.raises(PreconditionFailed):
        store.copy(("data", "x"), ("other", "y"), condition=Condition(if_none_match=True))
    with pytest.raises(NoSuchKey):
        store.copy(("data", "none"), ("other", "y"))


def test_buckets_are_created_once_and_deleted_when_empty(store: Store) -> None:
    """A bucket has a location and an age, and is deleted only without objects."""
    with pytest.raises(BucketAlreadyOwnedByYou):
        store.create_bucket("data")
    store.create_bucket("other", "eu-de")
    assert [(bucket.name, bucket.location) for bucket in store.buckets()] == [("data", ""), ("other", "eu-de")]
    assert store.head_bucket("other").created > 1_700_000_000
    store.put("data", "x", b"")
    with store_error("BucketNotEmpty"):
        store.delete_bucket("data")
    store.delete("data", "x")
    store.delete_bucket("data")

    assert [bucket.name for bucket in store.buckets()] == ["other"]
    assert not store.has_bucket("data")


def test_both_documented_forms_of_a_path_are_understood_and_no_others() -> None:
    expected = {
        "obs://bucket/code/train.py": ("bucket", "code/train.py"),
        "/bucket/code/": ("bucket", "code/"),
        "obs://bucket": ("bucket", ""),
        "/bucket/": ("bucket", ""),
        "/bucket//odd": ("bucket", "/odd"),
    }
    assert {url: parse_obs_url(url) for url in expected} == expected
    for url in ("", "bucket/key", "s3://bucket/key", "obs:/bucket/key", "//bucket", "obs://", "/B/k", "/.meta/k"):
        with pytest.raises(ValueError, match=r"OBS path|bucket"):
            parse_obs_url(url)
