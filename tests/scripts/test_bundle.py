"""Many files become one document, and what is wrong with them is said with file and line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bundle import DocumentError, bundle

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
        "schemas": ["CreateOrderRequest", "Error", "Item", "Labels", "Order"],
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


def test_scalars_are_those_of_json(write):
    document = write(openapi=f"{HEAD} {{}}\nx-values: [no, 2024-01-01, 1_000, 017, 12:30:00, 1.5, 3, true, null, .5]")

    assert bundle(document).document["x-values"] == [
        "no", "2024-01-01", "1_000", "017", "12:30:00", 1.5, 3, True, None, ".5"
    ]  # fmt: skip


def test_a_status_without_quotes_is_a_key_like_any_other(write):
    operation = OPERATION.replace("'200'", "200")
    document = write(openapi=f"{HEAD}  /a: {{$ref: paths/a.yaml}}", paths__a=operation, schemas__Thing="type: object")

    assert list(bundle(document).document["paths"]["/a"]["get"]["responses"]) == ["200"]


def test_keys_beside_a_reference_are_kept(write):
    document = write(openapi=f"{HEAD} {{}}\nx-thing: {{$ref: schemas/A.yaml, description: Mine.}}", schemas__A="{}")

    assert bundle(document).document["x-thing"] == {"$ref": "#/components/schemas/A", "description": "Mine."}


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


FAULTY = {
    "a document without paths": ({"openapi": "openapi: 3.1.0"}, "openapi.yaml", 1, ""),
    "a missing file": (
        {"openapi": f"{HEAD}  /a:\n    $ref: paths/a.yaml", "paths__a": OPERATION},
        *("a.yaml", 6, "`$ref: ../schemas/Thing.yaml` names no file"),
    ),
    "a reference into the root document from another file": (
        {
            "openapi": f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}",
            "schemas__A": "a: 1\nb: {$ref: '#/components/schemas/A'}",
        },
        *("A.yaml", 2, ""),
    ),
    "two components of one name": (
        {
            "openapi": f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}\nx-b: {{$ref: shared/schemas/A.yaml}}",
            "schemas__A": "type: object",
            "shared__schemas__A": "type: string",
        },
        *("openapi.yaml", 6, "two different components are named schemas/A"),
    ),
    "a component both in the root document and in a file": (
        {
            "openapi": f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}\ncomponents:\n  schemas:\n    A: {{type: string}}",
            "schemas__A": "type: object",
        },
        *("openapi.yaml", 8, "two different components are named schemas/A"),
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


@pytest.mark.parametrize(
    ("reference", "fact"),
    [
        ("https://example.org/Thing.yaml", "is not a file"),
        ("schemas/Thing.yaml#/properties/a", "is not a file"),
        ("'#/components/schemas/Absent'", "names nothing in this document"),
        ("openapi.yaml", "is in no folder of components"),
        ("schemas/Kein Name.yaml", "cannot be a component's name"),
    ],
)
def test_a_reference_that_leads_nowhere(write, reference, fact):
    document = write(openapi=f"{HEAD} {{}}\nx-a:\n  $ref: {reference}", schemas__Thing="{}")
    (document.parent / "schemas/Kein Name.yaml").write_text("{}")

    name, line, said = fault(document)
    assert (name, line) == ("openapi.yaml", 6)
    assert fact in said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1", 1),
        ("a: 1\nb:\tc: d", 2),
        ("a: 1\nb: 2\na: 3", 3),
        ("a: 1\n<<: {b: 2}", 2),
        ("a: !!binary aGFsbG8=", 1),
        ("", 1),
    ],
)
def test_a_file_that_is_not_plain_yaml(write, text, line):
    document = write(openapi=f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}", schemas__A=text)

    assert fault(document)[0] == "A.yaml"
    assert abs(fault(document)[1] - line) <= 1  # an unclosed bracket is noticed at the end of the file


def test_a_payload_that_is_not_json(write):
    document = write(openapi=f"{HEAD} {{}}\nx-a:\n  value: {{$ref: examples/a.json}}")
    (document.parent / "examples").mkdir()
    (document.parent / "examples/a.json").write_text('{"a": 1,\n "b": }')

    assert fault(document)[:2] == ("a.json", 2)


def test_the_command_says_what_is_wrong(tmp_path):
    command = [sys.executable, str(ROOT / "scripts/bundle.py"), "openapi.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "openapi.yaml:1: there is no such document\n"
