"""What holds for every file: small, one noun, finished."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

LIMIT = 600
# One line per hash.
LONG = {
    "requirements/clients-clouds.txt",
    "requirements/clients-objects.txt",
    "requirements/demo-tensorboard.txt",
    "requirements/demo.txt",
    "requirements/dev.txt",
    "requirements/peers.txt",
    "requirements/tensorflow.txt",
}
WRITTEN_BY_A_PROGRAM = "generated"
DATA = {".json"}
SOURCES = {"overlays", "emulator", "contract", "scripts"}
VAGUE = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|(#|//)\s*(to" r"do|fix" r"me)\b")


def written_by_hand(texts: dict[Path, str]) -> dict[Path, str]:
    return {
        file: text
        for file, text in texts.items()
        if file.parts[0] != WRITTEN_BY_A_PROGRAM and file.suffix not in DATA and file.parts[:2] != ("tests", "data")
    }


def test_no_file_written_by_hand_has_600_lines(texts: dict[Path, str]) -> None:
    lengths = {str(file): len(text.splitlines()) for file, text in written_by_hand(texts).items()}

    assert {file: lines for file, lines in lengths.items() if lines >= LIMIT and file not in LONG} == {}


def test_the_list_of_long_files_names_no_file_that_is_short(root: Path) -> None:
    shrunk = [name for name in LONG if len((root / name).read_text().splitlines()) < LIMIT]

    assert shrunk == []


def test_no_module_has_a_name_that_says_nothing(files: list[Path]) -> None:
    assert [str(file) for file in files if file.suffix == ".py" and file.stem in VAGUE] == []


def test_nothing_is_left_to_do(texts: dict[Path, str]) -> None:
    """Open work lives in issues, not in the tree."""
    marked = [str(file) for file, text in texts.items() if file.suffix != ".json" and UNFINISHED.search(text)]

    assert marked == []


def test_no_function_is_an_empty_stub(files: list[Path], root: Path) -> None:
    """A body that does nothing is open work, unless a class declares it for its subclasses."""
    stubs = [
        f"{file}:{function.lineno}"
        for file in files
        if file.suffix == ".py" and file.parts[0] in SOURCES
        for function in plain_functions(ast.parse((root / file).read_text("utf-8")))
        if all(is_empty(statement) for statement in function.body)
    ]

    assert stubs == []


def plain_functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that belong to no class: an abstract method is empty with good reason."""
    classes = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    methods = {id(each) for node in classes for each in ast.walk(node)}
    for node in ast.walk(module):
        is_overload = isinstance(node, ast.FunctionDef) and any(
            "overload" in ast.unparse(d) for d in node.decorator_list
        )
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) not in methods and not is_overload:
            yield node


def is_empty(statement: ast.stmt) -> bool:
    raises = isinstance(statement, ast.Raise) and "NotImplementedError" in ast.unparse(statement)
    return raises or isinstance(statement, ast.Pass) or ast.unparse(statement) == "..."


def test_every_text_ends_in_one_line_break(texts: dict[Path, str]) -> None:
    ragged = [str(file) for file, text in texts.items() if text and (not text.endswith("\n") or text.endswith("\n\n"))]

    assert ragged == []
