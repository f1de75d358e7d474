"""Compare two bundled documents: operations with their parameters, bodies, responses, security and names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from modelarts_contract.comparison.change import UNNOTICED, Change
from modelarts_contract.comparison.notes import compare_notes
from modelarts_contract.comparison.schema import Comparison, Rename, Side
from modelarts_contract.comparison.shape import PROSE, Document, Schemas, canonical, is_text
from modelarts_documents import schema as library
from modelarts_documents.keys import DATA, inner
from modelarts_documents.schema import find, resolve
from modelarts_documents.versions import as_3_1

__all__ = ["compare", "operations"]

Piece = Mapping[str, Any]  # of a document, with its reference followed
COMPARED = {
    "document": {"components", "info", "openapi", "paths", "security", "servers", "tags"},
    "operation": {"operationId", "parameters", "requestBody", "responses", "security", "servers", "tags"},
    "parameters": {"content", "in", "name", "required", "schema"},
    "requestBodies": {"content", "required"},
    "responses": {"content", "headers"},
    "headers": {"content", "required", "schema"},
    "media": {"schema"},
}
IGNORED_HEADERS = {"accept", "authorization", "content-type"}  # whose descriptions have no meaning in OpenAPI
DEFAULTS = {"allowEmptyValue": False, "allowReserved": False}  # of parameters
STYLES = {"cookie": "form", "query": "form"}


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation with the parameters of its path."""

    document: Document
    path: str
    method: str
    definition: Piece

    @property
    def label(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def signature(self) -> str:
        """The method and the path without the names of its parameters."""
        return re.sub(r"\{[^}]*\}", "{}", self.label)

    @property
    def name(self) -> str:
        return str(self.definition.get("operationId") or self.label)

    @property
    def tag(self) -> str:
        return str((self.definition.get("tags") or ["default"])[0])

    def piece(self, name: str) -> Piece | None:
        found = self.definition.get(name)
        return None if found is None else resolve(self.document, found)

    def parameters(self) -> dict[tuple[str, str], Piece]:
        """By place and name; parameters in the path by their position, because their names are not sent."""
        positions = {name: str(index) for index, name in enumerate(re.findall(r"\{([^}]*)\}", self.path))}
        found: dict[tuple[str, str], Piece] = {}
        for written in self.definition["parameters"]:
            parameter = resolve(self.document, written)
            where, name = parameter["in"], parameter["name"]
            key = str(positions.get(name, name) if where == "path" else name.lower() if where == "header" else name)
            if where != "header" or key not in IGNORED_HEADERS:
                found[where, key] = parameter
        return found

    def responses(self) -> dict[str, Piece]:
        written = self.definition.get("responses", {})
        return {
            str(status): resolve(self.document, each) for status, each in written.items() if str(status)[:2] != "x-"
        }

    def security(self) -> set[frozenset[str]]:
        """Ways to be let in, each a set of demands."""
        schemes = self.document.get("components", {}).get("securitySchemes", {})
        ways = self.definition.get("security", self.document.get("security", [])) or [{}]
        texts = {
            name: canonical(
                {key: value for key, value in resolve(self.document, schemes[name]).items() if not is_text(key)}
            )
            for way in ways
            for name in way
        }
        return {frozenset(f"{texts[name]} {scope}" for name in way for scope in ("", *way[name])) for way in ways}


def operations(document: Document) -> list[Operation]:
    """The operations of a document."""
    return [
        Operation(
            document, path, method, {**found, "parameters": [*item.get("parameters", ()), *found.get("parameters", ())]}
        )
        for path, method, item, found in library.operations(document)
    ]


def pairs(old: Document, new: Document) -> Iterator[tuple[Operation | None, Operation | None]]:
    """Operations that belong together: by an operationId that no other one has, else by method and path."""
    before, after = operations(old), operations(new)
    counts = [Counter(operation.name for operation in each) for each in (before, after)]

    def key_of(operation: Operation) -> str:
        return operation.name if all(count[operation.name] == 1 for count in counts) else ""

    for mark in (key_of, lambda operation: operation.label, lambda operation: operation.signature):
        waiting = defaultdict[str, list[Operation]](list)
        for operation in after:
            waiting[mark(operation)].append(operation)
        for operation in [*before]:
            if mark(operation) and (found := waiting[mark(operation)]):
                before.remove(operation)
                after.remove(found[0])
                yield operation, found.pop(0)
    yield from ((operation, None) for operation in before)
    yield from ((None, operation) for operation in after)


class DocumentComparison:
    """One comparison of two states of a document."""

    def __init__(self, name: str, old: Document, new: Document) -> None:
        self.name, self.old, self.new = name, as_3_1(old), as_3_1(new)
        self.schemas = Comparison(self.old, self.new)
        self.models: dict[tuple[str, str], str] = {}  # classes with another name, and where that was seen first

    def changes(self) -> Iterator[Change]:
        for before, after in pairs(self.old, self.new):
            found: Iterable[Change] = ()
            if before is not None and after is not None:
                found = self.compare_operations(before, after)
            elif before is not None:
                found = [Change("", f"removed ({before.label})", breaking=True)]
            elif after is not None:
                found = [Change("", f"new ({after.label})", breaking=False)]
            name = before.name if before else after.name if after else ""
            for change in found:
                if isinstance(change, Rename):
                    self.models.setdefault(change.names, change.at)
                else:
                    yield replace(change, document=self.name, operation=name)
        found = [*self.used_twice(), *self.compare_models(), *self.rest("document", self.old, self.new, "")]
        yield from (replace(change, document=self.name) for change in found)

    def used_twice(self) -> Iterator[Change]:
        before, after = (Counter(operation.name for operation in operations(each)) for each in (self.old, self.new))
        for name, count in after.items():
            if count > max(before[name], 1):
                yield Change("", "the operationId is used twice", breaking=True, reach="client", operation=name)

    def compare_operations(self, old: Operation, new: Operation) -> Iterator[Change]:
        if old.name != new.name and "operationId" in {**old.definition, **new.definition}:
            what = f"operationId is {new.name}: the method's name changes, the wire does not"
            yield Change("", what, breaking=True, reach="client")
        if old.signature != new.signature:
            yield Change("", f"{old.label} -> {new.label}", breaking=True)
        if old.tag != new.tag:
            what = f"tag {old.tag} -> {new.tag}: the method moves to another class, the wire stays"
            yield Change("", what, breaking=True, reach="client")
        if (before := old.security()) != (after := new.security()):
            rejected = any(not any(way <= known for way in after) for known in before)
            what = "what let a client in does not suffice any more" if rejected else "more ways to be let in"
            yield Change("security", what, breaking=rejected)
        yield from compare_notes(old.definition, new.definition, is_request=True)
        yield from self.compare_parameters(old, new)
        body, body_now = old.piece("requestBody"), new.piece("requestBody")
        if body is not None and body_now is not None:
            yield from self.compare_piece("requestBodies", body, body_now, "request", "request")
        elif body is not None or body_now is not None:
            yield come_or_gone("request", body_now, removed="removed: the operation takes no body")
        yield from self.compare_responses(old.responses(), new.responses())
        yield from self.rest("operation", old.definition, new.definition, "")

    def compare_parameters(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = old.parameters(), new.parameters()
        moved = old.signature != new.signature
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
            yield from self.compare_piece("parameters", known, now, place, "request")

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
        return not any(found.breaking for found in self.compare_response(known, response, is_success=True))

    def compare_response(self, old: Piece, new: Piece, *, is_success: bool) -> Iterator[Change]:
        for found in self.compare_piece("responses", old, new, "", "response"):
            yield replace(found, breaking=found.breaking and (is_success or not found.place.startswith("content ")))
        yield from compare_notes(old, new, is_request=False)
        before, after = (
            {
                name.lower(): (name, resolve(document, header))
                for name, header in each.get("headers", {}).items()
                if name.lower() not in IGNORED_HEADERS
            }
            for document, each in ((self.old, old), (self.new, new))
        )
        for key in sorted(before.keys() | after.keys()):
            place = f"header {(before.get(key) or after[key])[0]}"
            if key in before and key in after:
                yield from self.compare_piece("headers", before[key][1], after[key][1], place, "response")
            else:
                yield Change(place, "removed" if key in before else "new", breaking=key in before)

    def compare_piece(self, kind: str, old: Piece, new: Piece, place: str, side: Side) -> Iterator[Change]:
        """A parameter, body, response or header: whether it must be there, and its schema or media types."""
        if bool(old.get("required")) != (must_now := bool(new.get("required"))):
            what = "mandatory now" if must_now else "not mandatory any more"
            yield Change(place, what, must_now == (side == "request"))
        if kind in ("parameters", "headers") and ("content" in old) != ("content" in new):
            yield Change(place, f"written as {form(old)} -> {form(new)}", breaking=True)
        elif "schema" in old or "schema" in new:
            yield from within(place, self.schemas.compare(old.get("schema", True), new.get("schema", True), side))
        before, after = media_types(old), media_types(new)
        for media in sorted(before.keys() | after.keys()):
            where = f"{place} content {media}".strip()
            if media in before and media in after:
                one, other = before[media], after[media]
                found = self.schemas.compare(one.get("schema", True), other.get("schema", True), side)
                yield from within(place, found)
                yield from self.rest("media", one, other, where)
            elif kind in ("requestBodies", "responses") or (before and after):
                is_gone = media in before
                yield Change(where, "removed" if is_gone else "new", breaking=is_gone or side != "request")
        yield from self.rest(kind, old, new, place)

    def compare_models(self) -> Iterator[Change]:
        """Classes of the client that change their names while the messages stay as they are."""
        before, after = set(classes(self.old)), set(self.new.get("components", {}).get("schemas", {}))
        for (name, now), place in self.models.items():
            what = f"named {now or '(none)'} now: the model's class changes, the wire does not"
            where = f"model {name}" if name in before - after else f"model {name} at {place or 'the top'}"
            yield Change(where, what, breaking=True, reach="client")
        for name in sorted(before - after - {name for name, _ in self.models}):
            yield Change(f"model {name}", "removed: its class is gone", breaking=True, reach="client")

    def rest(self, kind: str, old: Piece, new: Piece, place: str) -> Iterator[Change]:
        """What has no comparison of its own must be the same."""
        before, after = (
            {
                **defaults(kind, each),
                **{key: each[key] for key in each if key not in COMPARED[kind] and not is_text(key)},
            }
            for each in (old, new)
        )
        if words := sorted(
            key
            for key in before.keys() | after.keys()
            if not self.is_same(inner(kind, key), before.get(key), after.get(key))
        ):
            said = ", ".join(f"`{word}`" for word in words)
            yield Change(place, f"changed beyond comparison: {said}", breaking=True)

    def is_same(self, kind: str, old: Any, new: Any) -> bool:
        """Whether two parts of the documents differ in nothing but texts and names of components."""
        ahead, seen = [(kind, old, new)], set[tuple[int, int]]()
        while ahead:
            kind, one, other = ahead.pop()
            one, other = behind(self.old, one), behind(self.new, other)
            if isinstance(one, dict) and isinstance(other, dict) and kind != DATA:
                if (id(one), id(other)) in seen:
                    continue
                seen.add((id(one), id(other)))
                keys = [key for key in {**one, **other} if kind[0] == "{" or not is_text(key)]
                if any((key in one) != (key in other) for key in keys):
                    return False
                if "$ref" in keys and kind[0] != "{":
                    keys.remove("$ref")
                    ahead.append((kind, find(self.old, one["$ref"]), find(self.new, other["$ref"])))
                ahead += ((inner(kind, key), one[key], other[key]) for key in keys)
            elif isinstance(one, list) and isinstance(other, list) and kind[0] == "[" and len(one) == len(other):
                ahead += ((kind[1:-1], *both) for both in zip(one, other, strict=True))
            elif canonical(one) != canonical(other):
                return False
        return True


def behind(document: Document, written: Any) -> Any:
    """What a reference with nothing but texts beside it leads to."""
    seen = set[str]()
    while (
        isinstance(written, dict)
        and isinstance(reference := written.get("$ref"), str)
        and not written.keys() - PROSE - {"$ref"}
    ):
        if reference in seen:
            return None
        seen.add(reference)
        written = find(document, reference)
    return written


def defaults(kind: str, piece: Piece) -> dict[str, Any]:
    """What holds for a parameter or header that does not say it."""
    if kind not in ("parameters", "headers"):
        return {}
    style = STYLES.get(piece.get("in", ""), "simple")
    return {**DEFAULTS, "style": style, "explode": piece.get("style", style) == "form"}


def form(piece: Piece) -> str:
    return ", ".join(piece["content"]) if "content" in piece else "text"


def media_types(piece: Piece) -> dict[str, Piece]:
    """By their names in lower case, without the encoding of characters that JSON has anyhow."""
    found = {}
    for written, content in piece.get("content", {}).items():
        name, *parameters = (part.strip().lower().replace(" ", "").replace('"', "") for part in written.split(";"))
        found["; ".join([name, *sorted(each for each in parameters if each != "charset=utf-8")])] = content
    return found


def come_or_gone(place: str, now: Piece | None, *, removed: str) -> Change:
    """The change of a part that a request has only before or only now."""
    if not now:
        return Change(place, removed, breaking=True)
    return Change(place, "new and mandatory" if now.get("required") else "new", breaking=bool(now.get("required")))


def within(place: str, found: Iterable[Change]) -> Iterator[Change]:
    yield from (replace(change, place=f"{place} {change.place}".strip()) for change in found)


def classes(document: Document) -> Iterator[str]:
    """Components that the generator makes classes of: objects and lists of values."""
    schemas = Schemas(document)
    for name, written in document.get("components", {}).get("schemas", {}).items():
        if "enum" in written or any(case.model for case in schemas.shape(schemas.together(written)).cases):
            yield name


def compare(name: str, old: Document, new: Document) -> list[Change]:
    """Every change from the old state of the document to the new one, in no order; one of texts is not more."""
    changes = list(DocumentComparison(name, old, new).changes())
    if not changes and old != new:
        return [Change("", f"nothing changed but {UNNOTICED}", breaking=False, reach="text", document=name)]
    return changes
