"""A filled call of each operation, by curl and by the client: its values are those of the documents' examples."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from modelarts_contract.documents import Documents, Operation, Schema, overlay
from modelarts_documents.schema import resolve

PROJECT, TOKEN = "$MODELARTS_PROJECT_ID", "$TOKEN"
LOGIN = """\
eval "$(modelarts emulator env)"  # or the variables of your cloud
TOKEN=$(curl -sS -o /dev/null -D - "$MODELARTS_IAM_ENDPOINT/v3/auth/tokens" \\
  -H "Content-Type: application/json" \\
  -d '{"auth": {"identity": {"methods": ["password"], "password": {"user": {
        "name": "'"$OS_USERNAME"'", "password": "'"$OS_PASSWORD"'",
        "domain": {"name": "'"$OS_USER_DOMAIN_NAME"'"}}}},
      "scope": {"project": {"id": "'"$MODELARTS_PROJECT_ID"'"}}}}' |
  tr -d '\\r' | sed -n 's/^x-subject-token: //Ip')
"""
"""What gets the `TOKEN` that the lines of curl send."""


@dataclass(frozen=True)
class Example:
    """A call of an operation: `arguments` are those of the path, the query and the header by their names."""

    operation: Operation
    arguments: Mapping[str, Any]
    body: Any = None

    @property
    def function(self) -> str:
        """The client's method, such as `ma.v2.flavors.show_training_job_flavors`."""
        tag = snake(self.operation.definition["tags"][0])
        return f"ma.{self.operation.name}.{tag}.{snake(self.operation.operation_id)}"

    @property
    def python(self) -> str:
        """The call on one line."""
        given = [
            f"{snake(name)}={'token' if value == TOKEN else repr(value)}" for name, value in self.arguments.items()
        ]
        given += [f"body={self.body!r}"] if self.body is not None else []
        return f"{self.function}({', '.join(given)})"

    @property
    def curl(self) -> str:
        """The line of a POSIX shell that `LOGIN` has prepared; it breaks before options."""
        operation, values = self.operation, {**self.arguments, "project_id": PROJECT}
        path = operation.path.replace("{project_id}", PROJECT)
        path = re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), path)
        query = {name: values[name] for name in operation.parameters("query") if name in values}
        endpoint = overlay(operation.name).get("endpoint", "MODELARTS_ENDPOINT")
        url = f'"${endpoint}{path}{"?" + urlencode(query) if query else ""}"'
        method = {"GET": "", "HEAD": "-I "}.get(operation.method, f"-X {operation.method} ")
        lines = [f"curl {method}{url}"]
        if operation.needs_login:
            lines.append('-H "X-Auth-Token: $TOKEN"')
        lines += [f'-H "{name}: {values[name]}"' for name in operation.parameters("header") if name in values]
        if self.body is not None:
            text = json.dumps(self.body, indent=2 if len(str(self.body)) > 60 else None, ensure_ascii=False)
            lines += ['-H "Content-Type: application/json"', f"-d {shlex.quote(text)}"]
        return " \\\n  ".join(lines)


@cache
def examples() -> dict[tuple[str, str], Example]:
    """The examples of all operations, by document and id of the operation."""
    found = {}
    for operation in Documents().operations:
        arguments = {
            name: value_of(operation, name, parameter["schema"])
            for place in ("path", "query", "header")
            for name, parameter in operation.parameters(place).items()
            if parameter.get("required") and name != "project_id"
        }
        found[operation.name, operation.operation_id] = Example(operation, arguments, body_of(operation))
    return found


def value_of(operation: Operation, name: str, schema: Schema) -> Any:
    """What an example's response leads to by a link; otherwise what the schema says of the parameter."""
    if name == "X-Subject-Token":
        return TOKEN
    linked = linked_values()
    for key in ((operation.name, operation.operation_id, name), (operation.name, "", name)):
        if key in linked:
            return int(linked[key]) if schema.get("type") == "integer" else linked[key]
    return sample(operation.document, schema, name)


@cache
def linked_values() -> dict[tuple[str, str, str], Any]:
    """The values of parameters by document, operation ("" for any) and name, from links of responses with examples."""
    found: dict[tuple[str, str, str], Any] = {}
    for operation in Documents().operations:
        for response in operation.definition["responses"].values():
            response = resolve(operation.document, response)
            shown = first_example(response.get("content", {}))
            for link in response.get("links", {}).values():
                link = resolve(operation.document, link)
                for name, expression in link.get("parameters", {}).items():
                    place, _, pointer = str(expression).partition("#")
                    if place == "$response.body" and (value := at(shown, pointer)) is not None:
                        for whose in (link["operationId"], ""):
                            found.setdefault((operation.name, whose, name), value)
    return found


def at(value: Any, pointer: str) -> Any:
    """What a JSON pointer leads to; None where there is nothing."""
    for key in pointer.split("/")[1:]:
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else None
        else:
            value = (value or {}).get(key)
    return value


def first_example(content: Mapping[str, Any]) -> Any:
    media: Mapping[str, Any] = next(iter(content.values()), {})
    return next((example["value"] for example in media.get("examples", {}).values()), None)


def body_of(operation: Operation) -> Any:
    """The first example of the request; of operations without one the smallest body that says something."""
    content = resolve(operation.document, operation.definition.get("requestBody", {})).get("content", {})
    schema = operation.body_schema()
    shown = first_example(content)
    return shown if shown is not None or schema is None else sample(operation.document, schema, "body")


def sample(document: Schema, schema: Schema, name: str) -> Any:
    """A value of the schema: an example or a known value, otherwise the name that it has."""
    schema = resolve(document, schema)
    known = [schema[key] for key in ("const", "default") if key in schema]
    for key in ("examples", "enum", "x-known-values"):
        known += [value for value in schema.get(key, ()) if value is not None]
    if known:
        return known[0]
    for part in schema.get("anyOf", schema.get("oneOf", ())):
        return sample(document, part, name)
    kinds = schema.get("type", "string")
    match kinds if isinstance(kinds, str) else kinds[0]:
        case "object":
            fields: Mapping[str, Any] = schema.get("properties", {})
            first = [key for key, field in fields.items() if "default" not in field][:1]
            return {key: sample(document, fields[key], key) for key in schema.get("required", first)}
        case "array":
            return [sample(document, schema["items"], name.removesuffix("s"))]
        case "integer" | "number":
            return max(1, schema.get("minimum", 1))
        case "boolean":
            return True
    letters = re.sub("[^a-z]", "", name.lower())
    texts = [
        text[: schema.get("maxLength")] for text in (f"my-{name.replace('_', '-')}", f"my_{name}", letters, "a", "1")
    ]
    return next((text for text in texts if re.search(schema.get("pattern", ""), text)), texts[0])


def formatted(calls: Iterable[str]) -> list[str]:
    """The calls as ruff formats them, each on lines of at most 88 columns."""
    separator = "# ---\n"
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
    text = separator.join(f"{call}\n" for call in calls)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [part.strip() for part in done.stdout.split(separator)]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("-", "_")).lower()
