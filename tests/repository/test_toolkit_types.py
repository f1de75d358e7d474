"""Types between the toolkit's workflows and the generated client."""

from __future__ import annotations

import ast
import itertools
import typing
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from modelarts_api.iam import models as iam
from modelarts_api.v1 import models as v1
from modelarts_api.v2 import models as v2

TOOLKIT = Path(__file__).parents[2] / "overlays" / "modelarts_toolkit"
ALLOWED = {  # what users give as it is
    "v1_jobs.py: Mapping[str, Any] | None",  # changes of settings, and values of hyperparameters
}


def annotations_of(file: Path) -> list[str]:
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += [node.returns, *(each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg))]
        elif isinstance(node, ast.AnnAssign):
            found.append(node.annotation)
    return [ast.unparse(each) for each in found if each is not None]


def test_nothing_between_workflows_and_client_is_any() -> None:
    """So a type checker says which workflow a changed document breaks."""
    folders = [TOOLKIT / "_async", TOOLKIT / "jobs" / "_async"]
    unsure = {
        f"{file.name}: {text}"
        for folder in folders
        for file in folder.glob("*.py")
        for text in annotations_of(file)
        if "Any" in text.replace("AnyJob", "").replace("AnyV1Job", "").replace("AnyVersion", "")
    }

    assert unsure == ALLOWED


READERS = {"value_at", "text_at", "values_at", "models_at"}  # of modelarts_toolkit.jobs.state


@pytest.fixture(scope="module")
def fields() -> dict[str, list[type]]:
    """The models that have a field, by its name."""
    found = defaultdict(list)
    for kind in {getattr(models, name) for models in (iam, v1, v2) for name in models.__all__}:
        if attrs.has(kind):
            for name in typing.get_type_hints(kind):
                found[name].append(kind)
    return found


def paths_of(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The line and the names of every path of fields that is written in a call of a reader."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READERS:
            names = [each.value for each in node.args[1:] if isinstance(each, ast.Constant)]
            if names:
                yield node.lineno, [str(name) for name in names]


def models_in(hint: object) -> Iterator[type]:
    """The models that a type names, also as entries of lists."""
    if isinstance(hint, type) and attrs.has(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from models_in(part)


def is_known(path: list[str], fields: dict[str, list[type]]) -> bool:
    """Whether some model has the first field, and what the field holds has the next one, to the end."""
    kinds = fields.get(path[0], [])
    for name, following in itertools.pairwise(path):
        held = {each for kind in kinds for each in models_in(typing.get_type_hints(kind).get(name))}
        kinds = [kind for kind in held if kind in fields.get(following, [])]
    return bool(kinds)


def test_every_path_of_fields_exists_in_some_model(fields: dict[str, list[type]]) -> None:
    """So a field that a changed document renames is found where a workflow reads it by its name."""
    files = [file for file in TOOLKIT.rglob("*.py") if "_sync" not in file.parts]
    found = [(file, line, path) for file in files for line, path in paths_of(file)]
    unknown = [f"{file}:{line}: {'.'.join(path)}" for file, line, path in found if not is_known(path, fields)]

    assert len(found) > 40
    assert unknown == []
    assert not is_known(["status", "records_that_ran"], fields)
