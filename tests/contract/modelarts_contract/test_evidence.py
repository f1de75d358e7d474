"""Fingerprints of documents: they change with what programs notice, and with nothing else."""

from __future__ import annotations

import copy
from typing import Any

import modelarts_openapi
from modelarts_contract.evidence import fingerprint

DOCUMENT = modelarts_openapi.load("v2")


def test_texts_examples_and_extensions_do_not_count() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["info"]["description"] = "Otherwise."
    operation = document["paths"]["/v2/{project_id}/training-jobs"]["post"]
    operation |= {"summary": "Otherwise", "x-source": "elsewhere"}
    operation["requestBody"]["content"]["application/json"].pop("examples")

    assert fingerprint(document) == fingerprint(DOCUMENT)


def test_a_property_counts_also_if_it_is_named_like_a_text() -> None:
    """`description` is a field of jobs, and a keyword of schemas."""
    document: Any = copy.deepcopy(DOCUMENT)
    properties = document["components"]["schemas"]["JobMetadata"]["properties"]
    properties["description"]["type"] = "integer"

    assert fingerprint(document) != fingerprint(DOCUMENT)
