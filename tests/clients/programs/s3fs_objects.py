"""s3fs: what ordinary work with files in buckets needs."""

import urllib.request

import s3fs
from outcomes import ACCESS_KEY, ENDPOINT, ODD_KEYS, SECRET_KEY, run, unique

FS = s3fs.S3FileSystem(key=ACCESS_KEY, secret=SECRET_KEY, endpoint_url=ENDPOINT, client_kwargs={"region_name": "eu-de"})
BUCKET = unique("s3fs")
FS.mkdir(BUCKET)
LARGE = bytes(range(256)) * (9 << 12)  # 9 MiB


def files_are_written_read_and_listed():
    FS.pipe_file(f"{BUCKET}/d/a", b"0123456789")
    with FS.open(f"{BUCKET}/d/e/b", "w") as stream:
        stream.write("text")
    assert FS.cat_file(f"{BUCKET}/d/a") == b"0123456789"
    assert FS.cat_file(f"{BUCKET}/d/a", start=2, end=5) == b"234"
    assert sorted(FS.ls(f"{BUCKET}/d")) == [f"{BUCKET}/d/a", f"{BUCKET}/d/e"]
    assert FS.find(f"{BUCKET}/d") == [f"{BUCKET}/d/a", f"{BUCKET}/d/e/b"]
    assert FS.info(f"{BUCKET}/d/a")["size"] == 10
    assert FS.exists(f"{BUCKET}/d/e")
    assert not FS.exists(f"{BUCKET}/none")
    assert BUCKET in FS.ls("")


def large_files_are_written_in_parts():
    with FS.open(f"{BUCKET}/large", "wb", block_size=5 << 20) as stream:
        stream.write(LARGE)
    assert FS.cat_file(f"{BUCKET}/large") == LARGE


def files_are_appended_copied_moved_and_removed():
    FS.pipe_file(f"{BUCKET}/a", b"one")
    with FS.open(f"{BUCKET}/a", "ab") as stream:
        stream.write(b" two")
    FS.copy(f"{BUCKET}/a", f"{BUCKET}/b")
    FS.mv(f"{BUCKET}/b", f"{BUCKET}/c")
    assert FS.cat_file(f"{BUCKET}/c") == b"one two"
    FS.rm(f"{BUCKET}/c")
    assert not FS.exists(f"{BUCKET}/c")


def metadata_is_kept():
    FS.pipe_file(f"{BUCKET}/meta", b"", ContentType="text/plain", Metadata={"a": "1"})
    assert FS.metadata(f"{BUCKET}/meta") == {"a": "1"}
    assert FS.info(f"{BUCKET}/meta")["ContentType"] == "text/plain"


def presigned_urls_open_files():
    FS.pipe_file(f"{BUCKET}/signed", b"shown")
    with urllib.request.urlopen(FS.sign(f"{BUCKET}/signed")) as response:
        assert response.read() == b"shown"


def odd_keys_are_kept():
    for key in ODD_KEYS:
        FS.pipe_file(f"{BUCKET}/{key}", key.encode())
        assert FS.cat_file(f"{BUCKET}/{key}") == key.encode(), key


def a_bucket_is_removed_with_all_that_is_in_it():
    name = unique("s3fs")
    FS.mkdir(name)
    FS.pipe({f"{name}/{number}": b"" for number in range(3)})
    FS.rm(name, recursive=True)
    assert not FS.exists(name)


if __name__ == "__main__":
    run(globals())
