"""Fingerprints of operations: they change with what programs notice, and with nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import modelarts_openapi
from modelarts_contract.documents import operations_of
from modelarts_contract.evidence import fingerprint

CREATE, LIST = "createTrainingJob", "listAlgorithms"


def marks(change: Callable[[Any], object] = lambda document: None) -> dict[str, str]:
    """The fingerprints of the operations of v2 after a change of the document."""
    document = copy.deepcopy(modelarts_openapi.load("v2"))
    change(document)
    return {operation.operation_id: fingerprint(operation) for operation in operations_of("v2", document)}


def texts(document: Any) -> None:
    operation = document["paths"]["/v2/{project_id}/training-jobs"]["post"]
    operation |= {"summary": "Otherwise", "x-source": "elsewhere"}
    operation["requestBody"]["content"]["application/json"].pop("examples")
    document["components"]["schemas"]["JobMetadata"]["properties"]["name"]["format"] = "password"


def test_texts_examples_and_extensions_do_not_count() -> None:
    assert marks(texts) == marks()


@pytest.mark.parametrize("name", ["description", "name"])
def test_a_property_counts_for_the_operations_that_refer_to_it(name: str) -> None:
    """Also if it is named like a descriptive keyword; other operations stay as they are."""

    def change(document: Any) -> None:
        document["components"]["schemas"]["JobMetadata"]["properties"][name]["type"] = "integer"

    assert marks(change)[CREATE] != marks()[CREATE]
    assert marks(change)[LIST] == marks()[LIST]
