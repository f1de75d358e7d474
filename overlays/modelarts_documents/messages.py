"""What stands on the wire, by the words of a document: statuses of responses, and parameters of requests."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote_plus

from modelarts_documents.schema import Part, json_schema, members, parts

Pair = tuple[str, str]
SEPARATORS = {"spaceDelimited": " ", "pipeDelimited": "|"}  # other styles have commas
LONGEST = 400  # characters of a number
NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], Any], frozenset[str]], ...] = (
    (re.compile("-?[0-9]+"), int, frozenset({"integer", "number"})),
    (re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?"), float, frozenset({"number"})),
)


def status_key(responses: Container[str], status: int) -> str | None:
    """Which of the documented responses one with this status is: its own, that of its range, or the default.

    The default stands for rejections only. None if no response has the status.
    """
    keys = [str(status), f"{status // 100}XX", *(["default"] if status >= 400 else ())]
    return next((key for key in keys if key in responses), None)


def pairs(query: str) -> list[Pair]:
    """The names of a query, each with its value as it is written: a separator between values may be encoded in one."""
    found = (pair.partition("=") for pair in query.split("&") if pair)
    return [(unquote_plus(name), value) for name, _, value in found]


class Notation:
    """How the values of a parameter are written: its style, and the types that its schema names."""

    def __init__(self, document: Mapping[str, Any], parameter: Mapping[str, Any]) -> None:
        """`parameter` is resolved."""
        self.name: str = parameter["name"]
        self.schema = parameter.get("schema", {}) if "schema" in parameter else json_schema(parameter) or {}
        in_query = parameter["in"] in ("query", "cookie")
        style = parameter.get("style", "form" if in_query else "simple")
        self._decode: Callable[[str], str] = unquote_plus if in_query else str
        self._is_header = parameter["in"] == "header"
        self._is_json = "schema" not in parameter
        self._is_deep = style == "deepObject"
        self._is_spread = in_query and bool(parameter.get("explode", style == "form"))
        self._has_equals = not in_query and bool(parameter.get("explode"))
        self._separator = SEPARATORS.get(style, ",")
        self._document = document
        self._parts = [*parts(document, self.schema)]
        self._types = types_of(self._parts)
        self._has_members = self._is_deep or (self._is_spread and "object" in self._types)

    @property
    def is_compound(self) -> bool:
        """Whether its values may be lists or objects, so that several pairs can be one."""
        return not self._types or bool(self._types & {"array", "object"})

    def owns(self, name: str) -> bool:
        """Whether a pair with this name is the parameter's: an object may have one for each of its members."""
        if name == self.name or not self._has_members:
            return name == self.name and not self._is_deep
        if self._is_deep:
            return name.startswith(f"{self.name}[") and name.endswith("]")
        schemas = [part.schema for part in self._parts]
        return any(each.get("additionalProperties") or name in each.get("properties", ()) for each in schemas)

    def read(self, given: Iterable[Pair], is_valid: Callable[[Any], bool]) -> Any:
        """The value that the pairs stand for: of several that they may, the first valid one, or else the first.

        None if none of them is the parameter's.
        """
        mine = [pair for pair in given if (self.owns(pair[0]) if self._has_members else pair[0] == self.name)]
        if not mine:
            return None
        if len(mine) == 1 and self._types == {"string"} and not self._is_json:
            return self._decode(mine[0][1])
        readings = [*self._readings(mine)]
        return next(filter(is_valid, readings), readings[0])

    def _readings(self, mine: Sequence[Pair]) -> Iterator[Any]:
        """The values that the pairs may stand for, the most particular first."""
        texts = [self._decode(text) for _, text in mine]
        if self._is_json:
            yield from (_parsed(text) for text in texts[:1])
            return
        if "object" in self._types:
            yield from self._objects(mine)
        if "array" in self._types:
            entries = texts if self._is_spread else [each for _, text in mine for each in self._divided(text)]
            types = types_of(members(self._document, self._parts, 0))
            yield [next(_scalars(text, types)) for text in entries]
            yield [] if entries == [""] else entries
        yield from _scalars(texts[0], self._types) if len(texts) == 1 else [texts]

    def _objects(self, mine: Sequence[Pair]) -> Iterator[dict[str, Any]]:
        named = {
            name.removeprefix(self.name)[1:-1] if self._is_deep else name: self._decode(text) for name, text in mine
        }
        if not (self._is_deep or self._is_spread):
            steps = self._divided(mine[0][1])
            steps = [part for step in steps for part in step.split("=", 1)] if self._has_equals else steps
            named = dict(zip(steps[::2], steps[1::2], strict=False))
        types = {name: types_of(members(self._document, self._parts, name)) for name in named}
        yield {name: next(_scalars(text, types[name])) for name, text in named.items()}
        yield named

    def _divided(self, text: str) -> list[str]:
        """The values that separators divide: commas that are not encoded, if there are any, and other ones anyway."""
        is_plain = self._separator == "," in text
        return (
            [self._decode(each) for each in text.split(",")] if is_plain else self._decode(text).split(self._separator)
        )


def types_of(schemas: Iterable[Part]) -> frozenset[str]:
    """The types of JSON that the schemas name; none if they leave them open."""
    named = [part.schema["type"] for part in schemas if "type" in part.schema]
    return frozenset(name for each in named for name in ([each] if isinstance(each, str) else each))


def _scalars(text: str, types: frozenset[str]) -> Iterator[Any]:
    """The values of these types that a text may stand for, and the text itself, which goes first without types."""
    if not types:
        yield text
    if text in ("true", "false") and ("boolean" in types or not types):
        yield text == "true"
    if text in ("null", "") and "null" in types and "string" not in types:
        yield None
    for form, number, names in NUMBERS:
        if (names & types or not types) and len(text) <= LONGEST and form.fullmatch(text):
            value = number(text)
            yield from [value] if abs(value) != math.inf else []
    if types:
        yield text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
