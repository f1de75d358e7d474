"""Facts become modules, and facts that contradict each other are rejected with their file and line."""

import runpy
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from facts import write_facts
from modelarts_documents.files import DocumentError

DATA = Path(__file__).resolve().parents[1] / "data/openapi/shared"


def test_a_code_keeps_its_facts_and_its_first_status_counts(tmp_path):
    write_facts(DATA, tmp_path, tmp_path, {"NotFound"})

    fact = runpy.run_path(str(tmp_path / "error_codes.py"))["ERROR_CODES"]["Shop.0001"]
    assert (fact.status, fact.statuses) == (400, (400, 404))
    assert (fact.text, fact.exception) == ("OrderNotFound", "NotFound")
    assert runpy.run_path(str(tmp_path / "codes.py"))["ORDER_NOT_FOUND"] == "Shop.0001"
    assert (fact.meaning, fact.remedy) == ("There is no such order.", "Check the number of the order.")


def test_a_phase_that_none_follows_is_terminal_and_so_are_its_statuses(tmp_path):
    write_facts(DATA, tmp_path, tmp_path, {"NotFound"})

    phases = runpy.run_path(str(tmp_path / "phases.py"))
    assert {"Sent"} == phases["TERMINAL_PHASES"]
    assert {2, 3} == phases["TERMINAL_STATUSES"]
    assert phases["PHASES_OF_STATUSES"] == {1: "Open", 2: "Sent", 3: "Sent"}
    assert phases["STATUS_NUMBERS"] == {"unknown": 0, "open": 1, "sent": 2, "delivered": 3}


def object_of(**properties: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties}


def test_the_secrets_are_those_of_the_documents_and_of_the_list(tmp_path):
    """A name that other fields have, too, is secret in its object only, wherever that is written."""
    text, secret = {"type": ["string", "null"]}, {"type": "string", "format": "password"}
    schemas = {
        "User": object_of(id=text, name=text, pass_word={"allOf": [text, secret]}),
        "Login": object_of(user={"$ref": "#/components/schemas/User"}, entry={"$ref": "#/components/schemas/Entry"}),
        "Entry": {"anyOf": [object_of(id=secret), object_of(pin={"$ref": "#/components/schemas/Pin"})]},
        "Pin": {"type": "object", "properties": {"name": secret}},
    }
    body = object_of(ticket=object_of(id=secret, puk=secret), keys={"type": "array", "items": object_of(id=secret)})
    document = {
        "openapi": "3.1.0",
        "paths": {"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": body}}}}}},
        "components": {"schemas": schemas},
    }
    write_facts(DATA, tmp_path, tmp_path, {"NotFound"}, [document])

    secrets = runpy.run_path(str(tmp_path / "secrets.py"))

    assert secrets["NAMES"] == ("apikey", "entry.id", "keys.id", "password", "pin.name", "puk", "ticket.id")
    assert secrets["SUSPICIOUS"] == "pass|pwd"


def test_a_secret_that_is_in_no_named_object_is_hidden_everywhere(tmp_path):
    schemas = {
        "User": object_of(id={"type": "string"}),
        "Login": object_of(id={"type": "string", "format": "password"}),
    }

    write_facts(DATA, tmp_path, tmp_path, {"NotFound"}, [{"components": {"schemas": schemas}}])

    assert runpy.run_path(str(tmp_path / "secrets.py"))["NAMES"] == ("apikey", "id")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("error-codes.yaml", "exception: NotFound", "exception: NoFound", "2: Shop.0001: `exception` is one of: NotFo"),
        ("error-codes.yaml", "ORDER_NOT_FOUND", "not-found", "2: Shop.0001: `name` is a constant, such as"),
        ("error-codes.yaml", "  remedy:", "  remedies:", "2: Shop.0001: these keys are unknown: remedies"),
        ("error-codes.yaml", "[400, 404]", "[400, soon]", "2: Shop.0001: it needs a `meaning`, and a `status`"),
        ("secrets.yaml", "In programs.", "", "2: api key: say why it is secret"),
        ("phases.yaml", "next: [Sent]", "next: [Snt]", "3: Open: `next` has phases that are not described: Snt"),
        ("phases.yaml", "    detail: Sent\n", "", "7: Sent: its keys are: detail, next, statuses"),
        ("phases.yaml", "[2, 3]", "[1, 2]", "7: Sent: the status 1 is read as Open already"),
        ("phases.yaml", "[2, 3]", "[2, 4]", "7: Sent: the status 4 has no name in `statuses`"),
    ],
)
def test_a_wrong_fact_is_named_with_its_place(tmp_path, file, old, new, message):
    shared = shutil.copytree(DATA, tmp_path / "shared")
    text = (shared / file).read_text()
    (shared / file).write_text(text.replace(old, new))

    with pytest.raises(DocumentError) as raised:
        write_facts(shared, tmp_path, tmp_path, {"NotFound"})

    assert f"{file}:{message}" in str(raised.value)
