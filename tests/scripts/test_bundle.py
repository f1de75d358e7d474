"""Our documents become one each, and what is wrong with them is said with file and line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bundle import bundle
from modelarts_documents.files import DocumentError

ROOT = Path(__file__).resolve().parents[2]
SHOP = ROOT / "tests/data/openapi/shop"

HEAD = """\
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
"""
OPERATION = """\
get:
  operationId: showThing
  responses:
    '200':
      description: A thing.
      content: {application/json: {schema: {$ref: ../schemas/Thing.yaml}}}
"""


@pytest.fixture
def write(tmp_path):
    """Writes files of a document into a folder and gives its root file."""

    def write(**files):
        for name, text in files.items():
            file = tmp_path / name.replace("__", "/")
            file = file.with_name(f"{file.name}.yaml")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return tmp_path / "openapi.yaml"

    return write


def fault(document):
    """Where the document is wrong, by file and line, and why."""
    with pytest.raises(DocumentError) as caught:
        bundle(document)
    found = re.fullmatch(r"(.*?):(\d+): (.*)", str(caught.value), re.DOTALL)
    assert found is not None
    file, line, fact = found.groups()
    return Path(file).name, int(line), fact


def test_files_become_components_paths_and_payloads_in_the_order_in_which_they_are_written():
    """A payload is data: what looks like a reference in it is none. A schema may refer to itself."""
    document = bundle(SHOP / "openapi.yaml").document
    components = document["components"]
    payload = json.loads((SHOP / "examples/createOrder.plain.json").read_text())
    content = document["paths"]["/shop/{project_id}/orders"]["post"]["requestBody"]["content"]["application/json"]

    assert {kind: list(of) for kind, of in components.items()} == {
        "schemas": ["Card", "CreateOrderRequest", "Error", "Item", "Labels", "Order", "Payment", "Voucher"],
        "parameters": ["ProjectId"],
        "headers": ["RequestId"],
        "responses": ["Refusal"],
        "securitySchemes": ["token"],
    }
    assert document["paths"]["/shelf"]["get"]["operationId"] == "showShelf"
    assert content["examples"] == {"createOrder.plain": {"value": payload}}
    assert components["schemas"]["Item"]["properties"]["parts"]["items"] == {"$ref": "#/components/schemas/Item"}
    assert list(components["schemas"]["Order"]) == ["type", "description", "required", "properties"]
    assert list(components["schemas"]["Order"]["properties"])[:3] == ["id", "kind", "type"]


def test_an_operation_gets_the_addresses_of_its_pages_unless_it_has_one(write):
    """The first page is `externalDocs`; a page can be an address itself."""
    pages = "x-page-addresses: {one: 'https://one.test/{page}.html', two: 'https://two.test/{page}'}\n"
    own = "  externalDocs: {url: 'https://other.test'}\n"
    paths = "  /a:\n    $ref: paths/a.yaml\n  /b:\n    $ref: paths/b.yaml\n"
    operation = "get:\n  operationId: %s\n  x-pages: {two: 'https://own.test', one: %s}\n%s"
    operation += "  responses: {'204': {description: Done.}}\n"
    root = write(
        openapi=f"{pages}{HEAD}{paths}", paths__a=operation % ("a", "a", ""), paths__b=operation % ("b", "b", own)
    )

    found = bundle(root).document["paths"]

    assert found["/a"]["get"]["x-pages"] == {"two": "https://own.test", "one": "https://one.test/a.html"}
    assert found["/a"]["get"]["externalDocs"] == {"url": "https://own.test"}
    assert found["/b"]["get"]["externalDocs"] == {"url": "https://other.test"}


THINGS = "components:\n  schemas:\n    B: {items: {$ref: schemas/A.yaml}}\n"
FAULTY = {
    "a document without paths": ({"openapi": "openapi: 3.1.0"}, "openapi.yaml", 1, ""),
    "a missing file": (
        {"openapi": f"{HEAD}  /a:\n    $ref: paths/a.yaml", "paths__a": OPERATION},
        *("a.yaml", 6, "`$ref: ../schemas/Thing.yaml` names no file"),
    ),
    "a reference into the root document from another file": (
        {"openapi": f"{HEAD} {{}}\n{THINGS}", "schemas__A": "a: 1\nitems: {$ref: '#/components/schemas/A'}"},
        *("A.yaml", 2, "names nothing in "),
    ),
    "two components of one name": (
        {
            "openapi": f"{HEAD} {{}}\n{THINGS}    C: {{items: {{$ref: shared/schemas/A.yaml}}}}",
            "schemas__A": "type: object",
            "shared__schemas__A": "type: string",
        },
        *("openapi.yaml", 8, "two different components are named schemas/A"),
    ),
    "a component both in the root document and in a file": (
        {"openapi": f"{HEAD} {{}}\n{THINGS}    A: {{type: string}}", "schemas__A": "type: object"},
        *("openapi.yaml", 8, "two different components are named schemas/A"),
    ),
    "a name that no component can have": (
        {"openapi": f"{HEAD} {{}}\n{THINGS.replace('A', 'Kein Name')}", "schemas__Kein Name": "type: object"},
        *("openapi.yaml", 7, "`Kein Name` cannot be a component's name"),
    ),
    "a page of a cloud without an address": (
        {"openapi": f"{HEAD}  /a: {{get: {{operationId: a, x-pages: {{otc: a}}}}}}"},
        *("openapi.yaml", 4, "`x-page-addresses` has no address for pages of otc"),
    ),
    "two operations of one name": (
        {
            "openapi": f"{HEAD}  /a: {{$ref: paths/a.yaml}}\n  /b: {{$ref: paths/b.yaml}}",
            "paths__a": OPERATION,
            "paths__b": f"# another\n{OPERATION}",
            "schemas__Thing": "type: object",
        },
        *("b.yaml", 3, "a.yaml:2"),
    ),
    "an operation without a name": (
        {"openapi": f"{HEAD}  /a: {{$ref: paths/a.yaml}}", "paths__a": "get:\n  summary: Nameless"},
        *("a.yaml", 2, ""),
    ),
}


@pytest.mark.parametrize("fault_of", FAULTY)
def test_what_is_wrong_has_its_file_and_line(write, fault_of):
    files, name, line, fact = FAULTY[fault_of]

    found = fault(write(**files))

    assert found[:2] == (name, line)
    assert fact in found[2]


def test_the_command_says_what_is_wrong(tmp_path):
    command = [sys.executable, str(ROOT / "scripts/bundle.py"), "openapi.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "openapi.yaml:1: openapi.yaml cannot be read: No such file or directory\n"
