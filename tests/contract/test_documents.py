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


@pytest.fixture(scope="module")
def tried(contract: Contract, another: Another) -> dict[str, tuple[Outcome, Outcome]]:
    """Every document's calls and its chains of calls, as many runs at a time as there are cores.

    Chains have an emulator to themselves: lists would lead them to what calls need.
    """
    with ThreadPoolExecutor(os.cpu_count() if OURS else 1) as pool:
        calls = {document: pool.submit(contract, document, *CALLS, name=f"{document}-calls") for document in HANDLERS}
        with another() as service:
            chains = {
                document: pool.submit(contract, document, *CHAINS, name=f"{document}-chains", at=service)
                for document in HANDLERS
            }
            return {document: (calls[document].result(), chains[document].result()) for document in HANDLERS}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("document", HANDLERS)
def test_nothing_the_service_does_contradicts_the_document(
    tried: dict[str, tuple[Outcome, Outcome]], document: str
) -> None:
    for outcome in tried[document]:
        assert outcome.exit_status == 0, f"{outcome.name}: {outcome.output[-8000:]}"


@pytest.mark.parametrize("document", HANDLERS)
def test_every_operation_succeeds_at_least_once(
    tried: dict[str, tuple[Outcome, Outcome]], document: str, service: Service
) -> None:
    """At a service that we only read, those that need the id of something we cannot create may fail."""
    exchanges = [exchange for outcome in tried[document] for exchange in outcome.exchanges()]
    succeeded = {label for label, _, status in exchanges if 200 <= status < 400}
    labels = {label for label, _ in operations(modelarts_openapi.load(document))}
    offered = {label for label in labels if service.writable or (label.startswith("GET") and label.count("{") <= 1)}

    assert offered - succeeded == set()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("document", HANDLERS)
def test_every_link_is_followed(
    tried: dict[str, tuple[Outcome, Outcome]], document: str, service: Service, contract: Contract
) -> None:
    """A link that is never followed is a stateful check that never runs; what each leads to: test_links.py.

    Ids come from the service, so that no seed makes two runs alike: chains that miss a link are tried again.
    """
    if not service.writable:
        pytest.skip("every link starts from something created: set WRITE=1")
    missed = set(links(modelarts_openapi.load(document)))
    for seed in (None, "2", "3"):
        again = seed and missed
        outcome = contract(document, *CHAINS, "--seed", seed, name=f"{document}-again") if again else tried[document][1]
        followed = {link for _, link, _ in outcome.exchanges() if link}
        missed -= {
            (source, link)
            for source, link in missed
            if any(id_.startswith(f"{source} -> [") and f"] {link} -> " in id_ for id_ in followed)
        }

    assert missed == set()
