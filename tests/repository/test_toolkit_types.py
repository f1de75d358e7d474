"""Types between the toolkit's workflows and the generated client."""

from __future__ import annotations

import ast
from pathlib import Path

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
