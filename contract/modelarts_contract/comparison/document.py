"""Compare two bundled documents: operations with their parameters, bodies, responses, security and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from .change import Change
from .notes import compare_notes
from .operation import Document, Operation, Part, pairs
from .schema import Comparison
from .shape import NAMED, Schema

NAMES = NAMED | {"content", "headers", "parameters", "paths", "responses", "schemas", "securitySchemes", "variables"}


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
            found: Iterable[Change] = ()
            if after is None and before is not None:
                found = [Change("", f"removed ({before.route})", breaking=True)]
            elif before is None and after is not None:
                found = [Change("", f"new ({after.route})", breaking=False)]
            elif before is not None and after is not None:
                found = self.compare_operations(before, after)
            name = before.name if before else after.name if after else ""
            yield from (replace(change, document=self.name, operation=name) for change in found)
        found = [
            *self.compare_models(),
            *rest("document", Part(self.old, self.old, ""), Part(self.new, self.new, ""), ""),
        ]
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
        yield from compare_notes(old.part.written, new.part.written, is_request=True)
        yield from compare_security(old, new)
        yield from self.compare_parameters(old, new)
        yield from self.compare_bodies(old.part.inner("requestBody"), new.part.inner("requestBody"))
        yield from self.compare_responses(old.part.inner("responses"), new.part.inner("responses"))
        yield from rest("operation", old.part, new.part, "")

    def compare_parameters(self, old: Operation, new: Operation) -> Iterator[Change]:
        before, after = old.parameters(), new.parameters()
        moved = old.signature != new.signature
        for key in sorted(before.keys() | after.keys()):
            one, other = before.get(key), after.get(key)
            if key[0] == "path" and moved and (one is None or other is None):
                continue  # the change of the path says it
            if one is None and other is not None:
                what = "new and mandatory" if other.is_required else "new"
                yield Change(f"{key[0]} {other.written['name']}", what, breaking=other.is_required)
            elif other is None and one is not None:
                yield Change(f"{key[0]} {one.written['name']}", "removed", breaking=True)
            elif one is not None and other is not None:
                yield from self.compare_parameter(one, other, f"{key[0]} {one.written['name']}")

    def compare_parameter(self, old: Part, new: Part, place: str) -> Iterator[Change]:
        if old.written["in"] == "path" and old.written["name"] != new.written["name"]:
            what = f"named {new.written['name']} now: calls by keyword break, the wire stays"
            yield Change(place, what, breaking=True, reach="client")
        yield from compare_required(old, new, place)
        yield from within(place, compare_notes(old.written, new.written, is_request=True))
        yield from self.compare_contents(old, new, place, self.requests)
        yield from rest("parameter", old, new, place)

    def compare_bodies(self, old: Part, new: Part) -> Iterator[Change]:
        if old.written and not new.written:
            yield Change("request", "removed: the operation takes no body", breaking=True)
        elif new.written and not old.written:
            yield Change("request", "new and mandatory" if new.is_required else "new", breaking=new.is_required)
        elif new.written:
            yield from compare_required(old, new, "request")
            yield from self.compare_contents(old, new, "request", self.requests)
            yield from rest("body", old, new, "request")

    def compare_responses(self, old: Part, new: Part) -> Iterator[Change]:
        """Differences that several statuses share are reported once."""
        reported: dict[Change, list[str]] = {}
        for status in sorted(old.written.keys() | new.written.keys()):
            if not status.startswith("x-"):
                for found in self.compare_status(status, old, new):
                    reported.setdefault(found, []).append(status)
        for found, statuses in reported.items():
            yield replace(found, place=f"response {','.join(statuses)} {found.place}".strip())

    def compare_status(self, status: str, old: Part, new: Part) -> Iterator[Change]:
        """A success may have another status if its content stays: clients take every 2xx for a success."""
        is_success = status[0] in "123"
        if status in old.written and status in new.written:
            yield from self.compare_response(old.inner(status), new.inner(status), is_success=is_success)
        elif status in old.written:
            others = [new.inner(other) for other in new.written if other[0] in "123" and other not in old.written]
            if is_success and (same := [other for other in others if self.can_be_read_as(other, old.inner(status))]):
                what = f"{same[0].place.rpartition('/')[2]} instead, with the same content"
                yield Change("", what, breaking=False)
            else:
                yield Change("", "removed", breaking=is_success)
        else:
            known = [old.inner(other) for other in old.written if other[0] in "123"]
            expected = not is_success or any(self.can_be_read_as(new.inner(status), other) for other in known)
            what = "new" if expected else "new, with a content that no other success has"
            yield Change("", what, breaking=not expected)

    def can_be_read_as(self, response: Part, known: Part) -> bool:
        """Whether a client that knows the one response copes with the other."""
        probe = DocumentComparison(self.name, self.old, self.new)  # its models are nobody's new names
        return not any(found.breaking for found in probe.compare_response(known, response, is_success=True))

    def compare_response(self, old: Part, new: Part, *, is_success: bool) -> Iterator[Change]:
        for found in self.compare_contents(old, new, "", self.responses):
            yield replace(found, breaking=found.breaking and (is_success or not found.place.startswith("content ")))
        yield from compare_notes(old.written, new.written, is_request=False)
        before, after = old.inner("headers"), new.inner("headers")
        known = {name.lower(): name for name in before.written}
        known_now = {name.lower(): name for name in after.written}
        for key in sorted(known.keys() | known_now.keys()):
            place = f"header {known.get(key) or known_now[key]}"
            if key not in known_now:
                yield Change(place, "removed", breaking=True)
            elif key not in known:
                yield Change(place, "new", breaking=False)
            else:
                one, other = before.inner(known[key]), after.inner(known_now[key])
                yield from compare_required(one, other, place, is_request=False)
                yield from self.compare_contents(one, other, place, self.responses)
                yield from rest("header", one, other, place)
        yield from rest("response", old, new, "")

    def compare_contents(self, old: Part, new: Part, place: str, schemas: Comparison) -> Iterator[Change]:
        """Media types with their schemas; and the schema of a parameter or header."""
        if "schema" in old.written or "schema" in new.written:
            yield from within(place, schemas.compare(old.schema(), new.schema()))
        before, after = old.inner("content"), new.inner("content")
        for kind in sorted(before.written.keys() | after.written.keys()):
            where = f"{place} content {kind}".strip()
            if kind not in after.written:
                yield Change(where, "removed", breaking=True)
            elif kind not in before.written:
                yield Change(where, "new", breaking=not schemas.is_request)
            else:
                one, other = before.inner(kind), after.inner(kind)
                yield from within(place, schemas.compare(one.schema(), other.schema()))
                yield from rest("media type", one, other, where)

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


def rest(kind: str, old: Part, new: Part, place: str) -> Iterator[Change]:
    """What has no comparison of its own must be the same."""
    if old.rest(kind) != new.rest(kind):
        places = f"(was {old.place or 'the document'}, is {new.place or 'the document'})"
        yield Change(place, f"changed beyond comparison: the {kind} {places}", breaking=True)


def within(place: str, found: Iterator[Change]) -> Iterator[Change]:
    yield from (replace(change, place=f"{place} {change.place}".strip()) for change in found)


def compare_required(old: Part, new: Part, place: str, *, is_request: bool = True) -> Iterator[Change]:
    if old.is_required != new.is_required:
        what = "mandatory now" if new.is_required else "not mandatory any more"
        yield Change(place, what, breaking=new.is_required == is_request)


def compare_security(old: Operation, new: Operation) -> Iterator[Change]:
    before, after = old.security(), new.security()
    if before != after:
        rejected = any(not any(way <= known for way in after) for known in before)
        what = "what let a client in does not suffice any more" if rejected else "more ways to be let in"
        yield Change("security", what, breaking=rejected)


def classes(document: Document) -> Iterator[str]:
    """Components that the generator makes classes of: objects and lists of values."""
    for name, written in document.get("components", {}).get("schemas", {}).items():
        schema = Schema(document, written, f"components/schemas/{name}")
        if "enum" in written or schema.shape().kinds.get("object", {}).get("model"):
            yield name


def compare(name: str, old: Document, new: Document) -> Iterator[Change]:
    """Every change from the old state of the document to the new one, in no order; one of texts is not more."""
    changes = list(DocumentComparison(name, old, new).changes())
    if not changes and old != new:
        what = "nothing changed but descriptions, examples, links and the like"
        changes = [Change("", what, breaking=False, reach="text", document=name)]
    yield from changes
