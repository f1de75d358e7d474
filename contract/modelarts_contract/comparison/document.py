"""Compare two bundled documents: operations with their parameters, bodies, responses, security and names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .change import Change, Reach
from .operation import TEXTS_OF_DOCUMENT, Document, Operation, Part, pairs
from .schema import Comparison, Difference, Direction
from .shape import NAMED, Schema, is_text

NAMES = NAMED | {"content", "headers", "parameters", "paths", "responses", "schemas", "securitySchemes", "variables"}
STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


@dataclass
class DocumentComparison:
    """One comparison of two states of a document."""

    name: str
    old: Document
    new: Document
    requests: Comparison = field(default_factory=lambda: Comparison("request"))
    responses: Comparison = field(default_factory=lambda: Comparison("response"))

    def changes(self) -> Iterator[Change]:
        for before, after in pairs(self.old, self.new):
            if after is None and before is not None:
                yield self.change(before, "", f"removed ({before.route})", breaking=True)
            elif before is None and after is not None:
                yield self.change(after, "", f"new ({after.route})", breaking=False)
            elif before is not None and after is not None:
                yield from self.compare_operations(before, after)
        yield from self.compare_models()
        yield from self.rest(None, "document", Part(self.old, self.old, ""), Part(self.new, self.new, ""), "")
        for place in texts(self.old, self.new):
            yield Change(self.name, "", place, "changed", breaking=False, reach="text")

    def change(
        self, operation: Operation | None, place: str, what: str, *, breaking: bool, reach: Reach = "wire"
    ) -> Change:
        return Change(self.name, operation.name if operation else "", place, what, breaking, reach)

    def rest(self, operation: Operation | None, kind: str, old: Part, new: Part, place: str) -> Iterator[Change]:
        """What has no comparison of its own must be the same."""
        if old.rest(kind) != new.rest(kind):
            places = f"(was {old.place or 'the document'}, is {new.place or 'the document'})"
            yield self.change(operation, place, f"changed beyond comparison: the {kind} {places}", breaking=True)

    def compare_operations(self, old: Operation, new: Operation) -> Iterator[Change]:
        if old.name != new.name:
            what = f"operationId is {new.name}: the method's name changes, the wire does not"
            yield self.change(old, "", what, breaking=True, reach="client")
        if old.signature != new.signature:
            yield self.change(old, "", f"{old.route} -> {new.route}", breaking=True)
        if old.tags[0] != new.tags[0]:
            what = f"tag {old.tags[0]} -> {new.tags[0]}: the method moves to another class, the wire stays"
            yield self.change(old, "", what, breaking=True, reach="client")
        if old.tags[1:] != new.tags[1:]:
            yield self.change(old, "tags", "changed", breaking=False, reach="text")
        yield from self.compare_iterators(old, new)
        yield from self.compare_security(old, new)
        yield from self.compare_parameters(old, new)
        yield from self.compare_bodies(old, new)
        yield from self.compare_responses(old, new)
        yield from self.rest(old, "path item", old.item, new.item, "")
        yield from self.rest(old, "operation", old.part, new.part, "")

    def compare_iterators(self, old: Operation, new: Operation) -> Iterator[Change]:
        """An operation with `x-pagination` has an iterator in the client: what that takes and gives must stay."""
        before, after = (each.part.written.get("x-pagination") or {} for each in (old, new))
        moved = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        if before and not after:
            yield self.change(old, "iterator", "removed", breaking=True, reach="client")
        elif after and not before:
            yield self.change(old, "iterator", "new", breaking=False, reach="client")
        elif moved:
            breaking = bool(moved & {"in", "items", "limit", "position", "setting"})
            what = f"pages otherwise: {', '.join(sorted(moved))}"
            yield self.change(old, "iterator", what, breaking=breaking, reach="client")

    def compare_security(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = old.security(), new.security()
        if before != after:
            rejected = any(not any(way <= known for way in after) for known in before)
            what = "what let a client in does not suffice any more" if rejected else "more ways to be let in"
            yield self.change(old, "security", what, breaking=rejected)

    def compare_parameters(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = old.parameters(), new.parameters()
        moved = old.signature != new.signature
        for key in sorted(before.keys() | after.keys()):
            where = key[0]
            one, other = before.get(key), after.get(key)
            if where == "path" and moved and (one is None or other is None):
                continue  # the change of the path says it
            if one is None and other is not None:
                must = bool(other.written.get("required"))
                place = f"{where} {other.written['name']}"
                yield self.change(old, place, "new and mandatory" if must else "new", breaking=must)
            elif other is None and one is not None:
                yield self.change(old, f"{where} {one.written['name']}", "removed", breaking=True)
            elif one is not None and other is not None:
                yield from self.compare_parameter(old, one, other)

    def compare_parameter(self, operation: Operation, old: Part, new: Part) -> Iterator[Change]:
        where, name = old.written["in"], old.written["name"]
        place = f"{where} {name}"
        if where == "path" and name != new.written["name"]:
            what = f"named {new.written['name']} now: calls by keyword break, the wire stays"
            yield self.change(operation, place, what, breaking=True, reach="client")
        yield from self.compare_demand(operation, place, old, new)
        if style(old, where) != style(new, where):
            yield self.change(operation, place, f"style {style(old, where)} -> {style(new, where)}", breaking=True)
        yield from self.compare_contents(operation, place, old, new, "request")
        yield from self.rest(operation, "parameter", old, new, place)

    def compare_demand(self, operation: Operation, place: str, old: Part, new: Part) -> Iterator[Change]:
        must, must_now = bool(old.written.get("required")), bool(new.written.get("required"))
        if must != must_now:
            what = "mandatory now" if must_now else "not mandatory any more"
            yield self.change(operation, place, what, breaking=must_now)

    def compare_bodies(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = old.part.inner("requestBody"), new.part.inner("requestBody")
        if not before.written and not after.written:
            return
        if not after.written:
            yield self.change(old, "request", "removed: the operation takes no body", breaking=True)
        elif not before.written:
            must = bool(after.written.get("required"))
            yield self.change(old, "request", "new and mandatory" if must else "new", breaking=must)
        else:
            yield from self.compare_demand(old, "request", before, after)
            yield from self.compare_contents(old, "request", before, after, "request")
            yield from self.rest(old, "body", before, after, "request")

    def compare_responses(self, old: Operation, new: Operation) -> Iterator[Change]:
        """Differences that several statuses share are reported once."""
        before, after = old.part.inner("responses"), new.part.inner("responses")
        reported: dict[tuple[str, str, bool], list[str]] = {}
        for status in sorted(before.written.keys() | after.written.keys()):
            for place, what, breaking in self.compare_status(status, before, after):
                reported.setdefault((place, what, breaking), []).append(status)
        for (place, what, breaking), statuses in reported.items():
            where = f"response {','.join(statuses)} {place}".strip()
            yield self.change(old, where, what, breaking=breaking)

    def compare_status(self, status: str, old: Part, new: Part) -> Iterator[tuple[str, str, bool]]:
        success = status[0] in "123"
        if status.startswith("x-"):
            return
        if status not in new.written:
            yield "", "removed", success
            return
        response = new.inner(status)
        if status not in old.written:
            known = [old.inner(other) for other in old.written if other[0] in "123"]
            expected = not success or any(self.can_be_read_as(response, other) for other in known)
            yield "", "new" if expected else "new, with a content that no other success has", not expected
            return
        yield from self.compare_response(old.inner(status), response, success=success)

    def can_be_read_as(self, response: Part, known: Part) -> bool:
        """Whether a client that knows the one response copes with the other."""
        probe = DocumentComparison(self.name, self.old, self.new)  # its models are nobody's new names
        return not any(breaking for _, _, breaking in probe.compare_response(known, response, success=True))

    def compare_response(self, old: Part, new: Part, *, success: bool) -> Iterator[tuple[str, str, bool]]:
        for change in self.compare_contents(None, "", old, new, "response"):
            about_types = change.place.startswith("content ")
            yield change.place, change.what, change.breaking and (success or not about_types)
        before, after = old.inner("headers"), new.inner("headers")
        known = {name.lower(): name for name in before.written}
        known_now = {name.lower(): name for name in after.written}
        for key in sorted(known.keys() | known_now.keys()):
            place = f"header {known.get(key) or known_now[key]}"
            if key not in known_now:
                yield place, "removed", True
            elif key not in known:
                yield place, "new", False
            else:
                yield from self.compare_headers(place, before.inner(known[key]), after.inner(known_now[key]))
        for change in self.rest(None, "response", old, new, ""):
            yield change.place, change.what, change.breaking

    def compare_headers(self, place: str, old: Part, new: Part) -> Iterator[tuple[str, str, bool]]:
        must, must_now = bool(old.written.get("required")), bool(new.written.get("required"))
        if must != must_now:
            yield place, "mandatory now" if must_now else "not mandatory any more", must
        if style(old, "header") != style(new, "header"):
            yield place, f"style {style(old, 'header')} -> {style(new, 'header')}", True
        for change in self.compare_contents(None, place, old, new, "response"):
            yield change.place, change.what, change.breaking
        for change in self.rest(None, "header", old, new, place):
            yield change.place, change.what, change.breaking

    def compare_contents(
        self, operation: Operation | None, place: str, old: Part, new: Part, direction: Direction
    ) -> Iterator[Change]:
        """Media types with their schemas; and the schema of a parameter or header."""
        if "schema" in old.written or "schema" in new.written:
            yield from self.compare_schemas(operation, place, old, new, direction)
        before, after = old.inner("content"), new.inner("content")
        for kind in sorted(before.written.keys() | after.written.keys()):
            where = f"{place} content {kind}".strip()
            if kind not in after.written:
                yield self.change(operation, where, "removed", breaking=True)
            elif kind not in before.written:
                yield self.change(operation, where, "new", breaking=direction == "response")
            else:
                one, other = before.inner(kind), after.inner(kind)
                yield from self.compare_schemas(operation, place, one, other, direction)
                yield from self.rest(operation, "media type", one, other, where)

    def compare_schemas(
        self, operation: Operation | None, place: str, old: Part, new: Part, direction: Direction
    ) -> Iterator[Change]:
        comparison = self.requests if direction == "request" else self.responses
        for found in comparison.compare(old.schema(), new.schema()):
            yield self.change(operation, joined(place, found), found.what, breaking=found.breaking)

    def compare_models(self) -> Iterator[Change]:
        """Classes of the client that change their names while the messages stay as they are."""
        before, after = set(classes(self.old)), set(self.new.get("components", {}).get("schemas", {}))
        renamed = {**self.responses.models, **self.requests.models}
        for (name, now), place in renamed.items():
            what = f"named {now or '(none)'} now: the model's class changes, the wire does not"
            where = f"model {name}" if name in before - after else f"model {name} at {place or 'the top'}"
            yield self.change(None, where, what, breaking=True, reach="client")
        for name in sorted(before - after - {name for name, _ in renamed}):
            yield self.change(None, f"model {name}", "removed: its class is gone", breaking=True, reach="client")


def classes(document: Document) -> Iterator[str]:
    """Components that the generator makes classes of: objects and lists of values."""
    for name, written in document.get("components", {}).get("schemas", {}).items():
        schema = Schema(document, written, f"components/schemas/{name}")
        if "enum" in written or schema.shape().kinds.get("object", {}).get("model"):
            yield name


def joined(place: str, found: Difference) -> str:
    return " ".join(filter(None, [place, found.place]))


def style(part: Part, where: str) -> str:
    chosen = part.written.get("style", STYLES[where])
    return f"{chosen}{'' if part.written.get('explode', chosen == 'form') else ', not exploded'}"


def texts(old: Any, new: Any, place: str = "", *, named: bool = False) -> Iterator[str]:
    """Places where only people, or the tools of this repository, see a difference."""
    if isinstance(old, list) and isinstance(new, list):
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from texts(one, other, f"{place}/{index}")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return
    for key in sorted(old.keys() | new.keys()):
        where = f"{place}/{key}".removeprefix("/")
        one, other = old.get(key), new.get(key)
        if not named and (is_text(key) or (not place and key in TEXTS_OF_DOCUMENT) or key == "servers"):
            if one != other and key not in ("x-generated", "x-pagination"):
                yield where
        elif key == "format" and not named and one != other and "password" in (one, other):
            yield where
        else:
            yield from texts(one, other, where, named=key in NAMES and not named)


def compare(name: str, old: Document, new: Document) -> Iterator[Change]:
    """Every change from the old state of the document to the new one, in no order."""
    yield from DocumentComparison(name, old, new).changes()
