"""Compare two bundled documents: operations with their parameters, bodies, responses, security and names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from modelarts_contract.comparison.change import Change
from modelarts_contract.comparison.notes import compare_notes
from modelarts_contract.comparison.schema import Comparison, Document, Schemas, expanded, is_text
from modelarts_contract.documents import Operation, find, operations_of

__all__ = ["compare", "operations"]

Piece = Mapping[str, Any]  # of a document, with its references followed, except those of schemas
COMPARED = {
    "document": {"components", "info", "openapi", "paths", "security", "servers", "tags"},
    "operation": {"operationId", "parameters", "requestBody", "responses", "security", "servers", "tags"},
    "parameter": {"content", "in", "name", "required", "schema"},
    "body": {"content", "required"},
    "response": {"content", "headers"},
    "header": {"content", "required", "schema"},
    "media type": {"schema"},
}


def followed(document: Document, node: Any) -> Any:
    """The node with its references followed; keys next to a reference take precedence."""
    if isinstance(node, list):
        return [followed(document, child) for child in node]
    if not isinstance(node, dict):
        return node
    while isinstance(node.get("$ref"), str):
        beside = {key: value for key, value in node.items() if key != "$ref"}
        node = {**find(document, node["$ref"]), **beside}
    return {
        key: child if key in ("schema", "examples", "callbacks") else followed(document, child)
        for key, child in node.items()
    }


def operations(document: Document) -> list[Operation]:
    """The operations of a document with their references followed."""
    paths = {path: followed(document, item) for path, item in document["paths"].items()}
    return list(operations_of("", {**document, "paths": paths}))


def signature(operation: Operation) -> str:
    """The method and the path without the names of its parameters."""
    return re.sub(r"\{[^}]*\}", "{}", operation.label)


def tag(operation: Operation) -> str:
    return str((operation.definition.get("tags") or ["default"])[0])


def parameters(operation: Operation) -> dict[tuple[str, str], Piece]:
    """By place and name; parameters in the path by their position, because their names are not sent."""
    positions = {name: str(index) for index, name in enumerate(re.findall(r"\{([^}]*)\}", operation.path))}
    found = {}
    for parameter in operation.definition["parameters"]:
        where, name = parameter["in"], parameter["name"]
        key = positions.get(name, name) if where == "path" else name.lower() if where == "header" else name
        found[where, key] = parameter
    return found


def security(operation: Operation) -> set[frozenset[str]]:
    """Ways to be let in, each a set of demands."""
    document = operation.document
    schemes = document.get("components", {}).get("securitySchemes", {})
    ways = operation.definition.get("security", document.get("security", [])) or [{}]
    texts = {name: json.dumps(expanded(document, schemes[name]), sort_keys=True) for way in ways for name in way}
    return {frozenset(f"{texts[name]} {scope}" for name in way for scope in ("", *way[name])) for way in ways}


def pairs(old: Document, new: Document) -> Iterator[tuple[Operation | None, Operation | None]]:
    """Operations that belong together: by operationId, else by method and path."""
    before = {operation.operation_id: operation for operation in operations(old)}
    after = {operation.operation_id: operation for operation in operations(new)}
    for name in [name for name in before if name in after]:
        yield before.pop(name), after.pop(name)
    routes = {signature(operation): operation for operation in after.values()}
    yield from ((operation, routes.pop(signature(operation), None)) for operation in before.values())
    yield from ((None, operation) for operation in routes.values())


class DocumentComparison:
    """One comparison of two states of a document."""

    def __init__(self, name: str, old: Document, new: Document) -> None:
        self.name, self.old, self.new = name, old, new
        schemas = Schemas(old), Schemas(new)
        self.requests, self.responses = Comparison(*schemas, is_request=True), Comparison(*schemas, is_request=False)

    def changes(self) -> Iterator[Change]:
        for before, after in pairs(self.old, self.new):
            found: Iterable[Change] = ()
            if before is not None and after is not None:
                found = self.compare_operations(before, after)
            elif before is not None:
                found = [Change("", f"removed ({before.label})", breaking=True)]
            elif after is not None:
                found = [Change("", f"new ({after.label})", breaking=False)]
            name = before.operation_id if before else after.operation_id if after else ""
            yield from (replace(change, document=self.name, operation=name) for change in found)
        found = [*self.compare_models(), *self.rest("document", self.old, self.new, "")]
        yield from (replace(change, document=self.name) for change in found)

    def compare_operations(self, old: Operation, new: Operation) -> Iterator[Change]:
        if old.operation_id != new.operation_id:
            what = f"operationId is {new.operation_id}: the method's name changes, the wire does not"
            yield Change("", what, breaking=True, reach="client")
        if signature(old) != signature(new):
            yield Change("", f"{old.label} -> {new.label}", breaking=True)
        if tag(old) != tag(new):
            what = f"tag {tag(old)} -> {tag(new)}: the method moves to another class, the wire stays"
            yield Change("", what, breaking=True, reach="client")
        if (before := security(old)) != (after := security(new)):
            rejected = any(not any(way <= known for way in after) for known in before)
            what = "what let a client in does not suffice any more" if rejected else "more ways to be let in"
            yield Change("security", what, breaking=rejected)
        yield from compare_notes(old.definition, new.definition, is_request=True)
        yield from self.compare_parameters(old, new)
        body, body_now = old.definition.get("requestBody"), new.definition.get("requestBody")
        if body and body_now:
            yield from self.compare_piece("body", body, body_now, "request", self.requests)
        elif body or body_now:
            yield come_or_gone("request", body_now, removed="removed: the operation takes no body")
        yield from self.compare_responses(*(statuses(each.definition) for each in (old, new)))
        yield from self.rest("operation", old.definition, new.definition, "")

    def compare_parameters(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = parameters(old), parameters(new)
        moved = signature(old) != signature(new)
        for key in sorted(before.keys() | after.keys()):
            known, now = before.get(key), after.get(key)
            place = f"{key[0]} {(known or after[key])['name']}"
            if known is None or now is None:
                if key[0] != "path" or not moved:  # the change of the path says it
                    yield come_or_gone(place, now, removed="removed")
                continue
            if key[0] == "path" and known["name"] != now["name"]:
                what = f"named {now['name']} now: calls by keyword break, the wire stays"
                yield Change(place, what, breaking=True, reach="client")
            yield from within(place, compare_notes(known, now, is_request=True))
            yield from self.compare_piece("parameter", known, now, place, self.requests)

    def compare_responses(self, old: dict[str, Piece], new: dict[str, Piece]) -> Iterator[Change]:
        """Differences that several statuses share are reported once."""
        reported: dict[Change, list[str]] = {}
        for status in sorted(old.keys() | new.keys()):
            for found in self.compare_status(status, old, new):
                reported.setdefault(found, []).append(status)
        for found, shared in reported.items():
            yield replace(found, place=f"response {','.join(shared)} {found.place}".strip())

    def compare_status(self, status: str, old: dict[str, Piece], new: dict[str, Piece]) -> Iterator[Change]:
        """A success may have another status if its content stays: clients take every 2xx for a success."""
        is_success = status[0] in "123"
        if status in old and status in new:
            yield from self.compare_response(old[status], new[status], is_success=is_success)
        elif status in old:
            others = [other for other in new if other[0] in "123" and other not in old] if is_success else []
            same = next((other for other in others if self.can_be_read_as(new[other], old[status])), None)
            what = f"{same} instead, with the same content" if same else "removed"
            yield Change("", what, breaking=is_success and not same)
        else:
            known = [old[other] for other in old if other[0] in "123"]
            expected = not is_success or any(self.can_be_read_as(new[status], other) for other in known)
            yield Change("", "new" if expected else "new, with a content that no other success has", not expected)

    def can_be_read_as(self, response: Piece, known: Piece) -> bool:
        """Whether a client that knows the one response copes with the other."""
        probe = DocumentComparison(self.name, self.old, self.new)  # its models are nobody's new names
        return not any(found.breaking for found in probe.compare_response(known, response, is_success=True))

    def compare_response(self, old: Piece, new: Piece, *, is_success: bool) -> Iterator[Change]:
        for found in self.compare_piece("response", old, new, "", self.responses):
            yield replace(found, breaking=found.breaking and (is_success or not found.place.startswith("content ")))
        yield from compare_notes(old, new, is_request=False)
        before, after = (
            {name.lower(): (name, header) for name, header in each.get("headers", {}).items()} for each in (old, new)
        )
        for key in sorted(before.keys() | after.keys()):
            place = f"header {(before.get(key) or after[key])[0]}"
            if key in before and key in after:
                yield from self.compare_piece("header", before[key][1], after[key][1], place, self.responses)
            else:
                yield Change(place, "removed" if key in before else "new", breaking=key in before)

    def compare_piece(self, kind: str, old: Piece, new: Piece, place: str, schemas: Comparison) -> Iterator[Change]:
        """A parameter, body, response or header: whether it must be there, and its schema or media types."""
        if bool(old.get("required")) != (must_now := bool(new.get("required"))):
            yield Change(
                place, "mandatory now" if must_now else "not mandatory any more", must_now == schemas.is_request
            )
        if "schema" in old or "schema" in new:
            yield from within(place, schemas.compare(old.get("schema", True), new.get("schema", True)))
        before, after = old.get("content", {}), new.get("content", {})
        for media in sorted(before.keys() | after.keys()):
            where = f"{place} content {media}".strip()
            if media in before and media in after:
                one, other = before[media], after[media]
                yield from within(place, schemas.compare(one.get("schema", True), other.get("schema", True)))
                yield from self.rest("media type", one, other, where)
            else:
                is_gone = media in before
                yield Change(where, "removed" if is_gone else "new", breaking=is_gone or not schemas.is_request)
        yield from self.rest(kind, old, new, place)

    def compare_models(self) -> Iterator[Change]:
        """Classes of the client that change their names while the messages stay as they are."""
        before, after = set(classes(self.old)), set(self.new.get("components", {}).get("schemas", {}))
        renamed = {**self.responses.models, **self.requests.models}
        for (name, now), place in renamed.items():
            what = f"named {now or '(none)'} now: the model's class changes, the wire does not"
            where = f"model {name}" if name in before - after else f"model {name} at {place or 'the top'}"
            yield Change(where, what, breaking=True, reach="client")
        for name in sorted(before - after - {name for name, _ in renamed}):
            yield Change(f"model {name}", "removed: its class is gone", breaking=True, reach="client")

    def rest(self, kind: str, old: Piece, new: Piece, place: str) -> Iterator[Change]:
        """What has no comparison of its own must be the same."""
        before, after = (
            expanded(document, {key: each[key] for key in each if key not in COMPARED[kind] and not is_text(key)})
            for document, each in ((self.old, old), (self.new, new))
        )
        if before != after:
            words = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
            said = ", ".join(f"`{word}`" for word in words)
            yield Change(place, f"changed beyond comparison: {said}", breaking=True)


def statuses(piece: Piece) -> dict[str, Piece]:
    return {status: found for status, found in piece.get("responses", {}).items() if not status.startswith("x-")}


def come_or_gone(place: str, now: Piece | None, *, removed: str) -> Change:
    """The change of a part that a request has only before or only now."""
    if not now:
        return Change(place, removed, breaking=True)
    return Change(place, "new and mandatory" if now.get("required") else "new", breaking=bool(now.get("required")))


def within(place: str, found: Iterator[Change]) -> Iterator[Change]:
    yield from (replace(change, place=f"{place} {change.place}".strip()) for change in found)


def classes(document: Document) -> Iterator[str]:
    """Components that the generator makes classes of: objects and lists of values."""
    for name, written in document.get("components", {}).get("schemas", {}).items():
        if "enum" in written or "model" in Schemas(document).shape(written).limits:
            yield name


def compare(name: str, old: Document, new: Document) -> Iterator[Change]:
    """Every change from the old state of the document to the new one, in no order; one of texts is not more."""
    changes = list(DocumentComparison(name, old, new).changes())
    if not changes and old != new:
        what = "nothing changed but descriptions, examples, links and the like"
        changes = [Change("", what, breaking=False, reach="text", document=name)]
    yield from changes
