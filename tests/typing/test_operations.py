"""The types of every operation reject each argument of a wrong type, and accept a right one, as the reference does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from operation_examples import examples
from tests.generated.names import snake

from modelarts_contract.documents import Documents, Operation

ROOT = Path(__file__).resolve().parents[2]
RIGHT = {"string": '"x"', "integer": "7", "number": "0.5", "boolean": "True"}
WRONG = {"string": "7", "integer": '"7"', "number": '"0.5"', "boolean": '"true"'}


def calls(operation: Operation) -> Iterator[tuple[str, str]]:
    """Calls with the name of the argument that is wrong in them; the first has none."""
    right: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for place in ("path", "query", "header"):
        for name, parameter in operation.parameters(place).items():
            if name == "project_id":
                continue
            schema = parameter["schema"]
            right[snake(name)] = repr(schema["enum"][0]) if "enum" in schema else RIGHT[schema["type"]]
            wrong[snake(name)] = '"no such value"' if "enum" in schema else WRONG[schema["type"]]
    if operation.body_schema():
        right["body"], wrong["body"] = body_of(operation), '{"no_such_field": 1}'
    yield written(operation, right), ""
    for name, text in wrong.items():
        yield written(operation, {**right, name: text}), name


def body_of(operation: Operation) -> str:
    model = operation.body_schema()["$ref"].rpartition("/")[2]  # type: ignore[index]
    return f"{operation.name}_models.{model}.from_dict({{}}).to_dict()"


def written(operation: Operation, arguments: dict[str, str]) -> str:
    tag = operation.definition["tags"][0].replace("-", "_")
    listed = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return f"{operation.name}_api.{tag}.{snake(operation.operation_id)}({listed})"


def test_mypy_rejects_every_argument_of_a_wrong_type_and_no_right_one(tmp_path: Path) -> None:
    """A number for a text, a text for a number, a value that is not in the list, a body with an unknown field."""
    names = sorted({operation.name for operation in Documents().operations})
    head = [
        line
        for name in names
        for line in (f"from modelarts_api import {name}", f"import modelarts_api.{name}.models as {name}_models")
    ]
    parameters = ", ".join(f"{name}_api: {name}.Api" for name in names)
    lines = [*head, "from modelarts_toolkit import ModelArts"]
    lines += ["def show(ma: ModelArts, token: str) -> None:"]
    lines += [f"    {example.python}" for example in examples().values()]
    lines += [f"def use({parameters}) -> None:"]
    wrong: dict[int, str] = {}
    for operation in Documents().operations:
        for text, argument in calls(operation):
            lines.append(f"    {text}")
            if argument:
                wrong[len(lines)] = f"{operation.operation_id}: {argument}"
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines) + "\n")

    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(program)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    found = {int(message.split(":")[1]): message for message in said.splitlines() if " error: " in message}
    assert {number: message for number, message in found.items() if number not in wrong} == {}
    assert {name for number, name in wrong.items() if number not in found} == set()
    assert len(wrong) > 100
