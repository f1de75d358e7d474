"""Compare two bundled documents: operations with their parameters, bodies, responses, security and names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from modelarts_contract.documents import METHODS

from .change import Change
from .notes import compare_notes
from .schema import Comparison, Document, Schemas, expanded, find, is_text

__all__ = ["compare", "operations"]

COMPARED = {
    "document": {"components", "info", "openapi", "paths", "security", "servers", "tags"},
    "operation": {"operationId", "parameters", "requestBody", "responses", "security", "servers", "tags"},
    "parameter": {"content", "in", "name", "required", "schema"},
    "body": {"content", "required"},
    "response": {"content", "headers"},
    "header": {"content", "required", "schema"},
    "media type": {"schema"},
}


@dataclass(frozen=True)
class Part:
    """A piece of a document; `written` has its references followed."""

    document: Document
    written: Mapping[str, Any]

    @classmethod
    def of(cls, document: Document, written: Mapping[str, Any]) -> Part:
        beside = dict(written)
        while "$ref" in beside:
            beside = {**find(document, beside.pop("$ref")), **beside}
        return cls(document, beside)

    def inner(self, step: str) -> Part:
        return Part.of(self.document, self.written.get(step, {}))

    def entries(self, step: str) -> dict[str, Part]:
        """The pieces in a mapping by their names, without extensions."""
        return {name: self.of(self.document, each) for name, each in self.inner(step).written.items()
                if not name.startswith("x-")}  # fmt: skip

    @property
    def is_required(self) -> bool:
        return bool(self.written.get("required"))

    def rest(self, kind: str) -> Any:
        """What of this piece nobody compares."""
        strange = {key: value for key, value in self.written.items() if key not in COMPARED[kind] and not is_text(key)}
        return expanded(self.document, strange)


@dataclass(frozen=True)
class Operation:
    """An operation with its path's part."""

    name: str
    method: str
    path: str
    item: Part
    part: Part

    @property
    def route(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def signature(self) -> str:
        """The route without the names of its parameters."""
        return re.sub(r"\{[^}]*\}", "{}", self.route)

    @property
    def tag(self) -> str:
        return (self.part.written.get("tags") or ["default"])[0]  # type: ignore[no-any-return]

    def parameters(self) -> dict[tuple[str, str], Part]:
        """By place and name; parameters in the path by their position, because their names are not sent."""
        positions = {name: str(index) for index, name in enumerate(re.findall(r"\{([^}]*)\}", self.path))}
        found = {}
        for owner in (self.item, self.part):
            for written in owner.written.get("parameters", ()):
                parameter = Part.of(owner.document, written)
                where, name = parameter.written["in"], parameter.written["name"]
                key = positions.get(name, name) if where == "path" else name.lower() if where == "header" else name
                found[where, key] = parameter
        return found

    def security(self) -> set[frozenset[str]]:
        """Ways to be let in, each a set of demands."""
        document = self.part.document
        ways = self.part.written.get("security", document.get("security", []))
        return {
            frozenset(demand for name in way for demand in demands(document, name, way[name])) for way in ways or [{}]
        }


def demands(document: Document, name: str, scopes: list[str]) -> Iterator[str]:
    scheme = json.dumps(expanded(document, document["components"]["securitySchemes"][name]), sort_keys=True)
    yield from (scheme, *(f"{scheme} {scope}" for scope in scopes))


def operations(document: Document) -> list[Operation]:
    found = []
    for path, written in document["paths"].items():
        item = Part.of(document, written)
        for method in METHODS:
            if method in item.written:
                part = item.inner(method)
                name = part.written.get("operationId", f"{method.upper()} {path}")
                found.append(Operation(name, method, path, item, part))
    return found


def pairs(old: Document, new: Document) -> Iterator[tuple[Operation | None, Operation | None]]:
    """Operations that belong together: by operationId, else by method and path."""
    before = {operation.name: operation for operation in operations(old)}
    after = {operation.name: operation for operation in operations(new)}
    for name in [name for name in before if name in after]:
        yield before.pop(name), after.pop(name)
    routes = {operation.signature: operation for operation in after.values()}
    yield from ((operation, routes.pop(operation.signature, None)) for operation in before.values())
    yield from ((None, operation) for operation in routes.values())


@dataclass
class DocumentComparison:
    """One comparison of two states of a document."""

    name: str
    old: Document
    new: Document
    requests: Comparison = field(init=False)
    responses: Comparison = field(init=False)

    def __post_init__(self) -> None:
        schemas = Schemas(self.old), Schemas(self.new)
        self.requests, self.responses = Comparison(*schemas, is_request=True), Comparison(*schemas, is_request=False)

    def changes(self) -> Iterator[Change]:
        for before, after in pairs(self.old, self.new):
            found: Iterable[Change] = ()
            if after is None and before is not None:
                found = [Change("", f"removed ({before.route})", breaking=True)]
            elif before is None and after is not None:
                found = [Change("", f"new ({after.route})", breaking=False)]
            elif before is not None and after is not None:
                found = self.compare_operations(before, after)
            name = before.name if before else after.name if after else ""
            yield from (replace(change, document=self.name, operation=name) for change in found)
        found = [*self.compare_models(), *rest("document", Part(self.old, self.old), Part(self.new, self.new), "")]
        yield from (replace(change, document=self.name) for change in found)

    def compare_operations(self, old: Operation, new: Operation) -> Iterator[Change]:
        if old.name != new.name:
            what = f"operationId is {new.name}: the method's name changes, the wire does not"
            yield Change("", what, breaking=True, reach="client")
        if old.signature != new.signature:
            yield Change("", f"{old.route} -> {new.route}", breaking=True)
        if old.tag != new.tag:
            what = f"tag {old.tag} -> {new.tag}: the method moves to another class, the wire stays"
            yield Change("", what, breaking=True, reach="client")
        if (before := old.security()) != (after := new.security()):
            rejected = any(not any(way <= known for way in after) for known in before)
            what = "what let a client in does not suffice any more" if rejected else "more ways to be let in"
            yield Change("security", what, breaking=rejected)
        yield from compare_notes(old.part.written, new.part.written, is_request=True)
        yield from self.compare_parameters(old, new)
        yield from self.compare_bodies(old.part.inner("requestBody"), new.part.inner("requestBody"))
        yield from self.compare_responses(old.part.entries("responses"), new.part.entries("responses"))
        yield from rest("operation", old.part, new.part, "")

    def compare_parameters(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = old.parameters(), new.parameters()
        moved = old.signature != new.signature
        for key in sorted(before.keys() | after.keys()):
            if key[0] == "path" and moved and not (key in before and key in after):
                continue  # the change of the path says it
            known, now = before.get(key), after.get(key)
            place = f"{key[0]} {(known or after[key]).written['name']}"
            if known is None or now is None:
                yield come_or_gone(place, now, removed="removed")
                continue
            if key[0] == "path" and known.written["name"] != now.written["name"]:
                what = f"named {now.written['name']} now: calls by keyword break, the wire stays"
                yield Change(place, what, breaking=True, reach="client")
            yield from within(place, compare_notes(known.written, now.written, is_request=True))
            yield from self.compare_piece("parameter", known, now, place, self.requests)

    def compare_bodies(self, old: Part, new: Part) -> Iterator[Change]:
        if bool(old.written) != bool(new.written):
            removed = "removed: the operation takes no body"
            yield come_or_gone("request", new if new.written else None, removed=removed)
        elif new.written:
            yield from self.compare_piece("body", old, new, "request", self.requests)

    def compare_responses(self, old: dict[str, Part], new: dict[str, Part]) -> Iterator[Change]:
        """Differences that several statuses share are reported once."""
        reported: dict[Change, list[str]] = {}
        for status in sorted(old.keys() | new.keys()):
            for found in self.compare_status(status, old, new):
                reported.setdefault(found, []).append(status)
        for found, statuses in reported.items():
            yield replace(found, place=f"response {','.join(statuses)} {found.place}".strip())

    def compare_status(self, status: str, old: dict[str, Part], new: dict[str, Part]) -> Iterator[Change]:
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

    def can_be_read_as(self, response: Part, known: Part) -> bool:
        """Whether a client that knows the one response copes with the other."""
        probe = DocumentComparison(self.name, self.old, self.new)  # its models are nobody's new names
        return not any(found.breaking for found in probe.compare_response(known, response, is_success=True))

    def compare_response(self, old: Part, new: Part, *, is_success: bool) -> Iterator[Change]:
        for found in self.compare_piece("response", old, new, "", self.responses):
            yield replace(found, breaking=found.breaking and (is_success or not found.place.startswith("content ")))
        yield from compare_notes(old.written, new.written, is_request=False)
        before = {name.lower(): (name, part) for name, part in old.entries("headers").items()}
        after = {name.lower(): (name, part) for name, part in new.entries("headers").items()}
        for key in sorted(before.keys() | after.keys()):
            place = f"header {(before.get(key) or after[key])[0]}"
            if key in before and key in after:
                yield from self.compare_piece("header", before[key][1], after[key][1], place, self.responses)
            else:
                yield Change(place, "removed" if key in before else "new", breaking=key in before)

    def compare_piece(self, kind: str, old: Part, new: Part, place: str, schemas: Comparison) -> Iterator[Change]:
        """A parameter, body, response or header: whether it must be there, and its schema or media types."""
        if old.is_required != new.is_required:
            what = "mandatory now" if new.is_required else "not mandatory any more"
            yield Change(place, what, breaking=new.is_required == schemas.is_request)
        if "schema" in old.written or "schema" in new.written:
            yield from within(place, schemas.compare(old.written.get("schema", True), new.written.get("schema", True)))
        before, after = old.entries("content"), new.entries("content")
        for media in sorted(before.keys() | after.keys()):
            where = f"{place} content {media}".strip()
            if media not in after:
                yield Change(where, "removed", breaking=True)
            elif media not in before:
                yield Change(where, "new", breaking=not schemas.is_request)
            else:
                one, other = before[media], after[media]
                contents = one.written.get("schema", True), other.written.get("schema", True)
                yield from within(place, schemas.compare(*contents))
                yield from rest("media type", one, other, where)
        yield from rest(kind, old, new, place)

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


def come_or_gone(place: str, now: Part | None, *, removed: str) -> Change:
    """The change of what a request has only before or only now."""
    if now is None:
        return Change(place, removed, breaking=True)
    return Change(place, "new and mandatory" if now.is_required else "new", breaking=now.is_required)


def within(place: str, found: Iterator[Change]) -> Iterator[Change]:
    yield from (replace(change, place=f"{place} {change.place}".strip()) for change in found)


def rest(kind: str, old: Part, new: Part, place: str) -> Iterator[Change]:
    if (before := old.rest(kind)) != (after := new.rest(kind)):
        words = ", ".join(
            f"`{key}`" for key in sorted(before.keys() | after.keys()) if before.get(key) != after.get(key)
        )
        yield Change(place, f"changed beyond comparison: {words}", breaking=True)


def classes(document: Document) -> Iterator[str]:
    """Components that the generator makes classes of: objects and lists of values."""
    for name, written in document.get("components", {}).get("schemas", {}).items():
        if "enum" in written or Schemas(document).shape(written, name=name).kinds.get("object", {}).get("model"):
            yield name


def compare(name: str, old: Document, new: Document) -> Iterator[Change]:
    """Every change from the old state of the document to the new one, in no order; one of texts is not more."""
    changes = list(DocumentComparison(name, old, new).changes())
    if not changes and old != new:
        what = "nothing changed but descriptions, examples, links and the like"
        changes = [Change("", what, breaking=False, reach="text", document=name)]
    yield from changes
