"""The adapter gives the templates dataclasses of our own, and is the only one that knows the generator."""

import copy
import inspect
import re
from pathlib import Path

from adapter import parse
from bundle import bundle
from modelarts_api.v1 import models as v1

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "scripts/openapi-python-client.yaml"


def test_the_adapter_is_the_only_module_that_imports_the_generator():
    users = [
        file.name
        for file in (ROOT / "scripts").rglob("*.py")
        if re.search(r"^\s*(import|from) openapi_python_client", file.read_text(), re.MULTILINE)
    ]

    assert users == ["adapter.py"]


def test_the_text_beside_a_reference_stands_before_the_one_behind_it():
    text = inspect.getsource(v1.Engine)

    assert text.index("Family of the engine (AI framework).") < text.index("1 TensorFlow, 2 MXNet")


def test_the_document_is_left_as_it_was():
    source = bundle(ROOT / "openapi/iam/openapi.yaml").document
    before = copy.deepcopy(source)
    parse(source, SETTINGS)

    assert source == before


def test_examples_do_not_matter():
    """No type and no name of the client comes from an example."""

    def without(node, named=False):
        if isinstance(node, list):
            return [without(item) for item in node]
        if not isinstance(node, dict):
            return node
        kept = {key: value for key, value in node.items() if named or key not in ("example", "examples")}
        return {key: without(value, key == "properties") for key, value in kept.items()}

    written = bundle(ROOT / "openapi/v2/openapi.yaml").document
    one, other = parse(written, SETTINGS), parse(without(written), SETTINGS)

    assert len(str(without(written))) < len(str(written))
    assert (one.models, one.literals) == (other.models, other.literals)
