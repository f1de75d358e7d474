"""The only module that uses openapi-python-client: a document becomes dataclasses of our own.

The generator resolves references, names classes and attributes, and rejects what it cannot parse.
Its modules are not a public API, so its version is pinned exactly; an upgrade changes this file only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser.errors import GeneratorError
from openapi_python_client.parser.openapi import Endpoint, GeneratorData
from openapi_python_client.parser.properties.const import ConstProperty
from openapi_python_client.parser.properties.list_property import ListProperty
from openapi_python_client.parser.properties.literal_enum_property import LiteralEnumProperty
from openapi_python_client.parser.properties.model_property import ModelProperty
from openapi_python_client.parser.properties.protocol import PropertyProtocol
from openapi_python_client.parser.properties.union import UnionProperty
from openapi_python_client.parser.responses import Response
from openapi_python_client.schema.openapi_schema_pydantic.reference import Reference
from openapi_python_client.strings import ClassName, PythonIdentifier

from bundle import METHODS
from parsed import ClientError, Fact, Field, Literals, Model, Operation, Parameter, Parsed, Success, Value

NOT_FOR_THE_GENERATOR = {"default", "example", "examples", "links", "callbacks", "servers"}
FORMATS_TO_PARSE = {"date", "date-time", "uuid", "binary"}
MAPS_OF_NAMES = {"properties", "schemas", "responses", "content", "paths", "headers"}
# The generator copies each operation with all models below it, and changes none of them: a third of its time.
ModelProperty.__deepcopy__ = lambda self, _: self  # type: ignore[attr-defined]


def parse(document: dict[str, Any], settings: Path) -> Parsed:
    """Parse a bundled document; raises `ClientError` for anything that the generator rejects or would leave out."""
    config = Config.from_sources(
        ConfigFile.load_from_path(settings),
        MetaType.NONE,
        settings,
        file_encoding="utf-8",
        overwrite=True,
        output_path=None,
    )
    parsed = GeneratorData.from_dict(as_on_the_wire(document), config=config)
    if isinstance(parsed, GeneratorError):
        raise ClientError(located(parsed))
    collections = parsed.endpoint_collections_by_tag
    errors = [*parsed.errors, *(error for collection in collections.values() for error in collection.parse_errors)]
    if errors:
        raise ClientError(*map(located, errors))
    return _Reader(document, parsed).read()


def as_on_the_wire(node: Any, *, named: bool = False) -> Any:
    """The document without what would make the client change values: formats to parse and defaults to send.

    Examples, links and servers go, too: the generator has no use for them.
    `named` says that the keys are names of the author, not words of OpenAPI.
    """
    if isinstance(node, list):
        return [as_on_the_wire(item) for item in node]
    if not isinstance(node, dict):
        return node
    if named:
        return {name: as_on_the_wire(value) for name, value in node.items()}
    kept = {
        key: as_on_the_wire(value, named=key in MAPS_OF_NAMES)
        for key, value in node.items()
        if key not in NOT_FOR_THE_GENERATOR and not (key == "format" and value in FORMATS_TO_PARSE)
    }
    if notes := list(notes_on(node)):
        kept["description"] = "\n".join([node.get("description", ""), *notes]).strip()
    return kept


def notes_on(schema: dict[str, Any]) -> Iterator[str]:
    """What the types of the client do not say about values of the schema."""
    if "default" in schema:
        yield f"The service's default: {schema['default']!r}."
    if known := schema.get("x-known-values"):
        yield f"Known values: {', '.join(str(value) for value in known)}."
    if known := schema.get("x-known-keys"):
        yield f"Known keys: {', '.join(known)}."


def located(error: GeneratorError) -> Fact:
    """What the generator says, and the part of the document that it names."""
    text = " ".join(f"{error.header}: {error.detail}".split())
    where: list[str] = []
    if found := re.search(r"\b(GET|PUT|POST|DELETE|PATCH) (/\S+)", text):
        where = ["paths", found[2], found[1].lower()]
    elif found := re.search(r"/components/(\w+)/([\w.-]+)", text):
        where = ["components", found[1], found[2]]
    return where, text


class _Reader:
    """Turns what the generator parsed into our dataclasses."""

    def __init__(self, document: dict[str, Any], parsed: GeneratorData) -> None:
        self._parsed = parsed
        self._components: dict[str, Any] = document.get("components", {}).get("schemas", {})
        self._parameters: dict[str, Any] = document.get("components", {}).get("parameters", {})
        self._schemas = {str(ClassName(name, "")): name for name in self._components}
        self._maps = {
            str(model.class_info.name): model.additional_properties
            for model in parsed.models
            if not _properties(model) and model.additional_properties is not None
        }
        self._written = {
            str(PythonIdentifier(operation["operationId"], "")): (path, item, operation)
            for path, item in document["paths"].items()
            for method in METHODS
            if (operation := item.get(method))
        }

    def read(self) -> Parsed:
        models = sorted(map(self._model, self._parsed.models), key=lambda model: model.class_name)
        literals = [
            Literals(str(enum.class_info.name), str(enum.class_info.module_name), tuple(sorted(enum.values, key=str)))
            for enum in self._parsed.enums
            if isinstance(enum, LiteralEnumProperty)
        ]
        return Parsed(
            models=tuple(models),
            literals=tuple(sorted(literals, key=lambda literal: literal.class_name)),
            operations=tuple(
                self._operation(str(tag), endpoint)
                for tag, collection in self._parsed.endpoint_collections_by_tag.items()
                for endpoint in sorted(collection.endpoints, key=lambda endpoint: endpoint.name)
            ),
        )

    def _model(self, model: ModelProperty) -> Model:
        name = str(model.class_info.name)
        within = [schema for schema in self._components if name.startswith(schema)]
        schema = self._schemas.get(name) or max(within, key=len, default="")
        written = self._components.get(schema, {})
        return Model(
            class_name=name,
            module=str(model.class_info.module_name),
            schema=schema,
            text=model.description.get_untrusted_value() if model.description else f"The `{name}` object.",
            fields=tuple(self._field(each, model, written.get("properties", {})) for each in _properties(model)),
            others=None if model.additional_properties is None else self._value(model.additional_properties),
            view=written.get("x-view", "") if schema in (name, self._schemas.get(name)) else "",
        )

    def _field(self, each: PropertyProtocol, model: ModelProperty, properties: dict[str, Any]) -> Field:
        """The field; its text is the one beside a reference and, for values other than objects, the one behind it."""
        written = (model.data.properties or {}).get(each.name)
        texts = [each.description.get_untrusted_value()] if each.description else []
        if isinstance(written, Reference) and (beside := (written.model_extra or {}).get("description")):
            texts = [beside] if isinstance(each, ModelProperty) else [beside, *texts]
        texts += self._behind(getattr(written, "anyOf", []))
        return Field(
            name=each.name.get_untrusted_value(),
            python_name=str(each.python_name),
            value=self._value(each),
            is_required=each.required,
            text=" ".join(dict.fromkeys(texts)),
            is_secret=getattr(written, "schema_format", None) == "password",
            written=properties.get(each.name.get_untrusted_value(), {}),
        )

    def _behind(self, parts: list[Any]) -> Iterator[str]:
        """The texts of the components that an `anyOf` refers to, for values that no class explains."""
        for part in parts:
            if isinstance(part, Reference):
                named = self._components[part.ref.get_untrusted_value().rpartition("/")[2]]
                if "object" not in named.get("type", "object"):
                    yield named["description"]

    def _value(self, each: PropertyProtocol) -> Value:
        if isinstance(each, ModelProperty):
            name = str(each.class_info.name)
            others = self._maps.get(name)
            return Value("object", name) if others is None else Value("map", name, (self._value(others),))
        if isinstance(each, LiteralEnumProperty):
            return Value("literal", str(each.class_info.name))
        if isinstance(each, ListProperty):
            return Value("list", parts=(self._value(each.inner_property),))
        if isinstance(each, UnionProperty):
            parts = [part for inner in each.inner_properties for part in self._value(inner).branches]
            return Value("union", parts=tuple(dict.fromkeys(parts)))
        name = each.get_type_string(no_optional=True).as_unembedded_code()
        if isinstance(each, ConstProperty) or name not in {"Any", "None", "bool", "float", "int", "str"}:
            return Value("unsupported", name)
        return Value({"Any": "any", "None": "null"}.get(name, "scalar"), name)  # type: ignore[arg-type]

    def _operation(self, tag: str, endpoint: Endpoint) -> Operation:
        path, item, written = self._written[str(endpoint.name)]
        where = ["paths", path, endpoint.method]
        if endpoint.cookie_parameters:
            raise ClientError((where, f"{endpoint.name}: cookies are not supported"))
        if any(body.body_type != "json" for body in endpoint.bodies) or len(endpoint.bodies) > 1:
            raise ClientError(([*where, "requestBody"], f"{endpoint.name}: a body is JSON, and of one kind"))
        body = endpoint.bodies[0].prop if endpoint.bodies else None
        return Operation(
            name=str(endpoint.name),
            tag=tag,
            method=endpoint.method,
            path=path,
            url=endpoint.path.get_untrusted_value(),
            summary=endpoint.summary.get_untrusted_value(),
            description=endpoint.description.get_untrusted_value(),
            parameters=tuple(
                Parameter(
                    parameter.name.get_untrusted_value(),
                    str(parameter.python_name),
                    location.value,
                    self._value(parameter),
                    parameter.required,
                    self._parameter(item, written, location.value, parameter.name.get_untrusted_value()),
                )
                for location, parameter in endpoint.iter_all_parameters()
            ),
            body=None if body is None else self._value(body),
            is_body_required=body is not None and body.required,
            successes=tuple(self._successes(endpoint.responses.patterns)),
            item=item,
            written=written,
        )

    def _parameter(self, item: dict[str, Any], written: dict[str, Any], location: str, name: str) -> dict[str, Any]:
        """The parameter as the document has it; that of an operation goes before that of its path."""
        for reference in [*written.get("parameters", []), *item.get("parameters", [])]:
            found: dict[str, Any] = reference
            if "$ref" in reference:
                found = self._parameters[reference["$ref"].rpartition("/")[2]]
            if (found["in"], found["name"]) == (location, name):
                return found
        raise LookupError(name)

    def _successes(self, responses: list[Response]) -> Iterator[Success]:
        """The documented successes in the order of their tests; the last of them stands for any other 2xx, too."""
        for response in sorted(responses, key=lambda response: response.source["attribute"] != "None"):
            low, high = response.status_code.range or (0, 0)
            if 0 < low < 400:
                source = response.source["attribute"]
                yield Success(low, high, source, None if source == "None" else self._value(response.prop))


def _properties(model: ModelProperty) -> list[PropertyProtocol]:
    return [*(model.required_properties or []), *(model.optional_properties or [])]
