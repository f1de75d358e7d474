"""The only module that uses openapi-python-client: a document becomes dataclasses of our own.

The generator names classes and attributes, and puts objects together; `generator_input` is what it reads.
Its modules are not a public API, so its version is pinned exactly; an upgrade changes this file only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser.errors import GeneratorError
from openapi_python_client.parser.openapi import Endpoint, GeneratorData
from openapi_python_client.parser.properties.list_property import ListProperty
from openapi_python_client.parser.properties.literal_enum_property import LiteralEnumProperty
from openapi_python_client.parser.properties.model_property import ModelProperty
from openapi_python_client.parser.properties.protocol import PropertyProtocol
from openapi_python_client.parser.properties.union import UnionProperty
from openapi_python_client.parser.responses import Response
from openapi_python_client.schema.untrusted_string import UntrustedString

from generator_input import GeneratorInput, described
from modelarts_documents.keys import Pointer
from modelarts_documents.schema import find, graph, parts
from parsed import ClientError, Fact, Field, Literals, Model, Operation, Parameter, Parsed, Success, Value

Mark = tuple[str, tuple[str | int, ...]]
# The generator copies each operation with all models below it, and changes none of them: a third of its time.
ModelProperty.__deepcopy__ = lambda self, _: self  # type: ignore[attr-defined]
# Its messages name what they are about by the address of an object.
UntrustedString.__str__ = UntrustedString.get_untrusted_value  # type: ignore[method-assign, assignment]


def parse(document: dict[str, Any], settings: Path) -> Parsed:
    """Parse a bundled document; raises `ClientError` for anything that the generator rejects or would leave out."""
    given = GeneratorInput(document)
    if given.facts:
        raise ClientError(*given.facts)
    config = Config.from_sources(
        ConfigFile.load_from_path(settings),
        MetaType.NONE,
        settings,
        file_encoding="utf-8",
        overwrite=True,
        output_path=None,
    )
    parsed = GeneratorData.from_dict(given.content, config=config)
    if isinstance(parsed, GeneratorError):
        raise ClientError(located(parsed, given))
    collections = parsed.endpoint_collections_by_tag
    errors = parsed.errors or [error for collection in collections.values() for error in collection.parse_errors]
    if errors:
        raise ClientError(*(located(error, given) for error in errors))
    reader = _Reader(document, parsed, given)
    found = reader.read()
    if reader.facts:
        raise ClientError(*dict.fromkeys(reader.facts))
    return found


def located(error: GeneratorError, given: GeneratorInput) -> Fact:
    """What the generator says, and the part of the document that it is about."""
    text = " ".join(f"{error.header}: {error.detail}".split())
    place: Pointer = ()
    if isinstance(number := getattr(getattr(error, "data", None), "example", None), str):
        place = given.places[int(number)]
    else:
        for call in given.calls:
            if f" parsing {call.place[-1].upper()} {call.path} within " in text:
                place = call.place
        for component in given.names:
            if f"schema {'/'.join(('', *component))}:" in text:
                place = component
    return place, text


class _Reader:
    """Turns what the generator parsed into our dataclasses; `facts` is what no class can express."""

    def __init__(self, document: dict[str, Any], parsed: GeneratorData, given: GeneratorInput) -> None:
        self._document, self._parsed, self._given = document, parsed, given
        self.facts: list[Fact] = []
        self._models = {str(model.class_info.name): model for model in parsed.models}
        self._sent = {node.pointer for node in graph(document, *given.bodies)}
        self._open: list[str] = []  # maps that are being read

    def read(self) -> Parsed:
        models = sorted(map(self._model, self._parsed.models), key=lambda model: model.class_name)
        literals = [
            Literals(
                str(enum.class_info.name),
                str(enum.class_info.module_name),
                self._place(enum),
                tuple(sorted(enum.values, key=str)),
            )
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

    def _place(self, each: PropertyProtocol) -> Pointer:
        return self._given.places[int(str(each.example))]

    def _at(self, place: Sequence[str]) -> Any:
        """What the document has there."""
        found: Any = self._document
        for step in place:
            found = found[int(step)] if isinstance(found, list) else found[step]
        return found

    def _model(self, model: ModelProperty) -> Model:
        name, place = str(model.class_info.name), self._place(model)
        written = self._at(place)
        others = None if model.additional_properties is None else self._value(model.additional_properties)
        return Model(
            class_name=name,
            module=str(model.class_info.module_name),
            place=place,
            text=str(model.description) if model.description else f"The `{name}` object.",
            fields=tuple(self._field(each, place) for each in _properties(model)),
            others=others,
            is_sent=place in self._sent,
            view=written.get("x-view", ""),
        )

    def _field(self, each: PropertyProtocol, holder: Pointer) -> Field:
        """The field; its text is the one beside a reference and, for values other than objects, the one behind it."""
        name = str(each.name)
        place = next(
            (*part.pointer, "properties", name)
            for part in parts(self._document, self._at(holder), holder)
            if name in part.schema.get("properties", ())
        )
        written = self._at(place)
        written = written if isinstance(written, Mapping) else {}
        texts = [str(each.description)] if each.description else []
        if "$ref" in written and (beside := described(written)):
            texts = [beside] if isinstance(each, ModelProperty) else [beside, *texts]
        texts += self._behind(written.get("anyOf", []))
        return Field(
            name=name,
            python_name=str(each.python_name),
            value=self._value(each),
            is_required=each.required,
            text=" ".join(dict.fromkeys(texts)),
            is_secret=any(part.get("format") == "password" for part, _ in parts(self._document, written)),
            place=place,
            written=written,
        )

    def _behind(self, branches: list[Any]) -> Iterator[str]:
        """The texts of the components that an `anyOf` refers to, for values that no class explains."""
        for branch in branches:
            if isinstance(branch, Mapping) and "$ref" in branch:
                named = find(self._document, branch["$ref"])
                if "object" not in named.get("type", "object"):
                    yield named.get("description", "")

    def _value(self, each: PropertyProtocol) -> Value:
        if isinstance(each, ModelProperty):
            name = str(each.class_info.name)
            model = self._models[name]
            if _properties(model) or model.additional_properties is None:
                return Value("object", name)
            if name in self._open:
                self.facts.append((self._place(model), f"{name} is a map that holds itself: give it properties"))
                return Value("any", "Any")
            self._open.append(name)
            held = self._value(model.additional_properties)
            self._open.pop()
            return Value("map", name, (held,))
        if isinstance(each, LiteralEnumProperty):
            return Value("literal", str(each.class_info.name))
        if isinstance(each, ListProperty):
            return Value("list", parts=(self._value(each.inner_property),))
        if isinstance(each, UnionProperty):
            return self._union(each)
        name = each.get_type_string(no_optional=True).as_unembedded_code()
        return Value({"Any": "any", "None": "null"}.get(name, "scalar"), name)  # type: ignore[arg-type]

    def _union(self, union: UnionProperty) -> Value:
        branches = dict.fromkeys(part for each in union.inner_properties for part in self._value(each).branches)
        objects = [part.name for part in branches if part.kind in {"object", "map"}]
        marks = self._marks(union, objects) if len(objects) > 1 else {}
        if len(objects) > 1 and not marks:
            fact = f"a union of several objects ({', '.join(objects)}), which generated code cannot distinguish: "
            fact += "require a property in each whose `const` or `enum` no other has, or add a `discriminator`"
            self.facts.append((self._place(union), fact))
        if sum(part.kind == "list" and part.holds_objects for part in branches) > 1:
            fact = "a union of several lists of objects, which generated code cannot distinguish: write one list"
            self.facts.append((self._place(union), fact))
        found = tuple(replace(part, mark=marks.get(part.name)) for part in branches)
        return found[0] if len(found) == 1 else Value("union", parts=found)

    def _marks(self, union: UnionProperty, classes: list[str]) -> dict[str, Mark]:
        """By class, the member and its values by which the objects differ; none if there is no such member."""
        place = self._place(union)
        discriminators = {
            part.schema["discriminator"]["propertyName"]: part.schema["discriminator"].get("mapping", {})
            for part in parts(self._document, self._at(place), place)
            if "discriminator" in part.schema
        }
        literals = [
            {
                str(each.name): each.values
                for each in _properties(self._models[name])
                if isinstance(each, LiteralEnumProperty) and (each.required or str(each.name) in discriminators)
            }
            for name in classes
        ]
        candidates = [
            (member, [each.get(member, set()) for each in literals])
            for member in dict.fromkeys([*discriminators, *(member for each in literals for member in each)])
        ]
        for member, mapping in discriminators.items():
            candidates.append((member, [self._mapped(mapping, self._place(self._models[name])) for name in classes]))
        for member, values in candidates:
            if all(values) and len(set().union(*values)) == sum(map(len, values)):
                return {name: (member, tuple(sorted(own, key=str))) for name, own in zip(classes, values, strict=True)}
        return {}

    def _mapped(self, mapping: Mapping[str, str], place: Pointer) -> set[str | int]:
        """The values that a discriminator has for a component: those of its mapping, or the component's names."""
        names = self._given.names.get(place, [])
        return {value for value, target in mapping.items() if target.rpartition("/")[2] in names} or {*names}

    def _operation(self, tag: str, endpoint: Endpoint) -> Operation:
        call = self._given.calls[int(str(endpoint.summary))]
        body = endpoint.bodies[0].prop if endpoint.bodies else None
        return Operation(
            name=str(endpoint.name),
            tag=tag,
            place=call.place,
            method=endpoint.method,
            path=call.path,
            parameters=tuple(
                self._parameter(parameter, location.value, *call.parameters[location.value, str(parameter.name)])
                for location, parameter in endpoint.iter_all_parameters()
            ),
            body=None if body is None else self._value(body),
            media=call.media,
            is_body_required=body is not None and body.required,
            successes=tuple(self._successes(endpoint.responses.patterns)),
            written=call.written,
        )

    def _parameter(
        self, parameter: PropertyProtocol, location: str, written: Mapping[str, Any], place: Pointer
    ) -> Parameter:
        value, required = self._value(parameter), parameter.required
        return Parameter(written["name"], str(parameter.python_name), location, value, required, place, written)

    def _successes(self, responses: list[Response]) -> Iterator[Success]:
        """The documented successes in the order of their tests; the last of them stands for any other 2xx, too."""
        for response in sorted(responses, key=lambda response: response.source["attribute"] != "None"):
            low, high = response.status_code.range or (0, 0)
            source = response.source["attribute"]
            yield Success(low, high, source, None if source == "None" else self._value(response.prop))


def _properties(model: ModelProperty) -> list[PropertyProtocol]:
    return [*(model.required_properties or []), *(model.optional_properties or [])]
