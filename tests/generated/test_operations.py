"""An operation sends what the document says and gives the documented response or raises."""

import asyncio
import inspect
import json
from importlib import import_module

import httpx
import pytest
from tests.generated.names import snake

import modelarts_openapi
from modelarts_api import v2
from modelarts_api.client import Client
from modelarts_api.errors import ApiError
from modelarts_api.v2.api.training_jobs import show_training_job_details
from modelarts_api.v2.models import TrainingJob

METHODS = ("get", "put", "post", "delete", "patch")
JOB = {"kind": "job", "metadata": {"id": "j", "name": "n"}, "status": {"phase": "Running"}}


class Service:
    """A service that gives one response and remembers what it was asked."""

    def __init__(self, status=200, **response):
        self.response = {"status_code": status, **response}
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        return httpx.Response(**self.response)

    @property
    def client(self):
        return Client("http://service.test/base", httpx_args={"transport": httpx.MockTransport(self)})

    @property
    def v2(self):
        return v2.Api(self.client, "p")


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_every_operation_is_a_method_of_its_tag_with_the_same_parameters_sync_and_async(name):
    """Its docstring names its pages, or else what was read."""
    package = import_module(f"modelarts_api.{name}")
    arguments = [Client("http://service.test"), "p"][: len(inspect.signature(package.Api).parameters)]
    apis = package.Api(*arguments), package.AsyncApi(*arguments)
    paths = modelarts_openapi.load(name)["paths"].values()
    for operation in (item[method] for item in paths for method in METHODS if method in item):
        attribute = operation["tags"][0].replace("-", "_")
        sync, asynchronous = (getattr(getattr(api, attribute), snake(operation["operationId"])) for api in apis)
        sources = [*operation.get("x-pages", {}).values()] or [operation["x-source"]]

        assert inspect.signature(sync) == inspect.signature(asynchronous), operation["operationId"]
        assert inspect.iscoroutinefunction(asynchronous), operation["operationId"]
        assert not inspect.iscoroutinefunction(sync), operation["operationId"]
        assert [source for source in sources if f"Source: {source}" not in sync.__doc__] == [], operation["operationId"]
        assert f"see `{type(sync.__self__).__name__}.{sync.__name__}`." in asynchronous.__doc__, operation[
            "operationId"
        ]


def test_a_detailed_call_reports_status_and_headers():
    client = Service(status=200, json=JOB, headers={"X-Request-Id": "r"}).client
    detailed = show_training_job_details.sync_detailed("p", "j", client=client)
    asynchronous = asyncio.run(show_training_job_details.asyncio_detailed("p", "j", client=client))

    assert (detailed.status_code, detailed.headers["X-Request-Id"]) == (200, "r")
    assert json.loads(detailed.content) == JOB
    assert detailed.parsed == asynchronous.parsed == TrainingJob.from_dict(JOB)


def test_a_response_without_content_is_none():
    assert Service(status=204).v2.logs.show_training_job_logs_preview("j", "worker-0") is None
    assert Service(status=202, text="").v2.training_jobs.delete_training_job("j") is None


@pytest.mark.parametrize(
    "response",
    [
        {"text": "<html>Welcome</html>"},
        {"text": ""},
        {"content": b"\xff\xfe\x00garbage"},
        {"json": ["a"]},
        {"json": None},
        {"json": "text"},
        {"text": '{"kind": "job"'},
        {"text": "[" * 100_000},
    ],
    ids=["page", "empty", "bytes", "list", "null", "string", "cut", "deep"],
)
def test_a_success_that_is_not_the_documented_json_is_an_error(response):
    with pytest.raises(ApiError) as caught:
        Service(status=200, **response).v2.training_jobs.show_training_job_details("j")
    assert caught.value.status == 200


@pytest.mark.parametrize("mark", [{"is_success": False}, {}], ids=["marked", "unmarked"])
@pytest.mark.parametrize("call", ["show_training_job_details", "delete_training_job"])
def test_a_rejection_under_a_success_status_is_an_error(call, mark):
    rejection = {**mark, "error_code": "ModelArts.0105", "error_message": "This job can't be stop."}
    jobs = Service(status=200, json=rejection).v2.training_jobs

    with pytest.raises(ApiError, match=r"ModelArts.0105: This job can't be stop") as caught:
        getattr(jobs, call)("j")
    assert caught.value.error_code == "ModelArts.0105"
