"""The same documents make the same bytes; what is wrong changes nothing; what differs is shown."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generate import DOCUMENTS, Document, build, check, files, replace
from modelarts_documents.files import DocumentError

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/openapi"
SHOP = Document("shop", "The shop.")


def make(target, source=DATA, documents=(SHOP,)):
    target.mkdir()
    build(source, target, documents)
    return files(target)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("generated") / "first")


@pytest.fixture
def shop(tmp_path):
    """A copy of the shop's documents that a test may spoil."""
    shutil.copytree(DATA, tmp_path / "openapi")
    return tmp_path / "openapi"


def test_the_same_documents_make_the_same_bytes(made, tmp_path):
    assert make(tmp_path / "second") == made


def test_the_generated_code_passes_the_strict_type_check(made, tmp_path):
    """With the project's settings; what mypy knows of the libraries, from its last run here, it need not learn anew."""
    replace(tmp_path / "generated", made)
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / "cache")
    command = [sys.executable, "-m", "mypy", f"--config-file={ROOT / 'pyproject.toml'}"]
    command += [f"--cache-dir={tmp_path / 'cache'}", "-p", "modelarts_api", "-p", "modelarts_openapi"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_a_changed_a_missing_and_a_superfluous_file_are_found_and_shown(made, tmp_path, capsys):
    """What is up to date passes silently."""
    there, anew = tmp_path / "there", tmp_path / "made"
    for folder in (there, anew):
        replace(folder, made)
    assert (check(there, anew), capsys.readouterr()) == (0, ("", ""))
    models = there / "modelarts_api/shop/models"
    (models / "order.py").write_bytes((models / "order.py").read_bytes().replace(b"An order.", b"An ordeal."))
    (models / "item.py").unlink()
    (models / "ordeal.py").write_text("x = 1\n")

    assert check(there, anew) == 1
    shown = capsys.readouterr().out
    assert '-    """An ordeal."""\n+    """An order."""' in shown
    assert "-x = 1\n" in shown
    assert "+class Item(" in shown


def test_only_files_that_differ_are_written(made, tmp_path):
    replace(tmp_path, made)
    kept = tmp_path / "modelarts_api/errors.py"
    before = kept.stat().st_mtime_ns
    stale = tmp_path / "modelarts_api/old/api/gone.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("")

    assert replace(tmp_path, made) == [Path("modelarts_api/old/api/gone.py")]
    assert kept.stat().st_mtime_ns == before
    assert not (tmp_path / "modelarts_api/old").exists()


def test_a_write_that_is_interrupted_leaves_every_file_whole(made, tmp_path):
    """A full disk in the middle of a file: what was there is there, and no half of the new one."""
    replace(tmp_path, made)
    name = Path("modelarts_api/errors.py")
    code = f"""
import resource, signal, sys
from pathlib import Path
from generate import replace
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
replace(Path(sys.argv[1]), {{Path({str(name)!r}): b"#" * 5000}})
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )

    assert "File too large" in done.stderr
    assert (tmp_path / name).read_bytes() == made[name]
    assert files(tmp_path) == made


def test_a_faulty_document_leaves_what_is_there_as_it_is(shop, tmp_path):
    """All is made before anything is written."""
    target = tmp_path / "generated"
    replace(target, {Path("kept.py"): b"kept = 1"})
    (shop / "shop/schemas/Order.yaml").write_text("type: object\nproperties: {a: {$ref: Absent.yaml}}")
    for document in DOCUMENTS:
        shutil.copytree(shop / "shop", shop / document.name)
    command = [sys.executable, str(ROOT / "scripts/generate.py"), "--source", str(shop), "--target", str(target)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert files(target) == {Path("kept.py"): b"kept = 1"}
    assert "schemas/Order.yaml:2: `$ref: Absent.yaml` names no file" in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "fact"),
    [
        ("schemas/Order.yaml", "  notes:\n", "  to_dict:\n", "Order.to_dict: every model has an attribute"),
        ("schemas/Order.yaml", "anyOf: [{$ref: Item.yaml}, {type: 'null'}]",
         "anyOf: [{$ref: Item.yaml}, {$ref: Labels.yaml}]", "a union of several objects .Item, Labels., which"),
        ("paths/orders.yaml", "name: X-Trace\n      in: header", "name: x\n      in: cookie", "cookies are not"),
        ("paths/orders.yaml", "name: limit", "name: headers", "the parameter `headers` needs another name"),
        ("paths/orders.yaml", "application/json:\n        schema: {$ref: ../schemas/C",
         "application/octet-stream:\n        schema: {$ref: ../schemas/C", "createOrder: a body is JSON"),
        ("paths/orders.yaml", "      schema: {type: integer,", "      explode: false\n      schema: {type: integer,",
         "list_orders: the parameter `limit` has a `style` or `explode`"),
        ("paths/orders.yaml", "schema: {type: integer, minimum: 1, maximum: 50, default: 10}",
         "style: deepObject\n      schema: {type: object}", "list_orders: the parameter `limit` has a `style` or"),
        ("paths/orders.yaml", "schema: {type: integer, minimum: 1, maximum: 50, default: 10}",
         "schema: {type: object}", "list_orders: the parameter `limit` is an object"),
        ("paths/shelf.yaml", "        application/json:\n          schema: {$ref: ../schemas/Item.yaml}",
         "        application/octet-stream:\n          schema: {type: string, format: binary}", "is JSON or text"),
        ("paths/order.yaml", "'202'", "'402'", "deleteOrder: no response is a success"),
        ("paths/order.yaml", "name: order_id", "name: order_number", "Path parameter 'order_id'"),
        ("schemas/Order.yaml", "properties:", "propertys:", 'unknown keyword "propertys" in a schema; did you mean'),
        ("schemas/Order.yaml", "  notes:\n", "  x: {anyOf: [{colour: 1}]}\n  notes:\n", 'unknown keyword "colour"'),
        ("schemas/Order.yaml", "  notes:\n", "  x: {type: string, format: datetimes}\n  notes:\n",
         'unknown format "datetimes"; did you mean "date-time"'),
        ("paths/order.yaml", "operationId: deleteOrder", "operationId: 3", "3 is not of type .string."),
        ("paths/order.yaml", "tags: [orders]", "tags: [order]", 'has the unknown tag "order": declare it'),
        ("paths/order.yaml", "responses:", "x-responses:", "has no responses: describe"),
        ("schemas/Labels.yaml", "type: object", "type: nonsense", "Labels is no JSON Schema: .nonsense. is not"),
        ("schemas/Order.yaml", "  notes:\n", "  paid_at: {type: integer, x-time-unit: s}\n  notes:\n",
         "Order.paid_at: beside `x-time-unit` stands `x-time-name`"),
        ("schemas/Order.yaml", "  notes:\n", "  paid: {type: string, x-time-unit: s, x-time-name: on}\n  notes:\n",
         "Order.paid: the unit s needs an integer"),
        ("schemas/Order.yaml", "  notes:\n", "  paid: {type: [integer, boolean], x-usual-type: text}\n  notes:\n",
         "Order.paid: `x-usual-type` is not one of its types: text"),
        ("schemas/CreateOrderRequest.yaml", "enum: [plain, gift]", "enum: [plain, 1]",
         "the values of an `enum` are texts, or whole numbers"),
    ],
)  # fmt: skip
def test_what_the_client_cannot_express_is_rejected(shop, tmp_path, file, old, new, fact):
    text = (shop / "shop" / file).read_text()
    assert old in text
    (shop / "shop" / file).write_text(text.replace(old, new, 1))

    with pytest.raises(DocumentError, match=rf"{re.escape(file)}:\d+: .*{fact}"):
        make(tmp_path / "generated", shop)


def test_a_fault_in_a_document_of_3_0_has_its_file_and_line(shop, tmp_path):
    for file, old, new in (
        ("openapi.yaml", "openapi: 3.1.0", "openapi: 3.0.3"),
        ("schemas/Order.yaml", "  notes:\n", "  x:\n    nullable: true\n    typ: string\n  notes:\n"),
    ):
        text = (shop / "shop" / file).read_text()
        assert old in text, old
        (shop / "shop" / file).write_text(text.replace(old, new, 1))
    line = (shop / "shop/schemas/Order.yaml").read_text().splitlines().index("    nullable: true") + 1

    with pytest.raises(DocumentError, match=rf'schemas/Order.yaml:{line}: unknown keyword "typ"'):
        make(tmp_path / "generated", shop)


def test_requests_take_maps_and_lists_of_lists_as_dicts(made):
    request = made[Path("modelarts_api/shop/models/create_order_request.py")].decode()

    assert "    boxes: Mapping[str, _models.ItemDict]\n" in request
    assert "    rows: Sequence[Sequence[_models.ItemDict]]\n" in request


def test_headers_are_sent_as_the_document_says(made, tmp_path):
    """A boolean is a word of JSON; what is also a header (`x-also-in`) is sent twice."""
    replace(tmp_path, made)
    program = "from modelarts_api.shop.api.orders.list_orders import _get_kwargs as call\n"
    program += "print(call('p', x_quiet=True, x_trace='t', accept='text/csv'))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "overlays")])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)

    kwargs = eval(done.stdout)
    assert kwargs["headers"] == {"X-Trace": "t", "X-Quiet": "true", "Accept": "text/csv"}
    assert kwargs["params"] == {"Accept": "text/csv"}


def test_a_deprecated_operation_says_so_to_editors_and_readers(made):
    tag = made[Path("modelarts_api/shop/api/shelf_items/__init__.py")].decode()

    assert tag.count('@deprecated("The service will remove this operation.")') == 2
    assert "Deprecated: The service will remove this operation." in tag


@pytest.mark.parametrize(("is_required", "none"), [(True, ""), (False, " | None")])
def test_only_what_a_response_requires_has_no_none_and_a_new_time_has_its_name(shop, tmp_path, is_required, none):
    order = shop / "shop/schemas/Order.yaml"
    text = order.read_text().replace(
        "  notes:\n", "  paid_at: {type: integer, x-time-unit: s, x-time-name: paid_on}\n  notes:\n", 1
    )
    order.write_text(text.replace("required: [", "required: [paid_at, ", 1) if is_required else text)

    made = make(tmp_path / "generated", shop)[Path("modelarts_api/shop/models/order.py")].decode()

    assert f"paid_at: int{none} = " in made
    assert f'paid_on = Instant[datetime{none}]("paid_at", "s")' in made


def test_nothing_that_is_generated_is_needed_to_generate(tmp_path):
    """That the committed client is what the committed documents make is looked at by `make lint`."""
    code = "import sys\nsys.modules.update(modelarts_api=None, modelarts_openapi=None)\n"
    code += "from pathlib import Path\nfrom generate import Document, build\n"
    code += "build(Path(sys.argv[1]), Path(sys.argv[2]), [Document('shop', 'The shop.')])"
    command = [sys.executable, "-c", code, str(DATA), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert files(tmp_path)
