"""The meanings of the service's error codes."""

from collections.abc import Iterator
from typing import Any

import modelarts_openapi
from modelarts_api.error_codes import MEANINGS


def codes(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node.get("x-error-codes", ())
        yield from (node["x-error-code"],) if "x-error-code" in node else ()
        for child in node.values():
            yield from codes(child)
    elif isinstance(node, list):
        for child in node:
            yield from codes(child)


def test_every_code_of_the_documents_has_a_meaning_and_no_other_has_one():
    assert {code for name in modelarts_openapi.NAMES for code in codes(modelarts_openapi.load(name))} == set(MEANINGS)
