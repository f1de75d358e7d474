"""The documents hold: whatever they allow gets a response that they describe, by every operation and along every link.

A document is on trial as soon as the emulator imitates it.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from . import documents
from .conftest import Another, Contract
from .operations import Operation, operations
from .runs import CALLS, CHAINS, SIGNED, Outcome, rejected_too_often
from .service import Service


@pytest.fixture(autouse=True)
def _only_guarded_documents(request: pytest.FixtureRequest, service: Service) -> None:
    if service.is_real and request.node.callspec.params["document"] not in documents.AT_REAL_SERVICES:
        pytest.skip("nothing guards a real service from changes by this document")


def links(name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every link of a document: the operation that it starts from, its name, and itself."""
    document = documents.load(name)
    for operation in operations(name).values():
        for response in document["paths"][operation.path][operation.method.lower()]["responses"].values():
            target: Any = response
            if "$ref" in response:
                target = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
            for link, content in target.get("links", {}).items():
                yield operation.operation_id, link, content


def missed(document: str, outcomes: list[Outcome]) -> set[tuple[str, str]]:
    """The links that were not followed with all that they take along, as the operation they start from and the name."""
    followed = {link for outcome in outcomes for _, link, _ in outcome.exchanges() if link}
    labels = {operation.operation_id: operation.label for operation in operations(document).values()}
    return {
        (labels[source], name)
        for source, name, _ in links(document)
        if not any(link.startswith(f"{labels[source]} -> [") and f"] {name} -> " in link for link in followed)
    }


def chains(contract: Contract, document: str, service: Service) -> list[Outcome]:
    """Run chains of calls until every link was followed, under at most four seeds.

    Ids come from the service, so that no seed makes two runs alike, and where a repetition goes another way than the
    first time, schemathesis ends a run before its time.
    """
    outcomes: list[Outcome] = []
    if service.is_real and all(operations(document)[source].kind == "login" for source, _, _ in links(document)):
        return outcomes  # Runs at a real service do not log in.
    for seed in ("1",) if service.is_real else ("1", "2", "3", "4"):
        outcomes.append(contract(document, *CHAINS, "--seed", seed, name=f"{document}-chains-{seed}", at=service))
        if outcomes[-1].failures or not missed(document, outcomes):
            break
    return outcomes


@pytest.fixture(scope="module")
def tried(contract: Contract, another: Another, service: Service) -> dict[str, list[Outcome]]:
    """Every document's calls and its chains of calls, as many runs at a time as there are cores.

    Chains have an emulator to themselves: lists would lead them to what calls need. Runs at a real service go one by
    one, in this thread, so that an interrupt ends them.
    """
    if service.is_real:
        return {
            document: [contract(document, *CALLS, name=f"{document}-calls"), *chains(contract, document, service)]
            for document in documents.AT_REAL_SERVICES
        }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        calls = {
            document: pool.submit(contract, document, *CALLS, name=f"{document}-calls") for document in documents.TRIED
        }
        with another() as service:
            chained = {document: pool.submit(chains, contract, document, service) for document in documents.TRIED}
            return {document: [calls[document].result(), *chained[document].result()] for document in documents.TRIED}


def is_offered(operation: Operation, service: Service) -> bool:
    """Whether the run can succeed with the operation: at a real service, only with what it may create there."""
    if not service.is_real:
        return True
    if operation.owner_parameter is None:
        return operation.kind == "read" or (service.writable and operation.kind == "create")
    return service.writable and "autosearch" not in operation.path


@pytest.mark.timeout(600)
@pytest.mark.parametrize("document", documents.TRIED)
def test_nothing_the_service_does_contradicts_the_document(tried: dict[str, list[Outcome]], document: str) -> None:
    for outcome in tried[document]:
        assert outcome.exit_status == 0, f"{outcome.name}: {outcome.output[-8000:]}"


@pytest.mark.parametrize("document", documents.TRIED)
def test_every_operation_succeeds_at_least_once(
    tried: dict[str, list[Outcome]], document: str, service: Service
) -> None:
    """At a real service, those that need something which the run may not create can fail."""
    exchanges = [exchange for outcome in tried[document] for exchange in outcome.exchanges()]
    succeeded = {label for label, _, status in exchanges if 200 <= status < 400}
    offered = {operation.label for operation in operations(document).values() if is_offered(operation, service)}

    assert offered - succeeded == set()


@pytest.mark.parametrize("document", documents.TRIED)
def test_most_valid_requests_succeed(tried: dict[str, list[Outcome]], document: str) -> None:
    """A service that rejects valid requests cannot hide behind the 400 that every operation may give."""
    assert rejected_too_often(document, tried[document]) == {}


@pytest.mark.parametrize("document", documents.TRIED)
def test_every_link_is_followed(tried: dict[str, list[Outcome]], document: str, service: Service) -> None:
    """A link that is never followed is a stateful check that never runs; what each leads to: test_links.py."""
    if service.is_real:
        pytest.skip("runs are short; test_links.py follows each link")

    assert missed(document, tried[document]) == set()


@pytest.mark.parametrize(
    ("document", "form"), [("iam", "unscoped"), ("v1", "unscoped"), ("v2", "scoped"), ("v2", "unscoped")]
)
def test_signed_requests_are_served_as_those_with_a_token(
    contract: Contract, service: Service, document: str, form: str
) -> None:
    if service.is_real:
        pytest.skip("a run at a real service has one login")
    outcome = contract(document, *SIGNED, name=f"{document}-{form}", at=dataclasses.replace(service, signature=form))
    succeeded = {label for label, _, status in outcome.exchanges() if 200 <= status < 300}

    assert outcome.exit_status == 0, outcome.output[-8000:]
    assert len(succeeded) > len(operations(document)) / 2
