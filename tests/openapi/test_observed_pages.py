"""The payloads of an older edition of the pages fit the documents, but for what their file explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import operations

PAGES = Path(__file__).parents[1] / "data" / "observed" / "pages-2021"
OPERATIONS = {f"{operation.name} {operation.id}": operation for operation in operations()}
ENTRIES: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in sorted(PAGES.glob("*.yaml"))}


@pytest.mark.parametrize("payload", ENTRIES)
def test_a_payload_of_an_older_page_fits_the_documents(payload: str) -> None:
    entry = ENTRIES[payload]
    operation = OPERATIONS[entry["operation"]]
    if "request" in entry:
        carrier, body = operation.facts["requestBody"], entry["request"]["body"]
    else:
        status = entry["response"].get("status")
        responses = operation.facts["responses"]
        carrier, body = responses[str(status) if status else "default"], entry["response"]["body"]

    schema = operation.resolve(carrier)["content"]["application/json"]["schema"]

    assert bool(operation.findings(schema, body)) == ("differs" in entry), operation.findings(schema, body)
