"""An emulator whose objects are in a bucket of another service."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from tests.emulator.storage import stores

from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.server import Emulator
from modelarts_emulator.storage.opening import open_store

SCRIPT = b"""
import argparse, os, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--train_url", type=pathlib.Path)
print("variables", [name for name in os.environ if "OBJECTS" in name], flush=True)
(parser.parse_args().train_url / "model").write_bytes(b"trained")
"""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with stores.own_service() as endpoint:
        yield endpoint


@pytest.fixture
def remote(service: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Options of an emulator with a prefix that nobody has used."""
    for name, value in stores.credentials().items():
        monkeypatch.setenv(name, value)
    return {"objects": stores.fresh_url(service).partition("?")[0], "objects_endpoint": service}


def url_of(options: dict[str, str]) -> str:
    return f"{options['objects']}?endpoint={options['objects_endpoint']}"


def test_a_job_trains_on_objects_of_another_service(remote: dict[str, Any], log_in: Any) -> None:
    """Code and inputs come from the bucket, outputs and log go there; the script does not see its credentials."""
    with Emulator(**remote) as emulator:
        api = log_in(emulator)
        api.store = open_store(url_of(remote))
        api.fill_bucket()
        api.store.put(api.bucket, "own/train.py", SCRIPT)
        body = api.job_body(code_dir=f"/{api.bucket}/own/", boot_file=f"/{api.bucket}/own/train.py")
        place = {"obs": {"obs_url": f"/{api.bucket}/out/"}}
        body["algorithm"]["outputs"] = [{"name": "train_url", "remote": place}]
        job_id = api.create_job(body)["metadata"]["id"]
        job = f"/training-jobs/{job_id}"
        api.eventually(lambda: api.call("GET", job).json()["status"]["phase"] in ("Completed", "Failed"))

        assert api.store.read(api.bucket, "out/model") == b"trained"
        link = api.call("GET", f"{job}/tasks/worker-0/logs/url").json()["obs_url"]
        assert link.startswith(emulator.obs_endpoint)
        assert "variables []" in httpx.get(link).text


def test_a_tensorboard_says_that_it_cannot_read_objects_of_another_service(remote: dict[str, Any], log_in: Any) -> None:
    with Emulator(**remote) as emulator:
        api = log_in(emulator)
        api.store = open_store(url_of(remote))
        api.fill_bucket()
        path = f"/v1/{api.identity.project_id}/visualization-jobs"
        body = {"job_name": "curves", "train_url": f"/{api.bucket}/logs/"}
        job_id = api.http.post(path, json=body).json()["job_id"]
        said = api.eventually(lambda: api.http.get(f"{path}/{job_id}").json().get("error_message"))

    assert "start the emulator without --objects" in said


def test_the_object_storage_port_serves_the_bucket(remote: dict[str, Any]) -> None:
    """Clients use the emulator's port and keys as ever: write, list, range, copy, parts, conditions, delete."""
    with Emulator(**remote) as emulator:
        keys = {
            "aws_access_key_id": emulator.identity.access_key,
            "aws_secret_access_key": emulator.identity.secret_key,
        }
        s3 = boto3.client("s3", endpoint_url=emulator.obs_endpoint, region_name="local", **keys)
        s3.create_bucket(Bucket="data")
        s3.put_object(Bucket="data", Key="a/x", Body=b"0123456789", ContentType="text/plain", Metadata={"who": "me"})
        s3.copy_object(Bucket="data", Key="copy", CopySource={"Bucket": "data", "Key": "a/x"})
        part = s3.get_object(Bucket="data", Key="copy", Range="bytes=2-4")
        assert (part["Body"].read(), part["Metadata"], part["ContentType"]) == (b"234", {"who": "me"}, "text/plain")
        upload = s3.create_multipart_upload(Bucket="data", Key="parts")["UploadId"]
        etags = [
            s3.upload_part(Bucket="data", Key="parts", UploadId=upload, PartNumber=number, Body=b"p" * 200_000)["ETag"]
            for number in (1, 2)
        ]
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
        s3.complete_multipart_upload(Bucket="data", Key="parts", UploadId=upload, MultipartUpload={"Parts": parts})
        assert s3.head_object(Bucket="data", Key="parts")["ContentLength"] == 400_000
        with pytest.raises(s3.exceptions.ClientError, match="PreconditionFailed"):
            s3.put_object(Bucket="data", Key="parts", Body=b"", IfNoneMatch="*")
        s3.delete_object(Bucket="data", Key="parts")
        listed = s3.list_objects_v2(Bucket="data", Delimiter="/")

    assert [entry["Key"] for entry in listed["Contents"]] == ["copy"]
    assert [entry["Prefix"] for entry in listed["CommonPrefixes"]] == ["a/"]
    assert open_store(url_of(remote)).read("data", "a/x") == b"0123456789"


def test_a_reset_deletes_the_objects_of_the_emulator(remote: dict[str, Any]) -> None:
    """What the emulator put into its own prefix goes with a reset."""
    with Emulator(**remote, executor="simulated") as emulator:
        emulator.objects.put("obs://data/x", "1")
        emulator.reset()

    assert open_store(url_of(remote)).buckets() == []


def test_a_reset_never_deletes_objects_of_others(remote: dict[str, Any], tmp_path: Path) -> None:
    """A prefix that held objects before is served, and --forget is rejected with nothing deleted."""
    store = open_store(url_of(remote))
    store.create_bucket("mine")
    store.put("mine", "precious", b"1")
    with Emulator(**remote, executor="simulated") as emulator:
        assert emulator.objects.get("obs://mine/precious") == b"1"
        with pytest.raises(EmulatorError, match=r"nothing was reset.*held other objects"):
            emulator.reset()
    with pytest.raises(EmulatorError, match="held other objects"), Emulator(**remote, forget=True):
        pass

    assert store.read("mine", "precious") == b"1"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"objects": "s3://nowhere/x"}, "bucket nowhere does not exist"),
        ({"objects": "bucket"}, "is not the URL of an object store: use"),
        ({"objects_endpoint": None}, "--objects-endpoint"),
        ({"objects_endpoint": "http://127.0.0.1:9"}, "check the address"),
    ],
)
def test_an_unusable_bucket_is_one_sentence_at_the_start(
    remote: dict[str, Any], change: dict[str, Any], reason: str
) -> None:
    """The emulator does not start, and says what is wrong and what to do."""
    with pytest.raises(EmulatorError, match=f"the object storage cannot be used: .*{reason}"):
        Emulator(**(remote | change)).__enter__()


def test_a_request_that_needs_a_lost_bucket_gets_an_error_that_says_so(remote: dict[str, Any], log_in: Any) -> None:
    """Status 503 and what to do; other requests are served."""
    with contextlib.ExitStack() as stack:
        service = contextlib.ExitStack()
        options = remote | {"objects_endpoint": service.enter_context(stores.own_service())}
        api = log_in(stack.enter_context(Emulator(**options)))
        api.store = open_store(url_of(options))
        api.fill_bucket()
        job_id = api.create_job()["metadata"]["id"]
        api.wait_for_phase(job_id, "Completed", "Failed")
        service.close()
        response = api.call("POST", "/training-jobs", json=api.job_body(), timeout=60)
        shown = api.call("GET", f"/training-jobs/{job_id}")

    assert (response.status_code, shown.status_code) == (503, 200), response.text
    assert "cannot use its object storage" in response.json()["error_msg"]
    assert "send the request again" in response.json()["error_solution"]
