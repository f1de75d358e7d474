"""Reference pages of the API's operations, from the bundled documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import operation_examples
from operation_examples import Example

import modelarts_openapi
from modelarts_contract.documents import Documents, Operation, Schema
from modelarts_documents.schema import resolve
from modelarts_emulator.v1.family import FAMILY as VERSION_1
from modelarts_emulator.v2.family import FAMILY as VERSION_2
from modelarts_openapi.error_codes import ERROR_CODES
from modelarts_openapi.phases import PHASES, STATUS_NAMES, STATUSES_OF_PHASES, TRANSITIONS

NOT_EMULATED = {**VERSION_1.not_emulated, **VERSION_2.not_emulated}
DOCUMENTS = {"v2": "Training, v2", "v1": "Training, v1", "iam": "IAM"}
MANY = 25  # objects, or lines of a program, that get a place of their own
CLOUDS = {"otc": "Open Telekom Cloud", "huaweicloud": "Huawei Cloud"}


def pages() -> Iterator[tuple[str, str]]:
    """For each document a page with a table of its operations, a page for each tag, and pages of shared objects."""
    calls = operation_examples.examples()
    written = dict(zip(calls, operation_examples.formatted(call.python for call in calls.values()), strict=True))
    for name, title in DOCUMENTS.items():
        document = modelarts_openapi.load(name)
        groups = grouped(name)
        objects = homes(document, groups)
        yield f"reference/{name}.md", "\n".join(overview(name, title, document, groups))
        for tag, operations in groups.items():
            text = [f"# {heading(name, tag)}", "", plain(text_of_tag(document, tag)), ""]
            for operation in operations:
                key = name, operation.operation_id
                text += section(operation, calls[key], written[key], Objects(document, objects, tag))
            text += object_tables(Objects(document, objects, tag))
            yield f"reference/{name}/{tag}.md", "\n".join(text)
        for home in sorted(set(objects.values()) - set(groups)):
            text = [f"# {heading(name, home)}", "", *object_tables(Objects(document, objects, home))]
            yield f"reference/{name}/{home}.md", "\n".join(text)
    yield "reference/codes.md", "\n".join(codes())


def grouped(name: str) -> dict[str, list[Operation]]:
    """The operations of a document by their tags."""
    operations = Documents([name]).operations
    tags = [tag["name"] for tag in modelarts_openapi.load(name)["tags"]]
    return {tag: [each for each in operations if tag in each.definition["tags"]] for tag in tags}


def homes(document: Schema, groups: Mapping[str, list[Operation]]) -> dict[str, str]:
    """The page of each object: that of its tag, or one of their own for many objects, or for those of many tags."""
    users: dict[str, set[str]] = {}
    for tag, operations in groups.items():
        for operation in operations:
            for name in objects_in(document, operation.definition, set()):
                users.setdefault(name, set()).add(tag)
    own = Counter(next(iter(tags)) for tags in users.values() if len(tags) == 1)
    found = {}
    for name, tags in sorted(users.items()):
        tag = next(iter(tags))
        kind = "requests" if name.endswith("Request") else "responses"
        shared = "shared-objects" if sum(len(tags) > 1 for tags in users.values()) <= MANY else f"shared-{kind}"
        found[name] = shared if len(tags) > 1 else tag if own[tag] <= MANY else f"{tag}-{kind}"
    return found


def objects_in(document: Schema, node: Any, seen: set[str]) -> set[str]:
    """The names of the schemas with fields that the node refers to, over others, too; `seen` grows."""
    found: set[str] = set()
    if isinstance(node, list):
        for child in node:
            found |= objects_in(document, child, seen)
    elif isinstance(node, dict):
        reference = node.get("$ref")
        if reference and reference not in seen:
            seen.add(reference)
            target = resolve(document, node)
            if "/schemas/" in reference and "properties" in target:
                found.add(reference.rpartition("/")[2])
            found |= objects_in(document, target, seen)
        for key, child in node.items():
            found |= objects_in(document, child, seen) if key not in ("example", "examples", "links") else set()
    return found


def text_of_tag(document: Schema, name: str) -> str:
    return next((tag.get("description", "") for tag in document["tags"] if tag["name"] == name), "")


def heading(name: str, page: str) -> str:
    """The title of a page, which says its document: both versions have groups of the same names."""
    return f"{capital(page)}, {name if name != 'iam' else 'IAM'}"


def overview(name: str, title: str, document: Schema, groups: Mapping[str, list[Operation]]) -> Iterator[str]:
    yield from (f"# {title}", "", plain(document["info"]["description"]), "")
    yield "Every operation is a method, whose calls these pages show with the values of the documents' examples: "
    yield "`ma = modelarts_toolkit.ModelArts()`, or `AsyncModelArts`, whose methods are awaited."
    yield from ("The lines for curl take endpoint, project and token from the shell:", "")
    yield from ("```sh", *operation_examples.LOGIN.splitlines(), "```", "")
    for tag, operations in groups.items():
        yield from (f"## {capital(tag)}", "", plain(text_of_tag(document, tag)), "")
        yield from ("| operation | request | emulated |", "|---|---|---|")
        for operation in operations:
            summary = operation.definition["summary"]
            emulated = "yes" if operation.is_emulated else "no"
            link = f"[{summary}]({name}/{tag}.md#{anchor(summary)})"
            yield f"| {link} | `{operation.method} {operation.path}` | {emulated} |"
        yield ""


def anchor(text: str) -> str:
    """The address of a heading on its page."""
    return re.sub(r"[^\w-]+", "-", re.sub(r"[^\w\s-]", "", text.lower())).strip("-")


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


def section(documented: Operation, call: Example, python: str, objects: Objects) -> Iterator[str]:
    document, operation = documented.document, documented.definition
    yield from ("", f"## {operation['summary']}", "", f"`{documented.method} {documented.path}`", "")
    yield from (plain(operation.get("description", "")), "")
    yield from block("python", python)
    yield from block("sh", call.curl)
    clouds = operation.get("x-availability")
    if clouds and set(clouds) != set(CLOUDS):
        yield from (f"Documented by {' and '.join(CLOUDS[cloud] for cloud in clouds)} only.", "")
    if permission := operation.get("x-permission"):
        yield from (f"It needs the permission `{permission}`.", "")
    if operation.get("x-contract", {}).get("not-emulated"):
        yield from ('!!! note "Not emulated"', "", f"    {NOT_EMULATED[operation['operationId']]}", "")
    for key, label in (("x-assumption", "Assumption"), ("x-deviation", "Deviation")):
        if key in operation:
            yield from (f'!!! note "{label}"', "", f"    {plain(operation[key])}", "")
    parameters = [resolve(document, parameter) for parameter in operation["parameters"]]
    shown = [parameter for parameter in parameters if parameter["name"] != "project_id"]
    if shown:
        yield from ("| parameter | in | type | meaning |", "|---|---|---|---|")
        for parameter in shown:
            required = " **Required.**" if parameter.get("required") and parameter["in"] != "path" else ""
            kind = objects.type_of(parameter["schema"])
            yield f"| `{parameter['name']}` | {parameter['in']} | {kind} | {cell(parameter)}{required} |"
        yield ""
    if "requestBody" in operation:
        body = resolve(document, operation["requestBody"])
        media = next(iter(body["content"].values()))
        yield from (f"Request body: {objects.type_of(media['schema'])}", "")
        yield from examples(media)
    yield from ("| status | response | meaning |", "|---|---|---|")
    for status, response in operation["responses"].items():
        response = resolve(document, response)
        media = next(iter(response.get("content", {}).values()), None)
        kind = objects.type_of(media["schema"]) if media and "schema" in media else ""
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


def block(language: str, text: str) -> Iterator[str]:
    """The program as a block of its own, folded away if it is long."""
    if text.count("\n") < MANY:
        yield from (f"```{language}", *text.splitlines(), "```", "")
    else:
        yield from (f'??? example "{"curl" if language == "sh" else "Python"}"', "", f"    ```{language}")
        yield from (*(f"    {line}" for line in text.splitlines()), "    ```", "")


def object_tables(objects: Objects) -> Iterator[str]:
    """The objects of the page, each with its fields."""
    for name in sorted(name for name, home in objects.homes.items() if home == objects.page):
        schema = objects.document["components"]["schemas"][name]
        resolved = resolve(objects.document, schema)
        yield from (f"### {name}", "", plain(schema.get("description", "")), "")
        yield from ("| field | type | meaning |", "|---|---|---|")
        for field, each in resolved["properties"].items():
            mark = " **Required.**" if field in resolved.get("required", ()) else ""
            yield f"| `{field}` | {objects.type_of(each)} | {cell(each)}{mark} |"
        yield ""


@dataclass(frozen=True)
class Objects:
    """The objects of a document, as a page of it links to them; `homes` has the page of each."""

    document: Schema
    homes: Mapping[str, str]
    page: str

    def type_of(self, schema: Schema) -> str:
        """The type in a few words, with a link to an object."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            home = self.homes.get(name)
            if home is None:
                return self.type_of(resolve(self.document, schema))
            return f"[{name}]({'' if home == self.page else f'{home}.md'}#{name.lower()})"
        if "anyOf" in schema or "oneOf" in schema:
            choices = schema.get("anyOf", schema.get("oneOf", ()))
            return " or ".join(dict.fromkeys(self.type_of(choice) for choice in choices))
        kinds = schema.get("type", "any value")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        named = [kind for kind in kinds if kind != "null"]
        text = " or ".join(named)
        if named == ["array"] and "items" in schema:
            text = f"list of {self.type_of(schema['items'])}"
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
