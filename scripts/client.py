"""Write the client of one bundled document with the templates of this folder.

`adapter` parses the document; here its parts become types, expressions and texts of the generated code.
What the templates cannot express is rejected, so that nothing is left out silently.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from adapter import parse
from generator_input import SUCCESSES
from modelarts_documents.schema import resolve
from pagination import Pagination, PaginationError
from parsed import ClientError, Fact, Field, Model, Operation, Parameter, Parsed, Value

HERE = Path(__file__).resolve().parent
# A longer list of codes says nothing to a reader of a docstring.
MOST_CODES = 12
# What the templates use themselves.
MODEL_NAMES = {"additional_properties", "attrs", "from_dict", "to_dict"}
PARAMETER_NAMES = {"ABSENT", "PAGES", "UNSET", "body", "headers", "kwargs", "models", "params", "partial", "plain"}
PARAMETER_NAMES |= {"response", "segment", "walk", "walk_async"}
OPERATION_NAMES = {"deprecated", "models"}
API_NAMES = {"client", "project_id"}
CLASS_NAMES = {"Any", "ClassVar", "Instant", "Literal", "Mapping", "Model", "Phase", "Required", "ResponseModel"}
CLASS_NAMES |= {"Self", "Sequence", "Span", "TypeAlias", "TypedDict", "Unset"}
# How parameters are sent by default, by their place.
STYLES = {"query": "form", "path": "simple", "header": "simple"}
DEPRECATED = "The service will remove this operation."
# Types of Python for the names that JSON Schema has.
SCALARS = {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}
# What `x-facts` names, and the type of its values.
FACTS = {"phases": "Phase"}


def write_client(document: dict[str, Any], package: Path, text: str) -> None:
    """Write the package of one document; raises `ClientError` for anything that would be left out or wrong."""
    parsed = parse(document, HERE / "openapi-python-client.yaml")
    if facts := list(unsupported(parsed)):
        raise ClientError(*facts)
    operations = [details(document, operation, parsed) for operation in parsed.operations]
    converted = conversions(model for model in parsed.models if model.is_request)

    def write(path: str, template: str, **context: Any) -> None:
        write_template(package / path, template, **context)

    write("__init__.py", "package_init", text=text)
    for model in parsed.models:
        if model.is_map:
            write(f"models/{model.module}.py", "map", model=model)
        else:
            as_field = request_attribute if model.is_request else response_attribute
            fields = [as_field(field) for field in model.fields]
            times = [] if model.is_request else [time for each in fields if (time := time_of(each))]
            write(
                f"models/{model.module}.py",
                "model",
                model=model,
                fields=fields,
                is_request=model.is_request,
                times=times,
                converted=converted if model.class_name in converted else set(),
            )
    for literals in parsed.literals:
        write(f"models/{literals.module}.py", "literals", literals=literals)
    modules = {model.class_name: model.module for model in parsed.models}
    modules |= {f"{model.class_name}Dict": model.module for model in parsed.models if model.is_request}
    modules |= {f"{model.class_name}Input": model.module for model in parsed.models if model.class_name in converted}
    modules |= {literals.class_name: literals.module for literals in parsed.literals}
    write("models/__init__.py", "models_init", modules=dict(sorted(modules.items())))
    tags = {tag: [operation for operation in operations if operation["tag"] == tag] for tag in parsed.tags}
    bound = {tag for tag, each in tags.items() if any("project_id" in o["path_parameters"] for o in each)}
    write("api/__init__.py", "api_init", tags={tag: class_of(tag) for tag in tags}, bound=bound)
    for tag, each in tags.items():
        write(f"api/{tag}/__init__.py", "tag_init", tag=tag, name=class_of(tag), operations=each, bound=tag in bound)
        for operation in each:
            write(f"api/{tag}/{operation['name']}.py", "operation_module", operation=operation)


@cache
def templates() -> Environment:
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Python, not HTML
    )
    env.globals["DEPRECATED"] = DEPRECATED
    env.filters.update(annotated=annotated, decoding=decoding, docstring=docstring, literal=repr, wrapped=wrapped)
    return env


def write_template(file: Path, template: str, **context: Any) -> None:
    """Write the file that the template of its kind, such as `<template>.py.jinja`, makes of the context."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(templates().get_template(f"{template}{file.suffix}.jinja").render(context), encoding="utf-8")


def unsupported(parsed: Parsed) -> Iterator[Fact]:
    """Facts of the document for which the templates have no words, and where they are."""
    yield from ambiguous_names(parsed)
    for model in parsed.models:
        for field in model.fields:
            for fact in wrong_extensions(field, model):
                yield field.place, f"{model.class_name}.{field.python_name}: {fact}"
    for operation in parsed.operations:
        for parameter in operation.parameters:
            for fact in wrong_parameter(parameter, operation):
                yield parameter.place, f"{operation.name}: the parameter `{parameter.name}` {fact}"


def ambiguous_names(parsed: Parsed) -> Iterator[Fact]:
    """Names that two things have, or that the generated code has for something else."""
    classes = [(each.place, each.class_name, each.module) for each in parsed.models]
    classes += [(each.place, each.class_name, each.module) for each in parsed.literals]
    dicts = [(each.place, f"{each.class_name}Dict") for each in parsed.models if each.is_request]
    for kind, taken, named in (
        ("tags", API_NAMES, [(["tags"], tag) for tag in parsed.tags]),
        ("tags", API_NAMES, [(["tags"], class_of(tag)) for tag in parsed.tags]),
        ("operations", OPERATION_NAMES, [(each.place, f"{each.tag}.{each.name}") for each in parsed.operations]),
        ("classes", CLASS_NAMES, [*((place, name) for place, name, _ in classes), *dicts]),
        ("classes", CLASS_NAMES, [(place, module) for place, _, module in classes]),
    ):
        known = Counter(name for _, name in named)
        for place, name in named:
            if known[name] > 1:
                yield place, f"two {kind} become one name, `{name}`: rename one"
            if name.rpartition(".")[2] in taken:
                yield place, f"`{name}` has a meaning in the generated code: choose another name"


def wrong_parameter(parameter: Parameter, operation: Operation) -> Iterator[str]:
    """Why a call cannot send the parameter as the document says."""
    written, kinds = parameter.written, {part.kind for part in parameter.value.branches}
    style = STYLES[parameter.location]
    if parameter.python_name in PARAMETER_NAMES | {operation.name}:
        yield "needs another name"
    if written.get("style", style) != style or written.get("explode", style == "form") != (style == "form"):
        yield "has a `style` or `explode` that is not the default of its place"
    if kinds & {"object", "map"} or (style != "form" and "list" in kinds):
        yield "is an object, or a list that is not in the query"
    if any(part.kind == "list" and part.holds_containers for part in parameter.value.branches):
        yield "is a list of objects or of lists"


def wrong_extensions(field: Field, model: Model) -> Iterator[str]:
    """What is wrong with the name of the field, and with the keys of ours that it has."""
    written, taken = field.written, MODEL_NAMES | {each.python_name for each in model.fields}
    if field.python_name in MODEL_NAMES:
        yield "every model has an attribute of this name already"
    for key in written.keys() & {"x-time-name", "x-duration-name"}:
        name = written[key]
        if not (isinstance(name, str) and name.isidentifier()) or iskeyword(name) or name[0] == "_" or name in taken:
            yield f"`{key}` is the name of an attribute that the model does not have yet, not {name!r}"
    names = written.keys() & {"x-time-name", "x-duration-name"}
    units = {name.replace("-unit", "-name") for name in written.keys() & {"x-time-unit", "x-duration-unit"}}
    if names != units or len(units) > 1:
        yield "beside `x-time-unit` stands `x-time-name`, beside `x-duration-unit` `x-duration-name`"
    unit = written.get("x-time-unit") or written.get("x-duration-unit")
    if unit and ("str" if unit == "RFC 3339" else "int") not in {part.name for part in field.value.branches}:
        yield f"the unit {unit} needs {'a string' if unit == 'RFC 3339' else 'an integer'}"
    if "x-usual-type" in written and SCALARS.get(written["x-usual-type"]) not in {p.name for p in field.value.branches}:
        yield f"`x-usual-type` is not one of its types: {written['x-usual-type']}"


def class_of(tag: str) -> str:
    return "".join(word.capitalize() for word in tag.split("_"))


@dataclass(frozen=True)
class Attribute:
    """A field as the templates write it: its type, its default and the expression that decodes `value`."""

    field: Field
    type: str
    default: str
    absent: str  # what decoding gives for an absent or null field
    decoded: str

    def in_dict(self, converted: Collection[str] = ()) -> str:
        """The type of the field in a dict, where an object is a dict: errors of type checkers then name the key.

        With `converted`, the dict is one that values are converted from, and so are those of these classes.
        """
        type_ = accepted(self.field.value, "_models", "Dict", converted)
        if converted and (names := self.field.written.get("x-converted-from")):
            scalars = " | ".join(["str", *(SCALARS[name] for name in names)])
            type_ = f"Mapping[str, {scalars}]" if self.field.value.kind == "map" else scalars
        return f"Required[{type_}]" if self.field.is_required else type_

    @property
    def is_key(self) -> bool:
        """Whether a class can declare the field by its name."""
        return self.field.name.isidentifier() and not iskeyword(self.field.name)


def request_attribute(field: Field) -> Attribute:
    """The field of a request, which has three states: absent, null and a value."""
    type_, default = accepted(field.value, "_models", ""), ""
    if not field.is_required:
        type_, default = f"{type_} | Unset", "UNSET"
    return Attribute(field, type_, default, "UNSET", decoding(field.value, "value"))


def response_attribute(field: Field) -> Attribute:
    """The field of a response, which has two states: an absent field is None, an absent list or map is empty.

    The type has no None where the document says that the field is required and never null; decoding also accepts
    a response without it.
    """
    value = usual(field)
    type_ = annotated(value, "_models")
    if value.kind in {"list", "map"}:
        empty, factory = ("[]", "list") if value.kind == "list" else ("{}", "dict")
        other = f"{empty} if value is None else value"
        decoded = decoding(value, "value", other) or other
        return Attribute(field, type_, f"attrs.field(factory={factory})", "None", decoded)
    type_ = FACTS.get(field.written.get("x-facts", ""), type_)
    decoded = decoding(value, "value")
    is_null = any(part.kind == "null" for part in field.value.branches)
    if value.kind != "any" and (is_null or not field.is_required):
        type_ = f"{type_} | None"
    default = "attrs.field(default=None)" if field.is_required else "None"
    return Attribute(field, type_, default, "None", decoded)


def usual(field: Field) -> Value:
    """The value without null, and without the scalars that come only now and then (`x-usual-type`)."""
    value, name = field.value.not_null, SCALARS.get(field.written.get("x-usual-type", ""))
    kept = tuple(part for part in value.branches if part.kind != "scalar" or part.name == name)
    if name is None or value.kind != "union":
        return value
    return kept[0] if len(kept) == 1 else replace(value, parts=kept)


def time_of(attribute: Attribute) -> dict[str, str] | None:
    """The property that gives the field as a time or a duration, if the document says that it is one."""
    written = attribute.field.written
    if not written.keys() & {"x-time-unit", "x-duration-unit"}:
        return None
    kind, type_ = ("Instant", "datetime") if "x-time-name" in written else ("Span", "timedelta")
    is_certain = "None" not in attribute.type and "x-zero-means" not in written
    return {
        "name": written.get("x-time-name") or written["x-duration-name"],
        "kind": kind,
        "type": type_ if is_certain else f"{type_} | None",
        "field": attribute.field.python_name,
        "unit": written.get("x-time-unit") or written["x-duration-unit"],
    }


def annotated(value: Value, package: str = "models") -> str:
    """The value's type, with `None` last; classes are taken from `package`."""
    if value.kind == "union":
        parts = sorted((annotated(part, package) for part in value.parts), key=lambda part: part == "None")
        return "Any" if "Any" in parts else " | ".join(parts)
    if value.kind == "list":
        return f"list[{annotated(value.parts[0], package)}]"
    return f"{package}.{value.name}" if value.kind in {"object", "map", "literal"} else value.name


def accepted(value: Value, package: str, suffix: str, converted: Collection[str] = ()) -> str:
    """The types that a request takes for the value; `suffix` makes the name of a model one of its dict.

    Those of the classes in `converted` are the dicts that values are converted from.
    """
    if value.kind == "union":
        parts = sorted(accepted(part, package, suffix, converted) for part in value.parts)
        return " | ".join(sorted(parts, key=lambda part: part == "None"))
    if value.kind in {"list", "map"} and value.holds_objects:
        holder = "Sequence[" if value.kind == "list" else "Mapping[str, "
        return f"{holder}{accepted(value.parts[0], package, suffix, converted)}]"
    if value.kind == "object" and value.name in converted:
        suffix = "Input"
    return annotated(value, package) + (suffix if value.kind == "object" else "")


def conversions(sent: Iterable[Model]) -> set[str]:
    """The classes with fields whose values workflows convert (`x-converted-from`), in them or below them."""
    models, found = list(sent), set[str]()
    size = -1
    while size < len(found):
        size = len(found)
        for model in models:
            for field in model.fields:
                inner = [part.parts[0] if part.kind == "list" else part for part in field.value.branches]
                if "x-converted-from" in field.written or any(part.name in found for part in inner):
                    found.add(model.class_name)
    return found


def branches(value: Value, source: str, package: str) -> list[tuple[str, str]]:
    """How to decode the value: conditions and the expressions for them; what meets none of them stays as it is."""
    if value.kind == "object":
        condition = f"isinstance({source}, dict)"
        if value.mark:
            member, known = value.mark
            one_of = f"== {known[0]!r}" if len(known) == 1 else f"in {known!r}"
            condition += f" and {source}.get({member!r}) {one_of}"
        return [(condition, f"{package}.{value.name}.from_dict({source})")]
    if value.kind == "list":
        item = decoding(value.parts[0], "item", package=package)
        return [(f"isinstance({source}, list)", f"[{item} for item in {source}]")] if item else []
    if value.kind == "map":
        item = decoding(value.parts[0], "item", package=package)
        return [(f"isinstance({source}, dict)", f"{{name: {item} for name, item in {source}.items()}}")] if item else []
    return [branch for part in value.parts for branch in branches(part, source, package)]


def decoding(value: Value, source: str, other: str = "", package: str = "_models") -> str:
    """The expression that decodes the value, `other` where it is of another kind; empty if it stays as it is."""
    found = branches(value, source, package)
    return (
        "".join(f"{expression} if {condition} else " for condition, expression in found) + (other or source)
        if found
        else ""
    )


def wrapped(text: str, width: int) -> str:
    """The text in lines of that width; words, and identifiers with hyphens, stay whole."""
    lines = text.strip().splitlines()
    return "\n".join(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in lines)


def docstring(text: str) -> str:
    """The text as a docstring; the first line is the contract."""
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\0", "\\x00").strip()
    return f'"""{text}' + ("\n" if "\n" in text or text.endswith('"') else "") + '"""'


def details(document: dict[str, Any], operation: Operation, parsed: Parsed) -> dict[str, Any]:
    """What the templates say about the operation."""
    body = resolve(document, operation.written.get("requestBody", {}))
    successes = list(decoded_successes(operation))
    described = [{"python_name": each.python_name, "text": sentence(each.written)} for each in operation.parameters]
    by_location = {
        f"{location}_parameters": {each.python_name: each for each in operation.parameters if each.location == location}
        for location in ("path", "query", "header")
    }
    also_headers = {name: each for name, each in by_location["query_parameters"].items() if each.is_header_too}
    return {
        **{name: getattr(operation, name) for name in ("name", "tag", "path", "is_body_required")},
        **by_location,
        "sent_headers": by_location["header_parameters"] | also_headers,
        "is_deprecated": operation.written.get("deprecated", False),
        "method": operation.method.upper(),
        "media": operation.media,
        "is_body_nullable": any(part.kind in {"any", "null"} for part in (operation.body or Value("list")).branches),
        "summary": operation.written.get("summary", "").strip().strip("."),
        "description": operation.written.get("description", ""),
        "url": url(operation),
        "body_type": accepted(operation.body, "models", "") if operation.body else "",
        "body_dict": accepted(operation.body, "models", "Dict") if operation.body else "",
        "successes": successes,
        "returns": " | ".join(dict.fromkeys(success["type"] for success in reversed(successes))),
        "parameters": described,
        "body": body.get("description", "the request; a mapping is sent as it is.") if operation.body else "",
        "rejections": list(rejections(document, operation.written)),
        "sources": [*operation.written.get("x-pages", {}).values()] or [operation.written.get("x-source", "")],
        "pages": pages(operation, parsed),
    }


def pages(operation: Operation, parsed: Parsed) -> Pagination | None:
    """How the operation pages, if its records come in pages."""
    if "x-pagination" not in operation.written:
        return None
    where = [*operation.place, "x-pagination"]
    operation_id = operation.written["operationId"]
    try:
        found = Pagination(operation, {model.class_name: model for model in parsed.models})
    except PaginationError as error:
        raise ClientError((where, f"{operation_id}: x-pagination: {error}")) from None
    iterators = Counter(
        Pagination.name_of(each)
        for each in parsed.operations
        if each.tag == operation.tag and "x-pagination" in each.written
    )
    if iterators[found.name] > 1:
        raise ClientError(
            (["tags"], f"{operation.tag}: two operations have an iterator of the same name: {found.name}")
        )
    return found


def sentence(parameter: Mapping[str, Any]) -> str:
    schema = parameter["schema"] if isinstance(parameter["schema"], Mapping) else {}
    text = parameter.get("description") or schema.get("description", "")
    return f"{text} The service's default: {schema['default']!r}.".strip() if "default" in schema else text


def url(operation: Operation) -> str:
    """The expression for the path of a call."""
    names = {each.name: each.python_name for each in operation.parameters if each.location == "path"}
    texts = re.split("|".join(f"({re.escape(f'{{{name}}}')})" for name in names) or "$^", operation.path)
    parts = [
        f"{{segment('{names[text[1:-1]]}', {names[text[1:-1]]})}}"
        if text[1:-1] in names and text[0] == "{"
        else json.dumps(text, ensure_ascii=False)[1:-1].replace("{", "{{").replace("}", "}}")
        for text in texts
        if text
    ]
    return f'f"{"".join(parts)}"' if names else json.dumps(operation.path, ensure_ascii=False)


def decoded_successes(operation: Operation) -> Iterator[dict[str, Any]]:
    """How to recognise each documented success and how to decode it; the last stands for any other 2xx, too."""
    for success in operation.successes:
        low, high = success.low, success.high
        exact = f"response.status_code == {low}" if low == high else f"{low} <= response.status_code <= {high}"
        if success is operation.successes[-1]:
            exact = "response.is_success" if low < 300 else f"response.is_success or {exact}"
        value = success.value
        yield {
            "condition": exact,
            "source": success.source,
            "model": value.name if value and value.kind == "object" else None,
            "reader": "json_object" if value and all(part.mark for part in value.branches) else "json_value",
            "decoded": value and (decoding(value, "value", package="models") or "value"),
            "type": "None" if value is None else annotated(value),
        }


def rejections(document: dict[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    """One sentence per documented error status, with the codes that are this operation's own."""
    for status, reference in operation.get("responses", {}).items():
        if status.startswith(("x-", *SUCCESSES)):
            continue
        response = resolve(document, reference)
        codes = reference.get("x-error-codes", [])
        codes = abbreviated(codes) if len(codes) <= MOST_CODES else f"{len(codes)} codes"
        what = "any other status" if status == "default" else status
        text = response.get("description", "").strip()
        if status == "403" and "x-permission" in operation:
            text += f" The permission for it is `{operation['x-permission']}`."
        yield f"{what}{f' ({codes})' if codes else ''}: {text}"


def abbreviated(codes: list[str]) -> str:
    """The codes, each without the service's name where the one before has the same."""
    services = [code.rpartition(".")[0] for code in codes]
    return ", ".join(
        code.rpartition(".")[2] if service == before else code
        for code, service, before in zip(codes, services, ["", *services], strict=False)
    )
