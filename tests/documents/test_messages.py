"""What statuses, and the texts of parameters, mean by the words of a document."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelarts_documents.messages import Notation, pairs, status_key

NUMBER: dict[str, Any] = {"type": "integer"}
TEXT: dict[str, Any] = {"type": "string"}
COLOUR: dict[str, Any] = {"type": "object", "properties": {"red": NUMBER, "name": TEXT, "is_dark": {"type": "boolean"}}}
SCALARS: dict[str, tuple[dict[str, Any], st.SearchStrategy[Any]]] = {
    "texts": (TEXT, st.text(st.characters(exclude_categories=["Cs"]), max_size=5)),
    "integers": (NUMBER, st.integers()),
    "numbers": ({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False)),
    "booleans": ({"type": "boolean"}, st.booleans()),
    "numbers or true or false": ({"type": ["boolean", "number", "null"]}, st.booleans() | st.integers()),
}


DOCUMENT: dict[str, Any] = {"components": {"schemas": {"Texts": {"type": "array", "items": TEXT}}}}


def read(parameter: dict[str, Any], query: str) -> Any:
    """What a query says of the parameter."""
    notation = Notation(DOCUMENT, {"name": "p", "in": "query", **parameter})
    return notation.read(pairs(query), jsonschema_rs.Draft202012Validator({**notation.schema, **DOCUMENT}).is_valid)


@pytest.mark.parametrize(
    ("documented", "status", "key"),
    [
        (("200", "2XX", "default"), 200, "200"),
        (("2XX", "202", "default"), 204, "2XX"),
        (("200", "2XX"), 404, None),
        (("2XX", "default"), 404, "default"),
        (("4XX", "404", "default"), 404, "404"),
        (("5XX", "4XX"), 503, "5XX"),
        (("default",), 400, "default"),
        (("default",), 200, None),
        ((), 200, None),
    ],
)
def test_a_status_goes_before_its_range_and_a_range_before_the_default(
    documented: tuple[str, ...], status: int, key: str | None
) -> None:
    """And the default stands for rejections only."""
    assert status_key(dict.fromkeys(documented), status) == key


@pytest.mark.parametrize(
    ("parameter", "query", "value"),
    [
        ({"schema": {"type": "array", "items": TEXT}}, "p=a&q=c&p=b%2Cc", ["a", "b,c"]),
        ({"schema": {"type": "array", "items": TEXT}}, "p=a", ["a"]),
        ({"schema": {"type": "array", "items": TEXT}}, "p=", [""]),
        ({"schema": {"type": "array", "items": TEXT}}, "q=a", None),
        ({"explode": False, "schema": {"type": "array", "items": TEXT}}, "p=a,b%2Cc,d+e", ["a", "b,c", "d e"]),
        ({"explode": False, "schema": {"type": "array", "items": NUMBER}}, "p=1%2C2", [1, 2]),
        ({"explode": False, "schema": {"type": "array", "items": NUMBER}}, "p=", []),
        ({"style": "pipeDelimited", "schema": {"type": "array", "items": NUMBER}}, "p=1%7C2|3", [1, 2, 3]),
        ({"style": "spaceDelimited", "schema": {"type": "array", "items": TEXT}}, "p=a%20b+c", ["a", "b", "c"]),
        ({"style": "pipeDelimited", "explode": True, "schema": {"type": "array", "items": NUMBER}}, "p=1&p=2", [1, 2]),
        ({"schema": COLOUR}, "red=1&name=2&q=5&is_dark=true", {"red": 1, "name": "2", "is_dark": True}),
        ({"explode": False, "schema": COLOUR}, "p=red,1,name,a%2Cb", {"red": 1, "name": "a,b"}),
        ({"style": "pipeDelimited", "schema": COLOUR}, "p=red|1|name|2", {"red": 1, "name": "2"}),
        ({"style": "deepObject", "schema": COLOUR}, "p%5Bred%5D=1&p[name]=a&red=7", {"red": 1, "name": "a"}),
        ({"style": "deepObject", "schema": COLOUR}, "p=1", None),
        ({"schema": {"type": "object", "additionalProperties": NUMBER}}, "a=1&b=2", {"a": 1, "b": 2}),
        ({"content": {"application/json": {"schema": {"type": "array"}}}}, "p=%5B1%2C%22a%22%5D", [1, "a"]),
        ({"content": {"application/json": {"schema": {"type": "array"}}}}, "p=[1", "[1"),
        ({"schema": NUMBER}, "p=5", 5),
        ({"schema": NUMBER}, "p=5.0", "5.0"),
        ({"schema": NUMBER}, "p=" + "9" * 5000, "9" * 5000),
        ({"schema": NUMBER}, "p=1&p=2", ["1", "2"]),
        ({"schema": {"type": "number"}}, "p=1e3", 1000.0),
        ({"schema": {"type": "number"}}, "p=nan", "nan"),
        ({"schema": {"type": "number"}}, "p=1_0", "1_0"),
        ({"schema": {"type": "boolean"}}, "p=True", "True"),
        ({"schema": TEXT}, "p=5", "5"),
        ({"schema": {}}, "p=5", "5"),
        ({"schema": {"enum": [1, 2]}}, "p=2", 2),
        ({"schema": {"type": ["integer", "null"]}}, "p=", None),
        ({"schema": {"anyOf": [{"type": "array", "items": TEXT}, NUMBER]}}, "p=5", ["5"]),
        ({"schema": {"anyOf": [{"type": "array", "items": TEXT, "minItems": 2}, NUMBER]}}, "p=5", 5),
        ({"schema": {"type": ["integer", "string"], "maxLength": 2, "maximum": 3}}, "p=9", "9"),
        ({"schema": {"type": ["string", "null"]}}, "p=null", "null"),
        ({"schema": {"type": "number"}}, "p=1e999", "1e999"),
        ({"schema": {"$ref": "#/components/schemas/Texts"}}, "p=1&p=b", ["1", "b"]),
    ],
)  # fmt: skip
def test_a_parameter_has_the_value_that_its_style_and_its_schema_say(
    parameter: dict[str, Any], query: str, value: Any
) -> None:
    """A text that a schema does not allow is given as it is, for a validator to say what is wrong with it."""
    found = read(parameter, query)

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("place", ["path", "header"])
def test_a_list_in_a_path_or_a_header_has_commas(place: str) -> None:
    """They are decoded as a whole."""
    notation = Notation({}, {"name": "p", "in": place, "schema": {"type": "array", "items": NUMBER}})

    assert notation.read([("p", "1,2")], lambda value: isinstance(value, list)) == [1, 2]


@pytest.mark.parametrize("name", SCALARS)
@given(data=st.data())
def test_what_httpx_sends_is_read_back(name: str, data: st.DataObject) -> None:
    """Of every type, and lists of it with at least one entry."""
    schema, values = SCALARS[name]
    value, entries = data.draw(values), data.draw(st.lists(values, min_size=1))

    for sent, parameter in ((value, {"schema": schema}), (entries, {"schema": {"type": "array", "items": schema}})):
        query = urlsplit(str(httpx.URL("http://a", params={"o": "", "p": sent, "q": "1"}))).query
        assert json.dumps(read(parameter, query)) == json.dumps(sent), query


@given(entries=st.lists(SCALARS["texts"][1], min_size=2))
def test_a_list_with_separators_is_read_back_although_its_texts_have_some(entries: list[str]) -> None:
    query = "p=" + ",".join(quote(entry, safe="") for entry in entries)

    assert read({"explode": False, "schema": {"type": "array", "items": TEXT}}, query) == entries


@pytest.mark.parametrize(
    ("parameter", "known", "unknown"),
    [
        ({"schema": TEXT}, ["p"], ["q", "p[a]"]),
        ({"schema": COLOUR}, ["red", "name"], ["q"]),
        ({"schema": {"type": "object", "additionalProperties": True}}, ["anything"], []),
        ({"style": "deepObject", "schema": COLOUR}, ["p[red]", "p[q]"], ["red", "p"]),
    ],
)
def test_an_object_has_names_of_its_own_in_a_query(
    parameter: dict[str, Any], known: list[str], unknown: list[str]
) -> None:
    notation = Notation({}, {"name": "p", "in": "query", **parameter})

    assert [name for name in known + unknown if notation.owns(name)] == known
