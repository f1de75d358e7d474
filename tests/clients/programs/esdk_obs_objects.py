"""Huawei's SDK for OBS: ordinary work, in each of its signatures and addresses."""

import hashlib
import tempfile
import urllib.request
from pathlib import Path

from obs import CompleteMultipartUploadRequest, CompletePart, DeleteObjectsRequest, Object, ObsClient, PutObjectHeader
from outcomes import ACCESS_KEY, ENDPOINT, ODD_KEYS, SECRET_KEY, resolve_names_below_localhost, run, unique

resolve_names_below_localhost()
NAMED = ENDPOINT.replace("127.0.0.1", "localhost")
CLIENTS = {
    "aws at an address": {"server": ENDPOINT},
    "v4 at an address": {"server": ENDPOINT, "signature": "v4", "region": "eu-de"},
    "obs by path": {"server": NAMED, "signature": "obs", "path_style": True},
    "obs by host": {"server": NAMED, "signature": "obs"},
    "negotiated by host": {"server": NAMED},
    "v4 by host": {"server": NAMED, "signature": "v4", "region": "eu-de"},
}
LARGE = bytes(range(256)) * (9 << 12)  # 9 MiB


def _clients():
    for name, options in CLIENTS.items():
        yield name, ObsClient(access_key_id=ACCESS_KEY, secret_access_key=SECRET_KEY, max_retry_count=0, **options)


def _good(response):
    assert response.status < 300, (response.status, response.errorCode, response.errorMessage)
    return response.body


def _bucket(client, location="eu-de"):
    name = unique("esdk")
    _good(client.createBucket(name, location=location))
    return name


def _read(client, bucket, key, **options):
    return _good(client.getObject(bucket, key, loadStreamInMemory=True, **options)).buffer


def buckets_are_created_described_and_deleted():
    for kind, client in _clients():
        bucket = _bucket(client)
        assert bucket in [entry.name for entry in _good(client.listBuckets()).buckets], kind
        if kind in ("obs by host", "negotiated by host"):  # in its other modes, the SDK does not read S3's document
            assert _good(client.getBucketLocation(bucket)).location == "eu-de", kind
        assert _good(client.getBucketMetadata(bucket)).location == "eu-de", kind
        assert client.headBucket(bucket).status == 200, kind
        _good(client.putContent(bucket, "x", "12345"))
        assert _good(client.getBucketQuota(bucket)).quota == 0, kind
        assert not _good(client.getBucketVersioning(bucket)), kind
        assert _good(client.getBucketStoragePolicy(bucket)).storageClass == "STANDARD", kind
        assert [grant.permission for grant in _good(client.getBucketAcl(bucket)).grants] == ["FULL_CONTROL"], kind
        assert client.getBucketPolicy(bucket).errorCode == "NoSuchBucketPolicy", kind
        assert client.getBucketTagging(bucket).errorCode == "NoSuchTagSet", kind
        assert client.deleteBucket(bucket).errorCode == "BucketNotEmpty", kind
        _good(client.deleteObject(bucket, "x"))
        _good(client.deleteBucket(bucket))
        assert client.headBucket(bucket).status == 404, kind


def objects_are_put_read_copied_and_deleted():
    for kind, client in _clients():
        bucket = _bucket(client)
        headers = PutObjectHeader(contentType="text/plain", md5=None)
        put = _good(client.putContent(bucket, "d/o", "0123456789", metadata={"who": "me"}, headers=headers))
        assert put.etag == f'"{hashlib.md5(b"0123456789").hexdigest()}"', kind
        assert _read(client, bucket, "d/o") == b"0123456789", kind
        found = client.getObjectMetadata(bucket, "d/o")
        assert (found.body.contentType, dict(found.header)["who"]) == ("text/plain", "me"), (kind, found.header)
        _good(client.copyObject(bucket, "d/o", bucket, "copy"))
        assert _read(client, bucket, "copy") == b"0123456789", kind
        assert _good(client.getObjectAcl(bucket, "copy")).owner.owner_id, kind
        _good(client.deleteObjects(bucket, DeleteObjectsRequest(objects=[Object("copy"), Object("d/o")])))
        assert client.getObjectMetadata(bucket, "copy").status == 404, kind


def ranges_and_conditions():
    from obs import GetObjectHeader

    for kind, client in _clients():
        bucket = _bucket(client)
        etag = _good(client.putContent(bucket, "r", "0123456789")).etag
        assert _read(client, bucket, "r", headers=GetObjectHeader(range="2-4")) == b"234", kind
        assert client.getObject(bucket, "r", headers=GetObjectHeader(if_none_match=etag)).status == 304, kind
        assert client.getObject(bucket, "r", headers=GetObjectHeader(if_match='"x"')).status == 412, kind


def listings_page_and_group():
    for kind, client in _clients():
        bucket = _bucket(client)
        for key in ("a", "b/1", "b/2", "c"):
            _good(client.putContent(bucket, key, ""))
        page = _good(client.listObjects(bucket, delimiter="/"))
        assert [entry.key for entry in page.contents] == ["a", "c"], kind
        assert [entry.prefix for entry in page.commonPrefixs] == ["b/"], kind
        found, marker = [], None
        while True:
            page = _good(client.listObjects(bucket, max_keys=1, marker=marker, encoding_type="url"))
            found += [entry.key for entry in page.contents]
            if not page.is_truncated:
                break
            marker = page.next_marker
        assert found == ["a", "b/1", "b/2", "c"], kind


def objects_are_appended_to():
    for kind, client in _clients():
        bucket = _bucket(client)
        first = _good(client.appendObject(bucket, "log", {"content": "one ", "position": 0}))
        assert first.nextPosition == 4, kind
        assert _good(client.appendObject(bucket, "log", {"content": "two", "position": 4})).nextPosition == 7, kind
        assert _read(client, bucket, "log") == b"one two", kind
        wrong = client.appendObject(bucket, "log", {"content": "x", "position": 0})
        assert (wrong.status, wrong.errorCode) == (409, "PositionNotEqualToLength"), kind
        assert _good(client.getObjectMetadata(bucket, "log")).isAppendable, kind


def large_files_travel_in_parts():
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        source.write_bytes(LARGE)
        for kind, client in _clients():
            bucket = _bucket(client)
            _good(client.uploadFile(bucket, "large", str(source), partSize=5 << 20, taskNum=2))
            _good(client.downloadFile(bucket, "large", str(target), partSize=5 << 20, taskNum=2))
            assert target.read_bytes() == LARGE, kind
            target.unlink()


def parts_are_listed_copied_and_aborted():
    for kind, client in _clients():
        bucket = _bucket(client)
        _good(client.putContent(bucket, "source", LARGE))
        upload = _good(client.initiateMultipartUpload(bucket, "parts")).uploadId
        first = _good(client.uploadPart(bucket, "parts", 1, upload, LARGE[: 1 << 20])).etag
        second = _good(client.copyPart(bucket, "parts", 2, upload, f"{bucket}/source", copySourceRange="0-99")).etag
        assert len(_good(client.listParts(bucket, "parts", upload)).parts) == 2, kind
        assert [entry.key for entry in _good(client.listMultipartUploads(bucket)).upload] == ["parts"], kind
        parts = [CompletePart(1, first), CompletePart(2, second)]
        _good(client.completeMultipartUpload(bucket, "parts", upload, CompleteMultipartUploadRequest(parts)))
        assert _read(client, bucket, "parts") == LARGE[: 1 << 20] + LARGE[:100], kind
        upload = _good(client.initiateMultipartUpload(bucket, "parts")).uploadId
        _good(client.abortMultipartUpload(bucket, "parts", upload))


def presigned_urls_open_objects():
    for kind, client in _clients():
        bucket = _bucket(client)
        _good(client.putContent(bucket, "signed key", "shown"))
        url = client.createSignedUrl("GET", bucket, "signed key").signedUrl
        with urllib.request.urlopen(url) as response:
            assert response.read() == b"shown", kind


def odd_keys_are_kept():
    for kind, client in _clients():
        bucket = _bucket(client)
        for key in ODD_KEYS:
            _good(client.putContent(bucket, key, key))
        listed = [entry.key for entry in _good(client.listObjects(bucket, encoding_type="url")).contents]
        assert sorted(listed) == sorted(ODD_KEYS), kind
        for key in ODD_KEYS:
            assert _read(client, bucket, key) == key.encode(), (kind, key)


def a_wrong_key_is_rejected():
    for kind, options in CLIENTS.items():
        client = ObsClient(access_key_id=ACCESS_KEY, secret_access_key="wrong", max_retry_count=0, **options)
        assert client.listBuckets().errorCode == "SignatureDoesNotMatch", kind


if __name__ == "__main__":
    run(globals())
