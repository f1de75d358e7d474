"""Reference pages of the API's operations, from the bundled documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import modelarts_openapi
from modelarts_contract.documents import Documents, Operation, Schema, resolve
from modelarts_openapi.error_codes import ERROR_CODES
from modelarts_openapi.phases import PHASES, STATUS_NAMES, STATUSES_OF_PHASES, TRANSITIONS

DOCUMENTS = {"v2": "Training, v2", "v1": "Training, v1", "iam": "IAM"}
CLOUDS = {"otc": "Open Telekom Cloud", "huaweicloud": "Huawei Cloud"}


def pages() -> Iterator[tuple[str, str]]:
    """A page per document: its operations by tag, then the objects they send and return."""
    for name, title in DOCUMENTS.items():
        document = modelarts_openapi.load(name)
        yield f"reference/{name}.md", "\n".join(page(name, title, document))
    yield "reference/codes.md", "\n".join(codes())


def codes() -> Iterator[str]:
    """The codes of the service, and the phases and statuses of jobs."""
    yield from ("# Error codes and phases", "", "## Error codes", "")
    yield from ("| code | status | meaning | exception | what to do |", "|---|---|---|---|---|")
    for code, fact in ERROR_CODES.items():
        exception = f"`{fact.exception}`" if fact.exception else ""
        statuses = ", ".join(map(str, fact.statuses))
        yield f"| `{code}` | {statuses} | {fact.meaning} | {exception} | {fact.remedy} |"
    yield from ("", "## Phases", "", "| phase | can become | statuses of version 1 |", "|---|---|---|")
    for phase in PHASES:
        following = ", ".join(each for each in PHASES if each in TRANSITIONS[phase]) or "final"
        statuses = ", ".join(f"{number} `{STATUS_NAMES[number]}`" for number in STATUSES_OF_PHASES[phase])
        yield f"| {phase} | {following} | {statuses} |"


def page(name: str, title: str, document: Schema) -> Iterator[str]:
    yield from (f"# {title}", "", plain(document["info"]["description"]), "")
    yield f"Every operation is a method of `ma.{name}`, with the same arguments and results."
    for tag in document["tags"]:
        yield from ("", f"## {capital(tag['name'])}", "", plain(tag.get("description", "")))
        for operation in Documents([name]).operations:
            if tag["name"] in operation.definition["tags"]:
                yield from section(operation)
    yield from ("", "## Objects", "")
    for schema_name, schema in sorted(document["components"]["schemas"].items()):
        fields = resolve(document, schema).get("properties")
        if fields:
            yield from (f"### {schema_name}", "", plain(schema.get("description", "")), "")
            yield from field_table(document, fields, schema.get("required", ()))


def section(documented: Operation) -> Iterator[str]:
    name, document, operation = documented.name, documented.document, documented.definition
    call = f"ma.{name}.{snake(operation['tags'][0])}.{snake(operation['operationId'])}"
    yield from ("", f"### {operation['summary']}", "", f"`{documented.method} {documented.path}`", "")
    yield from (f"Python: `{call}(…)`", "", plain(operation.get("description", "")), "")
    clouds = operation.get("x-availability")
    if clouds and set(clouds) != set(CLOUDS):
        yield from (f"Documented by {' and '.join(CLOUDS[cloud] for cloud in clouds)} only.", "")
    if permission := operation.get("x-permission"):
        yield from (f"It needs the permission `{permission}`.", "")
    notes = (("x-emulated-reason", "Not emulated"), ("x-assumption", "Assumption"), ("x-deviation", "Deviation"))
    for key, label in notes:
        if key in operation:
            yield from (f'!!! note "{label}"', "", f"    {plain(operation[key])}", "")
    parameters = [resolve(document, parameter) for parameter in operation["parameters"]]
    shown = [parameter for parameter in parameters if parameter["name"] != "project_id"]
    if shown:
        yield from ("| parameter | in | type | |", "|---|---|---|---|")
        for parameter in shown:
            required = " **Required.**" if parameter.get("required") and parameter["in"] != "path" else ""
            kind = type_of(document, parameter["schema"])
            yield f"| `{parameter['name']}` | {parameter['in']} | {kind} | {cell(parameter)}{required} |"
        yield ""
    if "requestBody" in operation:
        body = resolve(document, operation["requestBody"])
        media = next(iter(body["content"].values()))
        yield from (f"Request body: {type_of(document, media['schema'])}", "")
        yield from examples(media)
    yield from ("| status | response | |", "|---|---|---|")
    for status, response in operation["responses"].items():
        response = resolve(document, response)
        media = next(iter(response.get("content", {}).values()), None)
        kind = type_of(document, media["schema"]) if media and "schema" in media else ""
        codes = ", ".join(f"`{code}`" for code in response.get("x-error-codes", ()))
        yield f"| {status} | {kind} | {cell(response)}{' Codes: ' + codes + '.' if codes else ''} |"
    yield ""
    for cloud, url in operation.get("x-pages", {}).items():
        yield from (f"[Page in the manual of {CLOUDS[cloud]}]({url})", "")
    if "x-source" in operation:
        yield from (f"Source: {plain(operation['x-source'])}", "")


def examples(media: Schema) -> Iterator[str]:
    for title, example in media.get("examples", {}).items():
        text = json.dumps(example["value"], indent=2, ensure_ascii=False)
        yield f'??? example "{title.partition(".")[2] or title}"'
        yield from ("", "    ```json")
        yield from (f"    {line}" for line in text.splitlines())
        yield from ("    ```", "")


def field_table(document: Schema, fields: Schema, required: Any) -> Iterator[str]:
    yield from ("| field | type | |", "|---|---|---|")
    for name, schema in fields.items():
        mark = " **Required.**" if name in required else ""
        yield f"| `{name}` | {type_of(document, schema)} | {cell(schema)}{mark} |"
    yield ""


def type_of(document: Schema, schema: Schema) -> str:
    """The type in a few words, with a link to an object of the same page."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        target = resolve(document, schema)
        return f"[{name}](#{name.lower()})" if "properties" in target else type_of(document, target)
    if "anyOf" in schema or "oneOf" in schema:
        choices = schema.get("anyOf", schema.get("oneOf", ()))
        return " or ".join(dict.fromkeys(type_of(document, choice) for choice in choices))
    kinds = schema.get("type", "any value")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    named = [kind for kind in kinds if kind != "null"]
    text = " or ".join(named)
    if named == ["array"] and "items" in schema:
        text = f"list of {type_of(document, schema['items'])}"
    values = schema.get("enum") or schema.get("x-known-values")
    if values:
        text += ": " + ", ".join(f"`{value}`" for value in values if value is not None)
    return text


def cell(described: Schema) -> str:
    return plain(described.get("description", "")).replace("|", "\\|")


def plain(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")


def capital(name: str) -> str:
    words = name.replace("-", " ")
    return words[0].upper() + words[1:]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("-", "_")).lower()
