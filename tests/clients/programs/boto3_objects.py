"""boto3: what ordinary work with buckets and objects needs."""

import hashlib
import io
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from outcomes import ACCESS_KEY, ENDPOINT, ODD_KEYS, SECRET_KEY, resolve_names_below_localhost, run, unique

LARGE = bytes(range(256)) * (9 << 12)  # 9 MiB


def _client(**config):
    keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY}
    settings = Config(retries={"max_attempts": 0}, **config)
    return boto3.client("s3", endpoint_url=ENDPOINT, region_name="eu-de", config=settings, **keys)


S3 = _client()
BUCKET = unique("boto3")
S3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-de"})


def _read(key, **options):
    return S3.get_object(Bucket=BUCKET, Key=key, **options)["Body"].read()


def _code(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


def buckets_are_created_listed_and_deleted():
    name = unique("boto3")
    S3.create_bucket(Bucket=name)
    assert name in [bucket["Name"] for bucket in S3.list_buckets()["Buckets"]]
    assert S3.get_bucket_location(Bucket=BUCKET)["LocationConstraint"] == "eu-de"
    S3.delete_bucket(Bucket=name)
    assert _code(S3.head_bucket, Bucket=name) == "404"


def an_object_keeps_its_bytes_and_metadata():
    put = S3.put_object(
        Bucket=BUCKET, Key="o", Body=b"hello", ContentType="text/plain", CacheControl="no-store", Metadata={"a": "1"}
    )
    found = S3.get_object(Bucket=BUCKET, Key="o", ChecksumMode="ENABLED")
    assert found["Body"].read() == b"hello"
    assert put["ETag"] == found["ETag"] == f'"{hashlib.md5(b"hello").hexdigest()}"'
    assert (found["ContentType"], found["CacheControl"], found["Metadata"]) == ("text/plain", "no-store", {"a": "1"})
    assert found["ChecksumCRC32"] == put["ChecksumCRC32"]


def every_checksum_is_verified_and_returned():
    for algorithm in ("CRC32", "SHA1", "SHA256"):
        put = S3.put_object(Bucket=BUCKET, Key=algorithm, Body=b"sum", ChecksumAlgorithm=algorithm)
        head = S3.head_object(Bucket=BUCKET, Key=algorithm, ChecksumMode="ENABLED")
        assert head[f"Checksum{algorithm}"] == put[f"Checksum{algorithm}"]
    assert _code(S3.put_object, Bucket=BUCKET, Key="bad", Body=b"x", ChecksumCRC32="AAAAAA==") == "BadDigest"
    assert (
        _code(S3.put_object, Bucket=BUCKET, Key="bad", Body=b"x", ContentMD5="AAAAAAAAAAAAAAAAAAAAAA==") == "BadDigest"
    )
    assert _code(S3.head_object, Bucket=BUCKET, Key="bad") == "404"


def ranges_and_conditions():
    etag = S3.put_object(Bucket=BUCKET, Key="r", Body=b"0123456789")["ETag"]
    assert _read("r", Range="bytes=2-4") == b"234"
    assert _read("r", Range="bytes=-3") == b"789"
    assert _code(S3.get_object, Bucket=BUCKET, Key="r", Range="bytes=10-") == "InvalidRange"
    assert _code(S3.get_object, Bucket=BUCKET, Key="r", IfNoneMatch=etag) == "304"
    assert _code(S3.get_object, Bucket=BUCKET, Key="r", IfMatch='"x"') == "PreconditionFailed"
    assert _code(S3.put_object, Bucket=BUCKET, Key="r", Body=b"", IfNoneMatch="*") == "PreconditionFailed"
    S3.put_object(Bucket=BUCKET, Key="r", Body=b"new", IfMatch=etag)


def listings_page_and_group():
    keys = ["l/a", "l/b/1", "l/b/2", "l/c"]
    for key in keys:
        S3.put_object(Bucket=BUCKET, Key=key, Body=b"")
    page = S3.list_objects_v2(Bucket=BUCKET, Prefix="l/", Delimiter="/")
    assert [entry["Key"] for entry in page["Contents"]] == ["l/a", "l/c"]
    assert page["CommonPrefixes"] == [{"Prefix": "l/b/"}]
    for call in ("list_objects", "list_objects_v2"):
        pages = S3.get_paginator(call).paginate(Bucket=BUCKET, Prefix="l/", PaginationConfig={"PageSize": 1})
        assert [entry["Key"] for page in pages for entry in page["Contents"]] == keys
    after = S3.list_objects_v2(Bucket=BUCKET, Prefix="l/", StartAfter="l/b/1")
    assert [entry["Key"] for entry in after["Contents"]] == ["l/b/2", "l/c"]


def copies_keep_or_replace_metadata():
    S3.put_object(Bucket=BUCKET, Key="from", Body=b"copied", Metadata={"a": "1"})
    source = {"Bucket": BUCKET, "Key": "from"}
    S3.copy_object(Bucket=BUCKET, Key="kept", CopySource=source)
    S3.copy_object(Bucket=BUCKET, Key="new", CopySource=source, Metadata={"b": "2"}, MetadataDirective="REPLACE")
    assert (_read("kept"), S3.head_object(Bucket=BUCKET, Key="kept")["Metadata"]) == (b"copied", {"a": "1"})
    assert (_read("new"), S3.head_object(Bucket=BUCKET, Key="new")["Metadata"]) == (b"copied", {"b": "2"})


def large_objects_travel_in_parts():
    S3.upload_fileobj(io.BytesIO(LARGE), BUCKET, "large")
    target = io.BytesIO()
    S3.download_fileobj(BUCKET, "large", target)
    assert target.getvalue() == LARGE
    assert S3.head_object(Bucket=BUCKET, Key="large")["ETag"].endswith('-2"')


def parts_are_listed_copied_and_aborted():
    upload = S3.create_multipart_upload(Bucket=BUCKET, Key="parts")["UploadId"]
    here = {"Bucket": BUCKET, "Key": "parts", "UploadId": upload}
    S3.put_object(Bucket=BUCKET, Key="source", Body=LARGE)
    part = S3.upload_part(**here, PartNumber=1, Body=LARGE[: 5 << 20])
    copied = S3.upload_part_copy(
        **here, PartNumber=2, CopySource={"Bucket": BUCKET, "Key": "source"}, CopySourceRange="bytes=0-99"
    )
    assert [entry["PartNumber"] for entry in S3.list_parts(**here)["Parts"]] == [1, 2]
    assert upload in [entry["UploadId"] for entry in S3.list_multipart_uploads(Bucket=BUCKET)["Uploads"]]
    parts = [{"PartNumber": 1, "ETag": part["ETag"]}, {"PartNumber": 2, "ETag": copied["CopyPartResult"]["ETag"]}]
    S3.complete_multipart_upload(**here, MultipartUpload={"Parts": parts})
    assert _read("parts") == LARGE[: 5 << 20] + LARGE[:100]
    upload = S3.create_multipart_upload(Bucket=BUCKET, Key="parts")["UploadId"]
    S3.abort_multipart_upload(Bucket=BUCKET, Key="parts", UploadId=upload)
    assert "Uploads" not in S3.list_multipart_uploads(Bucket=BUCKET)


def presigned_urls_of_both_signatures_open_objects():
    S3.put_object(Bucket=BUCKET, Key="signed", Body=b"shown")
    for version in ("s3", "s3v4"):
        client = _client(signature_version=version)
        url = client.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "signed"})
        with urllib.request.urlopen(url) as response:
            assert response.read() == b"shown", version


def a_presigned_url_of_version_2_carries_metadata():
    client = _client(signature_version="s3")
    given = {"Bucket": BUCKET, "Key": "carried", "ContentType": "text/plain", "Metadata": {"a": "1"}}
    url = client.generate_presigned_url("put_object", Params=given)
    request = urllib.request.Request(url, b"body", {"Content-Type": "text/plain"}, method="PUT")
    with urllib.request.urlopen(request) as response:
        assert response.status == 200
    found = S3.head_object(Bucket=BUCKET, Key="carried")
    assert (found["ContentType"], found["Metadata"]) == ("text/plain", {"a": "1"})


def an_object_has_one_part():
    S3.put_object(Bucket=BUCKET, Key="attributes", Body=b"hello")
    assert _read("attributes", PartNumber=1) == b"hello"
    assert _code(S3.get_object, Bucket=BUCKET, Key="attributes", PartNumber=2) == "InvalidPartNumber"


def signature_version_2_works():
    client = _client(signature_version="s3")
    client.put_object(Bucket=BUCKET, Key="v2", Body=b"old", Metadata={"a": "1"})
    assert client.get_object(Bucket=BUCKET, Key="v2")["Body"].read() == b"old"
    assert client.list_objects(Bucket=BUCKET, Prefix="v2")["Contents"][0]["Key"] == "v2"


def buckets_may_stand_in_the_host_name():
    resolve_names_below_localhost()
    port = ENDPOINT.rpartition(":")[2]
    keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY, "region_name": "eu-de"}
    config = Config(s3={"addressing_style": "virtual"}, retries={"max_attempts": 0})
    client = boto3.client("s3", endpoint_url=f"http://localhost:{port}", config=config, **keys)
    client.put_object(Bucket=BUCKET, Key="virtual/host", Body=b"v")
    assert _read("virtual/host") == b"v"


def odd_keys_are_kept():
    for key in ODD_KEYS:
        S3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
    listed = [
        entry["Key"]
        for page in S3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        for entry in page["Contents"]
    ]
    assert sorted(ODD_KEYS) == [key for key in listed if key in ODD_KEYS]
    for key in ODD_KEYS:
        assert _read(key) == key.encode()
    deleted = S3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in ODD_KEYS]})
    assert len(deleted["Deleted"]) == len(ODD_KEYS)


def features_that_the_store_lacks_look_unused():
    S3.put_object(Bucket=BUCKET, Key="plain", Body=b"")
    assert "Status" not in S3.get_bucket_versioning(Bucket=BUCKET)
    assert S3.get_bucket_acl(Bucket=BUCKET)["Grants"][0]["Permission"] == "FULL_CONTROL"
    assert S3.get_object_acl(Bucket=BUCKET, Key="plain")["Grants"][0]["Permission"] == "FULL_CONTROL"
    assert S3.get_object_tagging(Bucket=BUCKET, Key="plain")["TagSet"] == []
    assert _code(S3.get_bucket_tagging, Bucket=BUCKET) == "NoSuchTagSet"
    assert _code(S3.get_bucket_policy, Bucket=BUCKET) == "NoSuchBucketPolicy"
    assert _code(S3.get_bucket_cors, Bucket=BUCKET) == "NoSuchCORSConfiguration"
    assert _code(S3.get_bucket_lifecycle_configuration, Bucket=BUCKET) == "NoSuchLifecycleConfiguration"
    assert [entry["Key"] for entry in S3.list_object_versions(Bucket=BUCKET, Prefix="plain")["Versions"]] == ["plain"]


if __name__ == "__main__":
    run(globals())
