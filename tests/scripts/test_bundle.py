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


def references(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str) and item != "is data here":
                yield item
            else:
                yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_every_reference_of_a_bundle_is_resolved_within_it():
    document = bundle(SHOP / "openapi.yaml").document

    for reference in references(document):
        found = document
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]


def test_a_file_becomes_the_component_of_its_name_and_folder():
    document = bundle(SHOP / "openapi.yaml").document

    assert list(document["components"]["schemas"]) == ["CreateOrderRequest", "Error", "Item", "Labels", "Order"]
    assert list(document["components"]["parameters"]) == ["ProjectId"]
    assert list(document["components"]["headers"]) == ["RequestId"]
    assert list(document["components"]["responses"]) == ["Refusal"]
    assert list(document["components"]["securitySchemes"]) == ["token"]


def test_a_path_file_is_put_in_place():
    document = bundle(SHOP / "openapi.yaml").document

    assert document["paths"]["/shelf"]["get"]["operationId"] == "showShelf"


def test_a_payload_is_put_in_place_as_it_is():
    content = bundle(SHOP / "openapi.yaml").document["paths"]["/shop/{project_id}/orders"]["post"]["requestBody"][
        "content"
    ]

    payload = json.loads((SHOP / "examples/createOrder.plain.json").read_text())
    assert content["application/json"]["examples"] == {"createOrder.plain": {"value": payload}}


def test_a_schema_may_refer_to_itself():
    item = bundle(SHOP / "openapi.yaml").document["components"]["schemas"]["Item"]

    assert item["properties"]["parts"]["items"] == {"$ref": "#/components/schemas/Item"}


def test_keys_keep_the_order_in_which_they_are_written():
    order = bundle(SHOP / "openapi.yaml").document["components"]["schemas"]["Order"]

    assert list(order) == ["type", "description", "required", "properties"]
    assert list(order["properties"])[:3] == ["id", "kind", "type"]


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


def test_a_missing_document(tmp_path):
    assert fault(tmp_path / "openapi.yaml") == ("openapi.yaml", 1, "there is no such document")


def test_a_document_without_paths(write):
    assert fault(write(openapi="openapi: 3.1.0"))[:2] == ("openapi.yaml", 1)


def test_a_missing_file(write):
    document = write(openapi=f"{HEAD}  /a:\n    $ref: paths/a.yaml", paths__a=OPERATION)

    name, line, fact = fault(document)
    assert (name, line) == ("a.yaml", 6)
    assert "`$ref: ../schemas/Thing.yaml` names no file" in fact


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


def test_a_reference_into_the_root_document_from_another_file(write):
    document = write(
        openapi=f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}", schemas__A="a: 1\nb: {$ref: '#/components/schemas/A'}"
    )

    assert fault(document)[:2] == ("A.yaml", 2)


def test_two_components_of_one_name(write):
    document = write(
        openapi=f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}\nx-b: {{$ref: shared/schemas/A.yaml}}",
        schemas__A="type: object",
        shared__schemas__A="type: string",
    )

    name, line, fact = fault(document)
    assert (name, line) == ("openapi.yaml", 6)
    assert "two different components are named schemas/A" in fact


def test_a_component_written_both_in_the_root_document_and_in_a_file(write):
    document = write(
        openapi=f"{HEAD} {{}}\nx-a: {{$ref: schemas/A.yaml}}\ncomponents:\n  schemas:\n    A:\n      type: string",
        schemas__A="type: object",
    )

    name, line, fact = fault(document)
    assert (name, line) == ("openapi.yaml", 9)
    assert "two different components are named schemas/A" in fact


def test_two_operations_of_one_name(write):
    document = write(
        openapi=f"{HEAD}  /a: {{$ref: paths/a.yaml}}\n  /b: {{$ref: paths/b.yaml}}",
        paths__a=OPERATION,
        paths__b=f"# another\n{OPERATION}",
        schemas__Thing="type: object",
    )

    name, line, fact = fault(document)
    assert (name, line) == ("b.yaml", 3)
    assert "`showThing` is taken by" in fact
    assert "a.yaml:2" in fact


def test_an_operation_without_a_name(write):
    document = write(openapi=f"{HEAD}  /a: {{$ref: paths/a.yaml}}", paths__a="get:\n  summary: Nameless")

    assert fault(document)[:2] == ("a.yaml", 2)


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


def test_the_command_prints_the_bundled_document():
    command = [sys.executable, "scripts/bundle.py", str(SHOP / "openapi.yaml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == bundle(SHOP / "openapi.yaml").document


def test_the_command_says_what_is_wrong(tmp_path):
    command = [sys.executable, str(ROOT / "scripts/bundle.py"), "openapi.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "openapi.yaml:1: there is no such document\n"


def test_the_command_writes_all_documents_of_a_folder(tmp_path):
    command = [sys.executable, "scripts/bundle.py", str(ROOT / "tests/data/openapi"), "--into", str(tmp_path / "made")]
    subprocess.run(command, cwd=ROOT, check=True)

    [file] = (tmp_path / "made").iterdir()
    assert file.name == "shop.json"
    assert json.loads(file.read_text()) == bundle(ROOT / "tests/data/openapi/shop/openapi.yaml").document
