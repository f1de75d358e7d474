"""The facts beside the documents, and the documents, say the same."""

from collections.abc import Iterator
from typing import Any

import modelarts_openapi
from modelarts_openapi.error_codes import ERROR_CODES
from modelarts_openapi.phases import PHASES, SECONDARY_PHASES, STATUS_NAMES


def codes(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node.get("x-error-codes", ())
        yield from (node["x-error-code"],) if "x-error-code" in node else ()
        for child in node.values():
            yield from codes(child)
    elif isinstance(node, list):
        for child in node:
            yield from codes(child)


def test_every_code_of_the_documents_is_explained() -> None:
    """Beside them, only the codes are that a client or the emulator treats differently from others."""
    documented = {code for name in modelarts_openapi.NAMES for code in codes(modelarts_openapi.load(name))}

    assert documented - set(ERROR_CODES) == set()
    assert [code for code in set(ERROR_CODES) - documented if not ERROR_CODES[code].exception] == []


def test_phases_and_statuses_are_those_of_the_documents() -> None:
    status = modelarts_openapi.load("v2")["components"]["schemas"]["JobStatus"]["properties"]
    numbers = modelarts_openapi.load("v1")["components"]["schemas"]["JobStatusCode"]

    assert status["phase"]["x-known-values"] == list(PHASES)
    assert set(SECONDARY_PHASES.values()) <= set(status["secondary_phase"]["x-known-values"])
    assert numbers["x-known-values"] == list(STATUS_NAMES)
