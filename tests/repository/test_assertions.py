"""An assertion that fails says for which of many cases."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest


def nameless(node: ast.AST, loop: ast.AST | None = None) -> Iterator[int]:
    """The lines of assertions without a message that run once for each case of a `for`; a `while` waits."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert) and child.msg is None and isinstance(loop, ast.For | ast.AsyncFor):
            yield child.lineno
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        is_loop = isinstance(child, ast.For | ast.AsyncFor | ast.While)
        yield from nameless(child, None if is_function else child if is_loop else loop)


def test_an_assertion_in_a_loop_names_its_case(texts: dict[Path, str]) -> None:
    """Compare all cases in one assertion, make them parameters, or write the case behind it: `assert found, case`."""
    tests = {file: text for file, text in texts.items() if file.parts[0] == "tests" and file.suffix == ".py"}
    assert tests

    found = {str(file): list(nameless(ast.parse(text))) for file, text in tests.items()}
    assert {file: lines for file, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("for case in cases:\n    assert case", [2]),
        ("for case in cases:\n    if case:\n        with case:\n            assert case", [4]),
        ("async def f():\n    async for case in cases:\n        assert case", [3]),
        ("while True:\n    for case in cases:\n        assert case", [3]),
        ("for case in cases:\n    assert case, case", []),
        ("for case in cases:\n    while case.waits():\n        assert case.lives", []),
        ("for case in cases:\n    def check(case):\n        assert case", []),
    ],
)
def test_what_has_no_name_is_found(program: str, lines: list[int]) -> None:
    """Also below other statements; a function in a loop has its own arguments."""
    assert list(nameless(ast.parse(program))) == lines
