"""The documents hold: whatever they allow is answered as they say, by every operation and along every link.

A document is on trial as soon as the emulator imitates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import modelarts_openapi
from modelarts_emulator.handlers import HANDLERS

from .conftest import left_out

HTTP_METHODS = {"get", "post", "put", "patch", "delete", "head", "options"}


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in HTTP_METHODS and operation["operationId"] not in left_out():
                yield f"{method.upper()} {path}", operation


def links(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every link as the operation it starts from and its name."""
    for label, operation in operations(document):
        for answer in operation["responses"].values():
            target: Any = answer
            if "$ref" in answer:
                target = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
            for name, link in target.get("links", {}).items():
                if link["operationId"] not in left_out():
                    yield label, name


@pytest.fixture(scope="module", params=list(HANDLERS))
def run(request: pytest.FixtureRequest, contract: Callable[..., Any]) -> tuple[str, Any]:
    return request.param, contract(request.param)


@pytest.mark.timeout(600)
def test_nothing_the_service_does_contradicts_the_document(run: tuple[str, Any]) -> None:
    name, outcome = run

    assert outcome.exit_status == 0, f"{name}: {outcome.output[-8000:]}"


def test_every_operation_succeeds_at_least_once(run: tuple[str, Any], service: Any) -> None:
    """At a service that we only read, those that need the id of something we cannot create may fail."""
    name, outcome = run
    succeeded = {label for label, _, status in outcome.exchanges() if 200 <= status < 400}
    labels = {label for label, _ in operations(modelarts_openapi.load(name))}
    offered = {label for label in labels if service.writable or (label.startswith("GET") and label.count("{") <= 1)}

    assert offered - succeeded == set()


@pytest.mark.timeout(600)
def test_every_link_is_followed(run: tuple[str, Any], service: Any, contract: Callable[..., Any]) -> None:
    """A link that is never followed is a stateful check that never runs; what each leads to: test_links.py.

    Ids come from the service, so that no seed makes two runs alike: chains that miss a link are tried again.
    """
    name, outcome = run
    if not service.writable:
        pytest.skip("every link starts from something created: set WRITE=1")
    missed = set(links(modelarts_openapi.load(name)))
    for seed in (None, "2", "3"):
        again = ["--phases", "stateful", "--seed", seed] if seed else []
        tried = contract(name, *again, name=f"{name}-again") if again and missed else outcome
        followed = {link for _, link, _ in tried.exchanges() if link}
        missed -= {
            (source, link)
            for source, link in missed
            if any(id_.startswith(f"{source} -> [") and f"] {link} -> " in id_ for id_ in followed)
        }

    assert missed == set()
