"""Imports between the modules of each package."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import jinja2
import pytest
from jinja2 import nodes

from modelarts_api.v1 import models as v1
from modelarts_api.v2 import models as v2
from modelarts_runtime.model import Model
from modelarts_toolkit.job_requests import request_body, rerun, v1_requests
from modelarts_toolkit.jobfiles.settings import FIELDS, PLACES

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "contract/modelarts_contract",
    "emulator/modelarts_emulator",
    "generated/modelarts_api",
    "overlays/modelarts_documents",
    "overlays/modelarts_runtime",
    "overlays/modelarts_toolkit",
)

PUBLIC = (
    "modelarts_emulator.server",
    "modelarts_emulator.testing",
    "modelarts_emulator.execution.protocol",
    "modelarts_emulator.storage.errors",
    "modelarts_emulator.storage.objects",
    "modelarts_emulator.storage.protocol",
    "modelarts_emulator ",
)
MOST_INTERNAL = 46
"""Files of `tests/emulator` that may import other modules of the emulator: to be lowered, not raised."""


def test_no_scripts_import_each_other_in_a_circle() -> None:
    """They are modules of no package, which import-linter cannot see; pyproject.toml has the rules of packages."""
    paths = {path.stem: path for path in (ROOT / "scripts").glob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, path in paths.items():
        parts = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        imported = {alias.name for node in parts if isinstance(node, ast.Import) for alias in node.names}
        graph[name] = (
            imported | {str(node.module) for node in parts if isinstance(node, ast.ImportFrom)}
        ) & paths.keys()

    assert "bundle" in graph["generate"]
    TopologicalSorter(graph).prepare()


# Modules that load others by a name which they compute: their own, an optional library, or the emulator.
LAZY = {
    "contract/modelarts_contract/commands/__init__.py",
    "overlays/modelarts_toolkit/__init__.py",
    "overlays/modelarts_toolkit/cli/groups.py",
    "overlays/modelarts_toolkit/jobs/tables.py",
    "overlays/modelarts_toolkit/local_emulator.py",
}


def _hidden_imports(text: str) -> list[int]:
    """The lines that import a module by a string, which the import rules cannot follow."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name | ast.Attribute)
        and (node.id if isinstance(node, ast.Name) else node.attr) in {"import_module", "__import__"}
        and isinstance(node.ctx, ast.Load)
    ]


def test_nothing_is_imported_by_a_string(files: list[Path], root: Path) -> None:
    """The rules in pyproject.toml see import statements only."""
    ours = [file for file in files if file.suffix == ".py" and str(file.parent).startswith(PACKAGES)]
    found = {
        str(file)
        for file in ours
        if not str(file).startswith("generated/") and _hidden_imports((root / file).read_text("utf-8"))
    }

    assert found == LAZY
    assert _hidden_imports("import importlib\nimportlib.import_module('modelarts_emulator.server')\n") == [2]


TOOLKIT = Path(__file__).parents[2] / "overlays" / "modelarts_toolkit"
ALLOWED = {  # what users give as it is
    "v1_jobs.py: Mapping[str, Any] | None",  # values of hyperparameters
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


def kinds_of(hint: Any) -> Iterator[Any]:
    """The models in a type, such as in a list or beside None."""
    if isinstance(hint, type) and issubclass(hint, Model):
        yield hint
    for each in typing.get_args(hint):
        yield from kinds_of(each)


def has_path(model: type[Model], path: tuple[str, ...]) -> bool:
    """Whether the model has an attribute of this name, and what it holds the next one."""
    hints: dict[str, Any] = typing.get_type_hints(model)
    if path[0] not in hints:
        return len(path) == 1 and hasattr(model, path[0])
    return len(path) == 1 or any(has_path(kind, path[1:]) for kind in kinds_of(hints[path[0]]))


def paths_of_view() -> list[tuple[str, ...]]:
    """What the line and the table of a job read from it."""
    tree = ast.parse((TOOLKIT.parent / "modelarts_runtime" / "views.py").read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "value_at"]
    found = [tuple(ast.literal_eval(each) for each in call.args[1:]) for call in calls]
    return [path for path in found if path != ("items",)]


TABLES: list[tuple[type[Model], list[tuple[str, ...]]]] = [
    (v2.TrainingJob, paths_of_view()),
    (v2.TrainingJobList, [("items",)]),
    (v2.CreateTrainingJobRequest, [tuple(map(str, path)) for path in (*PLACES.values(), *FIELDS.values())]),
    (v2.JobAlgorithm, [(name,) for name in request_body._REPEATED]),
    (v2.JobAlgorithmRequest, [(name,) for name in (*request_body._REPEATED, *rerun._OF_THE_ALGORITHM)]),
    (v2.ParameterRequest, [(name,) for name in rerun._OF_A_PARAMETER]),
    (v1.TrainingVersionConfigRequest, [(name,) for name in v1_requests.REPLACES]),
    (v1.TrainingVersionConfigRequest, [(name,) for names in v1_requests.REPLACES.values() for name in names]),
    (v1.TrainingVersionConfigRequest, [(name,) for name in v1_requests.SAID_TWICE]),
    (v1.TrainingVersionConfigRequest, [(name,) for names in v1_requests.SAID_TWICE.values() for name in names]),
    (v1.TrainingJobVersion, [("pool_type",), ("pool_id",)]),
]


@pytest.mark.parametrize(("model", "paths"), TABLES, ids=lambda value: getattr(value, "__name__", ""))
def test_every_name_in_a_table_is_one_of_its_model(model: type[Model], paths: list[tuple[str, ...]]) -> None:
    """Type checkers do not see texts."""
    assert paths
    assert [path for path in paths if not has_path(model, path)] == []


def test_templates_read_what_their_models_have() -> None:
    """Of responses they get events and the runs of a job; all else are rows of ours."""
    models: dict[str, type[Model]] = {"events": v2.Event, "records": v2.RunningRecord}
    read: set[str] = set()
    for file in (TOOLKIT / "ui" / "templates").rglob("*.html"):
        tree = jinja2.Environment().parse(file.read_text("utf-8"))
        for loop in tree.find_all(nodes.For):
            name, variable = getattr(loop.iter, "name", ""), getattr(loop.target, "name", "")
            if name in models:
                for each in loop.find_all(nodes.Getattr):
                    if isinstance(each.node, nodes.Name) and each.node.name == variable:
                        read.add(name)
                        assert has_path(models[name], (each.attr,)), f"{file.name}: {variable}.{each.attr}"

    assert read == set(models)


def test_few_tests_of_the_emulator_import_its_inside() -> None:
    """The others enter by public doors."""
    inside = [
        path
        for path in (ROOT / "tests" / "emulator").rglob("*.py")
        for line in [f"{line} " for line in path.read_text("utf-8").splitlines()]
        if line.startswith(("from modelarts_emulator", "import modelarts_emulator"))
        and not line.split(maxsplit=1)[1].startswith(PUBLIC)
    ]

    assert len(set(inside)) <= MOST_INTERNAL
