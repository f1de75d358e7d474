"""Every link of the documents, followed once as it is written: what it leads to exists and has the documented form."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import modelarts_openapi
from modelarts_contract import documents
from modelarts_contract.run.setup import prepared

from . import first_version

ON_ITS_WAY = {"Creating", "Pending", "Running"}
# Their responses are about a job and do not name it.
NAMELESS = {
    "listTrainingJobEvents",
    "showAutoSearchParamsAnalysis",
    "showAutoSearchTrials",
    "showObsUrlOfTrainingJobLogs",
    "showTrainingJobLogsPreview",
    "showTrainingJobMetrics",
    "changeTrainingExperiment",
}
STOPS = {"stopTrainingJob", "stopTrainingJobVersion"}
SEARCHES = {"showAutoSearchTrials", "showAutoSearchParamsAnalysis"}


def links() -> Iterator[Any]:
    """The links between operations that the emulator serves."""
    for document in modelarts_openapi.NAMES:
        served = {id_ for id_, operation in documents.operations(document).items() if operation.not_emulated is None}
        for operation in documents.each(documents.load(document)):
            for status, response in operation["responses"].items():
                for name, referred in response.get("links", {}).items():
                    link = documents.resolve(documents.load(document), referred)
                    source = operation["operationId"]
                    if {source, link["operationId"]} <= served:
                        yield pytest.param(document, source, status, link, id=f"{document}: {source} -> {name}")


@functools.cache
def schema(document: str) -> Any:
    import schemathesis  # takes long, and is imported by every worker

    return schemathesis.openapi.from_dict(documents.load(document), config=schemathesis.Config())


class Chain:
    """Two calls to the service: the source of a link, and what the link says about the second."""

    def __init__(self, document: str, service: Any) -> None:
        self.schema, self.service, self.url = schema(document), service, service.url_of(document)
        self.headers = {"X-Auth-Token": service.token}

    def call(self, operation_id: str, status: str, path: dict[str, Any], query: dict[str, Any], body: Any) -> Any:
        """Send the request; the response has this status and passes every check of schemathesis."""
        operation = self.schema.find_operation_by_id(operation_id)
        given = {} if body is None else {"body": body, "media_type": "application/json"}
        case = operation.Case(path_parameters=path, query=query, **given)
        response = case.call(base_url=self.url, headers=self.headers)
        case.validate_response(response, headers=self.headers)
        assert str(response.status_code).startswith(status), response.text
        return response

    def follow(self, link: dict[str, Any], request: dict[str, Any], response: Any) -> Any:
        """Make the linked call with every expression replaced by what it stands for."""
        target = self.schema.find_operation_by_id(link["operationId"])
        values = evaluate(link.get("parameters", {}), request, response)
        places = {parameter.name: parameter.location.value for parameter in target.iter_parameters()}
        path = {name: value for name, value in values.items() if places[name] == "path"}
        query = {name: value for name, value in values.items() if places[name] == "query"}
        return self.call(link["operationId"], "2", path, query, evaluate(link.get("requestBody"), request, response))


def evaluate(value: Any, request: dict[str, Any], response: Any) -> Any:
    """Replace runtime expressions (OpenAPI 3.1, section 4.8.20.4) at any depth."""
    if isinstance(value, dict):
        return {name: evaluate(item, request, response) for name, item in value.items()}
    if isinstance(value, list):
        return [evaluate(item, request, response) for item in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    place, _, pointer = value.partition("#")
    if place == "$response.body":
        return at(response.json(), pointer)
    if place == "$request.body":
        return at(request["body"], pointer)
    _, kind, name = place.split(".")
    return request[kind][name]


def at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step) if isinstance(document, list) else step]
    return document


def bodies(service: Any, chain: Chain, path: dict[str, Any], plan: str = "short") -> dict[str, Callable[[], Any]]:
    """Well-formed bodies about things that exist, for the operations from which links start; jobs follow the plan."""
    known, name = service.stand_ins, service.name("link")
    code = {key: known[key] for key in ("code_dir", "boot_file", "engine")}
    spec = {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}}
    metadata = {"name": name, "annotations": service.plans[plan]}
    job = {"kind": "job", "metadata": metadata, "algorithm": {"id": known["algorithm_id"]}, "spec": spec}

    def find() -> dict[str, Any]:
        chain.call("createTrainingJob", "201", path, {}, job)
        return {"filters": [{"key": "name", "operator": "like", "value": [name]}]}

    return {
        "createAlgorithm": lambda: {"metadata": {"name": name}, "job_config": code},
        "createTrainingJob": lambda: job,
        "createTrainingExperiment": lambda: {"metadata": {"name": name}},
        "listTrainingJobs": find,
        "createToken": lambda: service.login_body,
    }


def path_of(service: Any, chain: Chain, document: str, operation_id: str) -> dict[str, Any]:
    """Path parameters that lead to something which exists."""
    if document == "v1":
        return first_version.path_of(service, chain, operation_id)
    parameters = chain.schema.find_operation_by_id(operation_id).iter_parameters()
    names = {parameter.name for parameter in parameters if parameter.location.value == "path"}
    path = {"project_id": service.environment["MODELARTS_PROJECT_ID"]} if "project_id" in names else {}
    if "algorithm_id" in names:
        path["algorithm_id"] = service.stand_ins["algorithm_id"]
    if "training_job_id" in names:
        path["training_job_id"] = job_for(service, chain, operation_id, path)
    return path


def job_for(service: Any, chain: Chain, operation_id: str, path: dict[str, Any]) -> str:
    """The id of a job that the operation can describe: one of which a trial runs, one that was analysed, or any."""
    if operation_id == "showAutoSearchTrials":
        return str(prepared(service, "v2", "searching")["searching"]["training_job_id"])
    if operation_id == "showAutoSearchParamsAnalysis":
        return str(service.stand_ins["searched"]["training_job_id"])
    body = bodies(service, chain, path)["createTrainingJob"]()
    return str(chain.call("createTrainingJob", "201", path, {}, body).json()["metadata"]["id"])


@pytest.mark.parametrize(("document", "source", "status", "link"), list(links()))
def test_the_link_leads_to_a_success(service: Any, document: str, source: str, status: str, link: Any) -> None:
    chain = Chain(document, service)
    path = path_of(service, chain, document, source)
    plan = "long" if link["operationId"] in STOPS else "short"  # a job that has ended cannot be stopped
    if document == "v1":
        query, body = first_version.request(service, chain, path, source, plan)
    else:
        query, body = {}, bodies(service, chain, path, plan).get(source, lambda: None)()
    response = chain.call(source, status, path, query, body)
    if document == "v1":
        first_version.make_ready(chain, link["operationId"], path, response.json())
    elif "task_id" in link.get("parameters", {}):
        wait_for_the_end(chain, path, response.json()["metadata"]["id"])

    followed = chain.follow(link, {"path": path, "query": query, "body": body}, response)

    if followed.content and link["operationId"] not in NAMELESS:
        assert str(response.json().get("metadata", {}).get("id", "")) in followed.text


def wait_for_the_end(chain: Chain, path: dict[str, Any], job: str) -> None:
    """A log exists once a job has run."""
    give_up = time.monotonic() + chain.service.patience_s
    while time.monotonic() < give_up:
        details = chain.call("showTrainingJobDetails", "200", {**path, "training_job_id": job}, {}, None)
        if details.json()["status"]["phase"] not in ON_ITS_WAY:
            return
        time.sleep(chain.service.poll_s)
    pytest.fail("the job did not end in time")
