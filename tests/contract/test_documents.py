"""The documents hold: whatever they allow is answered as they say, by every operation and along every link.

A document is on trial as soon as the emulator imitates it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import modelarts_openapi
from modelarts_emulator.handlers import HANDLERS

from .conftest import Another, Contract
from .runs import CALLS, CHAINS, Outcome
from .service import OURS, Service

HTTP_METHODS = {"get", "post", "put", "patch", "delete", "head", "options"}


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in HTTP_METHODS:
                yield f"{method.upper()} {path}", operation


def links(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every link as the operation it starts from and its name."""
    for label, operation in operations(document):
        for answer in operation["responses"].values():
            target: Any = answer
            if "$ref" in answer:
                target = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
            for name in target.get("links", {}):
                yield label, name


def missed(document: str, outcomes: list[Outcome]) -> set[tuple[str, str]]:
    """The links that were not followed with all that they take along, as the operation they start from and the name."""
    followed = {link for outcome in outcomes for _, link, _ in outcome.exchanges() if link}
    return {
        (source, name)
        for source, name in links(modelarts_openapi.load(document))
        if not any(link.startswith(f"{source} -> [") and f"] {name} -> " in link for link in followed)
    }


def chains(contract: Contract, document: str, service: Service) -> list[Outcome]:
    """Run chains of calls until every link was followed, under at most four seeds.

    Ids come from the service, so that no seed makes two runs alike, and where a repetition goes another way than the
    first time, schemathesis ends a run before its time.
    """
    outcomes: list[Outcome] = []
    for seed in ("1", "2", "3", "4") if service.writable else ("1",):
        outcomes.append(contract(document, *CHAINS, "--seed", seed, name=f"{document}-chains-{seed}", at=service))
        if outcomes[-1].failures or not missed(document, outcomes):
            break
    return outcomes


@pytest.fixture(scope="module")
def tried(contract: Contract, another: Another) -> dict[str, list[Outcome]]:
    """Every document's calls and its chains of calls, as many runs at a time as there are cores.

    Chains have an emulator to themselves: lists would lead them to what calls need.
    """
    with ThreadPoolExecutor(os.cpu_count() if OURS else 1) as pool:
        calls = {document: pool.submit(contract, document, *CALLS, name=f"{document}-calls") for document in HANDLERS}
        with another() as service:
            chained = {document: pool.submit(chains, contract, document, service) for document in HANDLERS}
            return {document: [calls[document].result(), *chained[document].result()] for document in HANDLERS}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("document", HANDLERS)
def test_nothing_the_service_does_contradicts_the_document(tried: dict[str, list[Outcome]], document: str) -> None:
    for outcome in tried[document]:
        assert outcome.exit_status == 0, f"{outcome.name}: {outcome.output[-8000:]}"


@pytest.mark.parametrize("document", HANDLERS)
def test_every_operation_succeeds_at_least_once(
    tried: dict[str, list[Outcome]], document: str, service: Service
) -> None:
    """At a service that we only read, those that need the id of something we cannot create may fail."""
    exchanges = [exchange for outcome in tried[document] for exchange in outcome.exchanges()]
    succeeded = {label for label, _, status in exchanges if 200 <= status < 400}
    labels = {label for label, _ in operations(modelarts_openapi.load(document))}
    offered = {label for label in labels if service.writable or (label.startswith("GET") and label.count("{") <= 1)}

    assert offered - succeeded == set()


@pytest.mark.parametrize("document", HANDLERS)
def test_every_link_is_followed(tried: dict[str, list[Outcome]], document: str, service: Service) -> None:
    """A link that is never followed is a stateful check that never runs; what each leads to: test_links.py."""
    if not service.writable:
        pytest.skip("every link starts from something created: set WRITE=1")

    assert missed(document, tried[document]) == set()
