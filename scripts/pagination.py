"""What an operation's `x-pagination` means for the generated code; `openapi/README.md` describes the extension."""

from __future__ import annotations

from collections.abc import Mapping

from parsed import Field, Model, Operation, Value

NEEDED = {"in", "limit", "position", "counts", "first", "items"}
ALLOWED = NEEDED | {"largest", "total", "id", "setting", "x-assumption"}
SETTING = "offset_unit"


class PaginationError(Exception):
    """The extension names something that is not there."""


class Pagination:
    """How one operation pages; raises `PaginationError`."""

    def __init__(self, operation: Operation, models: Mapping[str, Model]) -> None:
        self.written = written = operation.written["x-pagination"]
        self.operation = operation
        self.models = models
        if wrong := (NEEDED - written.keys()) | (written.keys() - ALLOWED):
            raise PaginationError(f"these members are missing or unknown: {', '.join(sorted(wrong))}")
        for member, allowed in (("in", ["query", "body"]), ("counts", ["pages", "records"]), ("setting", [SETTING])):
            if written.get(member, allowed[0]) not in allowed:
                raise PaginationError(f"`{member}` is one of: {', '.join(allowed)}")
        if any(type(written.get(member, 0)) is not int for member in ("first", "largest")):
            raise PaginationError("`first` and `largest` are whole numbers")
        self.in_body = written["in"] == "body"
        self.limit, self.position = self._parameter(written["limit"]), self._parameter(written["position"])
        bodies = [success.value for success in operation.successes if success.value]
        response = next((value for value in bodies if value.kind == "object"), None)
        items, found = self._path(response, written["items"])
        if not (listed := next((part for part in found.branches if part.kind == "list"), None)):
            raise PaginationError(f"`{written['items']}` is not a list")
        self.item = listed.parts[0].not_null
        self.constant = {
            "limit": self.limit,
            "position": self.position,
            "in_body": self.in_body,
            "counts": written["counts"],
            "is_counting_set": "setting" in written,
            "first": written["first"],
            "largest": written.get("largest"),
            "items": items,
            "total": self._path(response, written["total"])[0] if "total" in written else (),
            "id": self._path(self.item, written["id"])[0] if "id" in written else (),
        }

    @staticmethod
    def name_of(operation: Operation) -> str:
        """The operation's name without its verb, after `iter_`."""
        return f"iter_{operation.name.partition('_')[2]}"

    @property
    def name(self) -> str:
        return self.name_of(self.operation)

    @property
    def is_body_optional(self) -> bool:
        return self.in_body and not any(field.is_required for field in self._model(self.operation.body).fields)

    @property
    def given(self) -> str:
        """The expression for what the caller gave."""
        if self.in_body:
            return "{} if body is ABSENT else body" if self.is_body_optional else "body"
        return f'{{"{self.limit}": {self.limit}, "{self.position}": {self.position}}}'

    @property
    def moved(self) -> list[str]:
        """The arguments that the cursor sets."""
        return ["body"] if self.in_body else [self.limit, self.position]

    @property
    def promise(self) -> str:
        """What the iterator guarantees."""
        size = f"{self.written['largest']} records, the most that is allowed," if "largest" in self.written else ""
        unit = "record" if self.written["counts"] == "records" else "page"
        named = self.written.get("id")
        or_twice = "" if named else " or come twice"
        of_body = " of the body" if self.in_body else ""
        sentences = [
            "Asks for a page when its first record is wanted.",
            f"A page has {size} unless `{self.limit}`{of_body} says otherwise." if size else "",
            f"Starts at `{self.position}`{of_body}, or at the first {unit}.",
            f"No record comes twice: `{named}` identifies it." if named else "",
            f"Records that come or go meanwhile move the others: some can be missed{or_twice}.",
        ]
        if "setting" in self.written:
            sentences.append(f"What `{self.position}` counts is the client's `{SETTING}`, by default {unit}s.")
        return " ".join(sentence for sentence in sentences if sentence)

    def parameters(self, described: list[dict[str, str]]) -> list[dict[str, str]]:
        """The descriptions of the operation's parameters, with those of limit and position as they are here."""
        most = f"; {self.written['largest']} if left out" if "largest" in self.written else ""
        own = {
            self.limit: f"Records per page{most}.",
            self.position: f"Where to start, counted in {self.written['counts']} from {self.written['first']}.",
        }
        return [parameter | {"text": own.get(parameter["python_name"], parameter["text"])} for parameter in described]

    def _parameter(self, name: str) -> str:
        if self.in_body:
            if self.operation.body is None or name not in self._fields(self.operation.body):
                raise PaginationError(f"the body has no member `{name}`")
            return name
        for parameter in self.operation.parameters:
            if (parameter.location, parameter.name) == ("query", name):
                return parameter.python_name
        raise PaginationError(f"the query has no parameter `{name}`")

    def _path(self, value: Value | None, path: str) -> tuple[tuple[str, ...], Value]:
        """The attributes that lead to the field, and its value."""
        attributes, here = [], value
        for step in path.split("."):
            fields = self._fields(here)
            if step not in fields:
                raise PaginationError(f"`{path}` does not exist: it has no `{step}`")
            here = fields[step].value
            attributes.append(fields[step].python_name)
        assert here is not None  # noqa: S101 - a path has at least one step
        return tuple(attributes), here

    def _fields(self, value: Value | None) -> dict[str, Field]:
        return {field.name: field for field in self._model(value).fields}

    def _model(self, value: Value | None) -> Model:
        objects = [part for part in value.branches if part.kind == "object"] if value else []
        if len(objects) == 1:
            return self.models[objects[0].name]
        raise PaginationError("a step on its way is not one object")
