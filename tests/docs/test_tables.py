"""Tables of the pages name what the code has, and all of it: members, fixtures, commands and variables.

A table is about an object if its first heading is code: the rows below `job` are the members of a job.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import click
import command_reference
import pytest
from _pytest.fixtures import FixtureFunctionDefinition
from starlette.routing import Route

import modelarts_toolkit
from modelarts_emulator.control.client import CallControl, ClockControl, ObjectControl, RecordedCall, RuleControl
from modelarts_emulator.control.routes import control_app
from modelarts_emulator.execution.registry import ExecutorContext
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli import exit_status
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.settings.table import TABLE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# The objects of tables, by what pages call them.
OBJECTS: dict[str, type] = {
    "ma": modelarts_toolkit.ModelArts,
    "ma.jobs": modelarts_toolkit.Jobs,
    "ma.obs": modelarts_toolkit.Obs,
    "job": modelarts_toolkit.Job,
    "ma.v1_jobs": modelarts_toolkit.V1Jobs,
    "version": modelarts_toolkit.V1Job,
    "emulator": Emulator,
    "emulator.calls": CallControl,
    "emulator.clock": ClockControl,
    "emulator.faults": RuleControl,
    "emulator.objects": ObjectControl,
}
OBJECTS |= {"call": RecordedCall, "ApiFamily": ApiFamily, "ExecutorContext": ExecutorContext}
ELSEWHERE: dict[str, type] = {"ma.v1_jobs": modelarts_toolkit.Jobs, "version": modelarts_toolkit.Job}
PACKAGES = ("overlays", "emulator", "contract", "scripts")
OF_OTHERS = {"BASE", "CI", "HOME", "PATH", "TERM", "TMPDIR"}
CODE = re.compile(r"`([^`]+)`")
VARIABLE = re.compile(r"""\b(?:MODELARTS|CONTRACT)_[A-Z0-9_]+(?!\w)|(?<=environ\.get\(")\w+|(?<=environ\[")\w+""")


@dataclass(frozen=True)
class Row:
    """A row of a table of a page: the code in its first cell, and the other cells."""

    page: str
    heading: str
    names: tuple[str, ...]
    cells: tuple[str, ...]


@cache
def rows() -> tuple[Row, ...]:
    """All rows of all pages."""
    return tuple(rows_of_pages())


def rows_of_pages() -> Iterator[Row]:
    for page in DOCS.rglob("*.md"):
        heading = ""
        for line in page.read_text("utf-8").splitlines():
            if not line.startswith("|"):
                heading = ""
                continue
            first, *cells = (
                cell.strip().replace("\0", "|") for cell in line.replace("\\|", "\0").strip("|").split("|")
            )
            if not heading:
                heading = first
            elif set(first) - {"-", ":"}:
                yield Row(str(page.relative_to(DOCS)), heading, tuple(CODE.findall(first)), tuple(cells))


def named(heading: str) -> dict[str, Row]:
    """The rows below a heading, which may go on after a comma, by each of their names."""
    return {name: row for row in rows() if row.heading.partition(",")[0] == heading for name in row.names}


def members(kind: type) -> set[str]:
    """The public members, also those that instances get when they are made."""
    own = (cls for cls in kind.__mro__ if cls.__module__.startswith("modelarts_"))
    given = {name for cls in own for name in re.findall(r"\bself\.(\w+)(?:: .*)? = ", inspect.getsource(cls))}
    return {name for name in {*dir(kind), *given} if not name.startswith("_")}


def fault_of(call: str, kind: type) -> str:
    """What is wrong with a member as a table writes it, with its parameters; "" if nothing. … is any default."""
    name, bracket, _ = call.partition("(")
    if name not in members(kind):
        return "does not exist"
    if not bracket:
        return "is a method" if inspect.isfunction(inspect.getattr_static(kind, name, None)) else ""
    signature = inspect.signature(getattr(kind, name))
    _, *parameters = signature.parameters.values()
    node = ast.parse(call.replace("…", "..."), mode="eval").body
    assert isinstance(node, ast.Call), call
    written: dict[str, Any] = {ast.unparse(each): inspect.Parameter.empty for each in node.args}
    written |= {each.arg: ast.literal_eval(each.value) for each in node.keywords if each.arg}
    written |= {ast.unparse(each.value): ... for each in node.keywords if not each.arg}  # **members
    is_same = [*written] == [each.name for each in parameters] and all(
        written[each.name] in (..., each.default) for each in parameters
    )
    return "" if is_same else f"is {name}{signature}"


@pytest.mark.parametrize("name", OBJECTS)
def test_a_table_of_members_has_all_of_them_as_they_are(name: str) -> None:
    """Of handles of version 1, those that handles of version 2 have not; `clock.freeze()` is a member of a member."""
    parent, _, child = name.partition(".")
    inner = {
        call.removeprefix(f"{child}."): row
        for call, row in named(f"`{parent}`").items()
        if call.startswith(f"{child}.")
    }
    found = {call: row for call, row in named(f"`{name}`").items() if "." not in call.partition("(")[0]} | inner

    wrong = {f"{row.page}: {call} {fault}" for call, row in found.items() if (fault := fault_of(call, OBJECTS[name]))}
    assert wrong == set()
    shown = {call.partition("(")[0] for call in found}
    assert members(OBJECTS[name]) - members(ELSEWHERE.get(name, object)) - shown == set()


def test_the_reference_has_every_public_name() -> None:
    """A class or a function has a section with its docstring, of two twins the synchronous one; a constant is named."""
    pages = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    missing = set()
    for name in modelarts_toolkit.__all__:
        value = getattr(modelarts_toolkit, name)
        if name.startswith("Async"):
            twin = getattr(modelarts_toolkit, name.removeprefix("Async"))
            assert members(value) ^ members(twin) <= {"close", "aclose"}, name
        sections = f"modelarts_toolkit.{name.removeprefix('Async')}", getattr(value, "__module__", "")
        is_shown = any(f"::: {section}\n" in pages for section in sections)
        if not is_shown and (inspect.isfunction(value) or inspect.isclass(value) or f"`{name}`" not in pages):
            missing.add(name)

    assert missing == set()


def test_the_page_about_errors_names_every_one() -> None:
    """In its table, which says what to do, or with what they have in common below it."""
    exported = (getattr(modelarts_toolkit, name) for name in modelarts_toolkit.__all__)
    errors = {each.__name__ for each in exported if inspect.isclass(each) and issubclass(each, Exception)}
    page = set(CODE.findall((DOCS / "how-to" / "errors.md").read_text("utf-8")))

    assert {*named("error")} <= errors <= page


def test_the_tables_have_every_variable() -> None:
    """Those that begin with MODELARTS_ or CONTRACT_ or are read; system, make and Slurm document their own."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*")]
    code = "".join(file.read_text("utf-8") for file in files if file.suffix in (".py", ".json", ".toml", ".sh"))
    used = {name for name in VARIABLE.findall(code) if name not in OF_OTHERS and not name.startswith("SLURM")}
    of_settings: dict[str, list[str]] = {}
    for row in rows():
        if row.heading == "setting":
            (setting,) = row.names
            of_settings[setting] = CODE.findall(row.cells[0])

    assert of_settings == {
        name: [f"MODELARTS_{name.upper()}", *fact.get("variables", ())] for name, fact in TABLE.items()
    }
    shown = {*named("variable")}
    assert used.difference(shown, *of_settings.values()) == set()
    assert {name for name in shown if name not in code} == set()


def test_the_table_of_the_control_api_has_every_call() -> None:
    served = {
        f"{method} {route.path}"
        for route in control_app(MagicMock()).routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }

    shown = {
        f"{method} {name.partition(' ')[2]}"
        for row in rows()
        if row.heading == "call" and row.page == "emulator-control.md"
        for name in [row.names[-1]]
        for method in [*row.names[:-1], name.partition(" ")[0]]
    }
    assert shown == served


def test_modules_and_their_names_that_pages_mention_exist() -> None:
    for page in (*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md"):
        for name in re.findall(r"`(modelarts_[a-z]+(?:\.\w+)+)", page.read_text("utf-8")):
            if name != "modelarts_api.pools":  # which the page about new documents adds
                assert pkgutil.resolve_name(name) is not None, f"{page}: {name}"


def test_the_tables_have_what_the_plugins_bring() -> None:
    """Fixtures with their types, markers, and lines of the configuration; none of pytest's own."""
    fixtures, markers, lines = {}, set(), set()

    class Settings:
        """What plugins tell pytest of their markers and lines."""

        def addinivalue_line(self, _: str, line: str) -> None:
            markers.add(line.partition("(")[0])

        def addini(self, name: str, *_: object, **__: object) -> None:
            lines.add(name)

    settings: Any = Settings()
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    for module in map(importlib.import_module, entries.values()):
        for hook in ("pytest_addoption", "pytest_configure"):
            getattr(module, hook, lambda _: None)(settings)
        for name, value in vars(module).items():
            if isinstance(value, FixtureFunctionDefinition):
                kind = str(inspect.signature(value._get_wrapped_function()).return_annotation)
                fixtures[name] = re.sub(r"^(?:Iterator|Generator)\[(.*)\]$", r"\1", kind)

    assert {name: CODE.findall(row.cells[0]) for name, row in named("fixture").items()} == {
        name: [kind] for name, kind in fixtures.items()
    }
    assert {name.partition("(")[0] for name in named("marker")} == markers
    assert {*named("line of the configuration")} == lines


def commands(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, name
            yield from commands(child, click.Context(child, info_name=name, parent=context))


def test_the_reference_has_every_command_and_option() -> None:
    """Of those that help shows; options that commands share stand on the page of all commands."""
    pages = dict(command_reference.pages())
    missing = []
    for context in commands(modelarts, click.Context(modelarts, info_name="modelarts")):
        _, _, path = context.command_path.partition(" ")
        page = pages.get(f"reference/cli/{path.partition(' ')[0]}.md", "") + pages["reference/cli.md"]
        if f"# {context.command_path}\n" not in page and path:
            missing.append(context.command_path)
        for parameter in context.command.get_params(context):
            is_shown = isinstance(parameter, click.Option) and not parameter.hidden and "--help" not in parameter.opts
            missing += [f"{context.command_path} {name}" for name in parameter.opts if is_shown and name not in page]

    assert missing == [], "\n".join(missing)


def test_the_options_of_a_table_exist() -> None:
    known = {
        name
        for context in commands(modelarts, click.Context(modelarts, info_name="modelarts"))
        for parameter in context.command.get_params(context)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }

    assert {name for name in named("option") if name.split()[0] not in known} == set()


def test_the_table_of_exit_statuses_has_all_of_the_command() -> None:
    page = (DOCS / "cli.md").read_text("utf-8").partition("| exit status |")[2]
    shown = [int(status) for status in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)]

    assert shown == sorted(value for value in vars(exit_status).values() if isinstance(value, int))
