"""JSON as it is sent."""

from __future__ import annotations

import json

from modelarts_emulator.http.json import encode, flow


def test_an_object_in_pieces_is_the_json_of_the_whole() -> None:
    texts = ['ä\n"', "", "\\\u2028"]

    pieces = list(flow("text", texts, {"b": 1, "c": None}).pieces)

    assert json.loads("".join(pieces)) == {"text": "".join(texts), "b": 1, "c": None}
    assert len(pieces) > len(texts)


def test_a_whole_number_of_any_size_keeps_all_its_digits() -> None:
    assert encode({"duration": 10**30, "text": "ä"}) == '{"duration":1000000000000000000000000000000,"text":"ä"}'
