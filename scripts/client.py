"""Write the client of one bundled document: openapi-python-client with the templates of this folder.

What the generator does not pass on to templates (descriptions of parameters, refusals, pages) is read from the document
here; what the templates cannot express is refused here, so that nothing is left out silently.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from openapi_python_client import Project
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser.errors import GeneratorError
from openapi_python_client.parser.openapi import Endpoint, EndpointCollection, GeneratorData
from openapi_python_client.parser.properties.list_property import ListProperty
from openapi_python_client.parser.properties.model_property import ModelProperty
from openapi_python_client.parser.properties.protocol import PropertyProtocol as Property
from openapi_python_client.parser.properties.union import UnionProperty
from openapi_python_client.parser.responses import Response
from openapi_python_client.schema.openapi_schema_pydantic.reference import Reference
from openapi_python_client.strings import PythonIdentifier

from pagination import Pagination, PaginationError

HERE = Path(__file__).resolve().parent
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MODEL_NAMES = {"additional_properties", "attrs", "from_dict", "to_dict"}  # what the templates use themselves
PARAMETER_NAMES = {"body", "headers", "kwargs", "models", "params", "partial", "plain", "response", "segment", "walk"}
SHARED_BY_ALL = ("client.py", "errors.py", "types.py")  # the generator writes them per client, we once for all


class ClientError(Exception):
    """The document cannot become a client: facts, each with the keys that lead to its place in the document."""

    def __init__(self, *facts: tuple[Sequence[str], str]) -> None:
        super().__init__("\n".join(fact for _, fact in facts))
        self.facts = facts


def write_client(document: dict[str, Any], package: Path, text: str) -> None:
    """Write the package of one document; raises `ClientError` for anything that would be left out or wrong."""
    config = Config.from_sources(
        ConfigFile.load_from_path(HERE / "openapi-python-client.yaml"),
        MetaType.NONE,
        document_source=package,
        file_encoding="utf-8",
        overwrite=True,
        output_path=package,
    )
    parsed = GeneratorData.from_dict(as_on_the_wire(document), config=config)
    if isinstance(parsed, GeneratorError):
        raise ClientError(complaint(parsed))
    for collection in parsed.endpoint_collections_by_tag.values():
        collection.endpoints.sort(key=lambda endpoint: endpoint.name)
    if facts := list(inexpressible(document, parsed)):
        raise ClientError(*facts)
    project = Project(openapi=parsed, config=config, custom_template_path=HERE / "templates")
    project.env.filters.update(
        bound_to_project=bound_to_project,
        collection_imports=collection_imports,
        decoding=decoding,
        described=described,
        literal=repr,
        meaning=meaning,
        model_imports=model_imports,
        secrets=secrets,
        typed=typed,
    )
    project.env.globals.update(
        classes=sorted((model.class_info for model in [*parsed.models, *parsed.enums]), key=lambda info: info.name),
        operations=operations(document, parsed),
        package_text=text,
    )
    with contextlib.redirect_stdout(io.StringIO()):  # it prints where it writes, which is a temporary folder
        errors = project.build()
    if errors:
        raise ClientError(*(complaint(error) for error in errors))
    for name in SHARED_BY_ALL:
        (package / name).unlink()


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
        key: as_on_the_wire(value, named=key in {"properties", "schemas", "responses", "content", "paths", "headers"})
        for key, value in node.items()
        if key not in {"default", "example", "examples", "links", "callbacks", "servers"}
        and not (key == "format" and value in {"date", "date-time", "uuid", "binary"})
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


def inexpressible(document: dict[str, Any], parsed: GeneratorData) -> Iterator[tuple[Sequence[str], str]]:
    """Facts of the document for which the templates have no words, and where they are."""
    for model in parsed.models:
        for member in members(model):
            what = f"{model.class_info.name}.{member.python_name}"
            where = [*component(document, model.class_info.name), "properties", member.name.get_untrusted_value()]
            if member.python_name in MODEL_NAMES:
                yield where, f"{what}: every model has an attribute of this name already"
            if sum("dict" in condition for condition, _ in branches(member, "value")) > 1:
                yield where, f"{what}: a union of several objects; nothing says which of them a value is"
    written = by_python_name(document)
    for endpoint in endpoints(parsed):
        where = ["paths", written[endpoint.name][0], endpoint.method]
        parameters = [parameter for _, parameter in endpoint.iter_all_parameters()]
        for parameter in parameters:
            if parameter.python_name in PARAMETER_NAMES:
                yield where, f"{endpoint.name}: the parameter `{parameter.python_name}` needs another name"
        if endpoint.cookie_parameters:
            yield where, f"{endpoint.name}: cookies are not supported"
        if any(body.body_type != "json" for body in endpoint.bodies) or len(endpoint.bodies) > 1:
            yield [*where, "requestBody"], f"{endpoint.name}: a body is JSON, and of one kind"
        if not [response for response in endpoint.responses.patterns if is_success(response)]:
            yield [*where, "responses"], f"{endpoint.name}: no answer is a success"


def component(document: dict[str, Any], class_name: str) -> list[str]:
    """The keys of the schema that a model is made of, or of the component that it is written in."""
    names = [name for name in document.get("components", {}).get("schemas", {}) if class_name.startswith(name)]
    return ["components", "schemas", max(names, key=len)] if names else []


def complaint(error: GeneratorError) -> tuple[Sequence[str], str]:
    """What the generator says, and the part of the document that it names."""
    text = " ".join(f"{error.header}: {error.detail}".split())
    where: list[str] = []
    if found := re.search(r"\b(GET|PUT|POST|DELETE|PATCH) (/\S+)", text):
        where = ["paths", found[2], found[1].lower()]
    elif found := re.search(r"/components/(\w+)/([\w.-]+)", text):
        where = ["components", found[1], found[2]]
    return where, text


def members(model: ModelProperty) -> list[Property]:
    return [*(model.required_properties or []), *(model.optional_properties or [])]


def endpoints(parsed: GeneratorData) -> Iterator[Endpoint]:
    for collection in parsed.endpoint_collections_by_tag.values():
        yield from collection.endpoints


def branches(value: Property | None, source: str) -> list[tuple[str, str]]:
    """How to decode the value: conditions and the expressions for them; what meets none of them stays as it is."""
    if isinstance(value, ModelProperty):
        return [(f"isinstance({source}, dict)", f"models.{value.class_info.name}.from_dict({source})")]
    if isinstance(value, ListProperty):
        item = decoding(value.inner_property, "item")
        return [(f"isinstance({source}, list)", f"[{item} for item in {source}]")] if item else []
    if isinstance(value, UnionProperty):
        return [branch for inner in value.inner_properties for branch in branches(inner, source)]
    return []


def decoding(value: Property | None, source: str) -> str:
    """The expression that decodes the value; empty where it stays as it is on the wire."""
    found = branches(value, source)
    return "".join(f"{expression} if {condition} else " for condition, expression in found) + source if found else ""


def typed(value: Property | None, *, no_optional: bool = False) -> str:
    """The value's type, with `None` and `Unset` last."""
    if value is None:
        return "Any"
    parts, depth = [""], 0
    for piece in re.split(r"(\[|\]| \| )", value.get_type_string(no_optional=no_optional).as_unembedded_code()):
        depth += {"[": 1, "]": -1}.get(piece, 0)
        if piece == " | " and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return " | ".join(sorted(parts, key=lambda part: (part == "Unset", part == "None")))


def described(model: ModelProperty) -> str:
    return model.description.get_untrusted_value() if model.description else f"The `{model.class_info.name}` object."


def meaning(member: Property, model: ModelProperty) -> str:
    """The member's description; the one beside a reference is about the member, the one behind it about any."""
    written = (model.data.properties or {}).get(member.name)
    if isinstance(written, Reference) and (beside := (written.model_extra or {}).get("description")):
        return str(beside)
    return member.description.get_untrusted_value() if member.description else ""


def model_imports(model: ModelProperty) -> list[str]:
    values = [*members(model), *([model.additional_properties] if model.additional_properties else [])]
    own = f"from ..{model.self_import}"
    return sorted(imports(values, "..") - {own})


def imports(values: Iterable[Property], prefix: str) -> set[str]:
    """The imports of models and enumerations that the types of the values need."""
    lines: set[str] = set()
    for value in values:
        lines |= value.get_lazy_imports(prefix=prefix) | value.get_imports(prefix=prefix)
    return {line for line in lines if line.startswith(f"from {prefix}models.") and " import check_" not in line}


def secrets(model: ModelProperty) -> list[str]:
    """The attributes that the document gives the format `password`."""
    written = model.data.properties or {}
    return sorted(
        member.python_name
        for member in members(model)
        if getattr(written.get(member.name), "schema_format", None) == "password"
    )


def bound_to_project(collection: EndpointCollection) -> bool:
    """Whether an operation of the tag has the project in its path."""
    return any(value.python_name == "project_id" for each in collection.endpoints for value in each.path_parameters)


def collection_imports(collection: EndpointCollection, operations: dict[str, dict[str, Any]]) -> list[str]:
    own = [operations[endpoint.name] for endpoint in collection.endpoints]
    items = [operation["pages"]["item_type"] for operation in own if operation["pages"]]
    return sorted(imports(items, "...").union(*(operation["imports"] for operation in own)))


def endpoint_imports(endpoint: Endpoint) -> list[str]:
    answers = [response.prop for response in endpoint.responses.patterns if is_success(response)]
    parameters = [parameter for _, parameter in endpoint.iter_all_parameters()]
    return sorted(imports([*answers, *parameters, *(body.prop for body in endpoint.bodies)], "..."))


def is_success(response: Response) -> bool:
    return response.status_code.range is not None and response.status_code.range[0] < 400


def by_python_name(document: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any], dict[str, Any]]]:
    """Path, path item and operation of every operation."""
    return {
        PythonIdentifier(operation["operationId"], ""): (path, item, operation)
        for path, item in document["paths"].items()
        for method in METHODS
        if (operation := item.get(method))
    }


def operations(document: dict[str, Any], parsed: GeneratorData) -> dict[str, dict[str, Any]]:
    """What the templates need to know of each operation beside the generator's own data, by its Python name."""
    written = by_python_name(document)
    models = {str(model.class_info.name): model for model in parsed.models}
    found = {str(endpoint.name): facts(document, endpoint, *written[endpoint.name]) for endpoint in endpoints(parsed)}
    for endpoint in endpoints(parsed):
        path, _, operation = written[endpoint.name]
        try:
            found[endpoint.name]["pages"] = pages(operation, endpoint, models, found[endpoint.name])
        except PaginationError as error:
            where = ["paths", path, endpoint.method, "x-pagination"]
            raise ClientError((where, f"{operation['operationId']}: x-pagination: {error}")) from None
    for tag, collection in parsed.endpoint_collections_by_tag.items():
        iterators = [page["name"] for each in collection.endpoints if (page := found[each.name]["pages"])]
        if len(set(iterators)) < len(iterators):
            what = f"{tag}: two operations have an iterator of the same name: {', '.join(sorted(iterators))}"
            raise ClientError((["tags"], what))
    return found


def pages(
    operation: dict[str, Any], endpoint: Endpoint, models: dict[str, ModelProperty], known: dict[str, Any]
) -> dict[str, Any] | None:
    """What the templates need to know of the iterator over the operation's records, if its records come in pages."""
    if "x-pagination" not in operation:
        return None
    found = Pagination(operation["x-pagination"], endpoint, models)
    return {
        "name": found.name,
        "constant": found.constant,
        "position": found.position,
        "given": found.given,
        "moved": found.moved,
        "promise": found.promise,
        "is_body_optional": found.is_body_optional,
        "item_type": found.item,
        "item": typed(found.item, no_optional=True),
        "parameters": found.parameters(known["parameters"]),
        "body": known["body"],
    }


def facts(
    document: dict[str, Any], endpoint: Endpoint, path: str, item: dict[str, Any], operation: dict[str, Any]
) -> dict[str, Any]:
    texts = {}
    for reference in [*item.get("parameters", []), *operation.get("parameters", [])]:
        parameter = resolved(document, reference)
        texts[parameter["in"], parameter["name"]] = sentence(parameter, parameter.get("schema", {}))
    answers = successes(endpoint)
    body = resolved(document, operation.get("requestBody", {}))
    return {
        "path": path,
        "url": url(endpoint),
        "successes": answers,
        "returns": " | ".join(dict.fromkeys(answer["type"] for answer in reversed(answers))),
        "imports": endpoint_imports(endpoint),
        "parameters": [
            {"python_name": parameter.python_name, "text": texts[location, parameter.name.get_untrusted_value()]}
            for location, parameter in endpoint.iter_all_parameters()
        ],
        "body": body.get("description", "the request; a mapping is sent as it is.") if endpoint.bodies else "",
        "refusals": list(refusals(document, operation)),
        "source": operation.get("externalDocs", {}).get("url") or operation.get("x-source", ""),
    }


def resolved(document: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """The component that a reference names, with the keys that stand beside the reference."""
    beside = dict(value)
    while "$ref" in beside:
        _, _, kind, name = beside.pop("$ref").split("/")
        beside = document["components"][kind][name] | beside
    return beside


def sentence(parameter: dict[str, Any], schema: dict[str, Any]) -> str:
    text = parameter.get("description") or schema.get("description", "")
    return f"{text} The service's default: {schema['default']!r}.".strip() if "default" in schema else text


def url(endpoint: Endpoint) -> str:
    """The expression for the path of a call."""
    path = endpoint.path.get_untrusted_value()
    for value in endpoint.path_parameters:
        path = path.replace(f"{{{value.python_name}}}", f"{{segment('{value.python_name}', {value.python_name})}}")
    return f'f"{path}"' if endpoint.path_parameters else f'"{path}"'


def successes(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The documented successes in the order of their tests; the last of them stands for any other 2xx, too."""
    answers = [response for response in endpoint.responses.patterns if is_success(response)]
    answers.sort(key=lambda response: response.source["attribute"] != "None")
    *special, usual = answers
    found = []
    for response in [*special, usual]:
        low, high = response.status_code.range or (0, 0)
        exact = f"response.status_code == {low}" if low == high else f"{low} <= response.status_code <= {high}"
        if response is usual:
            exact = "response.is_success" if low < 300 else f"response.is_success or {exact}"
        empty = response.source["attribute"] == "None"
        found.append(
            {
                "condition": exact,
                "source": response.source["attribute"],
                "model": response.prop.class_info.name if isinstance(response.prop, ModelProperty) else None,
                "decoded": decoding(response.prop, "value") or "value",
                "type": "None" if empty else typed(response.prop),
            }
        )
    return found


def refusals(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[str]:
    """One sentence per documented error status, with the codes that are this operation's own."""
    for status, reference in operation.get("responses", {}).items():
        if status[0] in "123":
            continue
        response = resolved(document, reference)
        codes = abbreviated(reference.get("x-error-codes", []))
        what = "any other status" if status == "default" else status
        yield f"{what}{f' ({codes})' if codes else ''}: {response.get('description', '').strip()}"


def abbreviated(codes: list[str]) -> str:
    """The codes, each without the service's name where the one before has the same."""
    services = [code.rpartition(".")[0] for code in codes]
    return ", ".join(
        code.rpartition(".")[2] if service == before else code
        for code, service, before in zip(codes, services, ["", *services], strict=False)
    )
