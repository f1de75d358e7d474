"""Conditions of lists that a run tries: some that an item of the list meets, and some that nothing meets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from modelarts_contract.seen import dig, moment

__all__ = ["NO_TEXT", "SPECIAL", "conditions"]

NO_TEXT = "no-such-thing"
SPECIAL = "'\"%_\\;äöü"  # a text that a service may stumble over


def conditions(
    name: str, rule: Mapping[str, Any], items: list[Any], enum: Collection[Any], known: Collection[str]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Conditions of a parameter, each with an item that meets it, or None; no page says what finds an unknown value."""
    item = next((each for each in items if isinstance(each, dict)), None)
    if "members" in rule and "operator" in rule:  # `key:text`
        for key, member in rule["members"].items():
            yield from (({name: f"{key}:{text}"}, met) for text, met in searched(dig(item, member), item))
    elif "members" in rule:
        yield from structured(name, rule["members"], item)
    elif rule["operator"] == "tags":
        tagged = next((each for each in items if dig(each, f"{rule['member']}.0")), None)
        if tagged is not None:
            tag = dig(tagged, f"{rule['member']}.0")
            yield {name: [{"key": dig(tag, "key"), "values": [dig(tag, "value")]}]}, tagged
        yield {name: [{"key": NO_TEXT}]}, None
    elif rule["operator"] == "period-ms":
        time_s = moment(str(dig(item, rule["member"])))
        for before_s, met in ((1, item), (3600, None)):
            start_ms = round(((time_s or 0) - before_s) * 1000)
            if time_s:
                yield {name: str(start_ms), rule["until"]: str(start_ms + 2000)}, met
    elif rule["operator"] == "equal":
        found = {str(value) for each in items if (value := dig(each, rule["member"])) is not None}
        for value in sorted(found & set(known) if known else found)[:3]:
            yield {name: value}, next(each for each in items if str(dig(each, rule["member"])) == value)
        yield from (({name: value}, None) for value in enum)
    else:
        yield from (({name: text}, met) for text, met in searched(dig(item, rule["member"]), item))


def structured(name: str, members: Mapping[str, str], item: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Conditions that are objects with key, operator and values."""

    def condition(key: str, operator: str, *values: Any) -> dict[str, Any]:
        return {name: [{"key": key, "operator": operator, "value": [str(value) for value in values]}]}

    for key, member in members.items():
        value = dig(item, member)
        if value is None or isinstance(value, dict | list):
            continue
        if isinstance(value, int):
            yield condition(key, "between", value - 1000, value + 1000), item  # it may be rounded
            yield condition(key, "between", 1, 2), None
            continue
        yield condition(key, "in", value), item if "phase" not in key else None
        yield condition(key, "not", value), None
        if "name" in key:
            # both have to hold
            yield {name: condition(key, "in", value)[name] + condition(key, "not", value)[name]}, None
            yield from ((condition(key, "like", text), met) for text, met in searched(value, item))


def searched(text: Any, item: Any) -> Iterator[tuple[str, Any]]:
    """A text and a part from its middle, which both find the item, and texts that find nothing."""
    whole = str(text or "")[:60]
    yield from ((part, item) for part in (whole, whole[2:-1] if len(whole) > 5 else "") if part)
    yield from ((other, None) for other in (NO_TEXT, SPECIAL))
