"""boto3: what ordinary work with buckets and objects needs."""

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from outcomes import ACCESS_KEY, ENDPOINT, SECRET_KEY, run, unique

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


if __name__ == "__main__":
    run(globals())
