"""Rules about lists: sizes of pages, totals, the same items at the same places, orders and filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.rules.memory import Memory
from modelarts_contract.seen import UUID, Seen, dig, id_place, item_id, moment, readable, texts, whole

__all__ = ["RULES", "known_values", "pages_differ"]

PAGES_S = 30.0  # how far apart two pages may be to be compared
CHANGES_PER_S = 20  # of a list, at most


def nothing_is_listed_twice(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A list has each entry once."""
    place = id_place(seen.operation)
    ids = [str(id_) for entry in seen.entries if (id_ := dig(entry, place)) is not None] if place else []
    for twice in sorted({each for each in ids if ids.count(each) > 1}):
        yield Finding.of(seen, Kind.PAGES, f"the list shows {twice} twice")


def pages_have_their_size(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A page has at most `limit` items."""
    limit = seen.limit or seen.operation.pagination.get("largest")
    if limit and len(seen.items) > limit > 0 and not turned_off(seen) and not shows_all(seen):
        yield Finding.of(seen, Kind.PAGE_SIZE, f"a page of at most {limit} has {len(seen.items)} items")


def totals_fit(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A total is not negative, not less than what pages show, and pages before the last are full."""
    total, limit = seen.total, seen.limit
    if not seen.is_success or total is None:
        return
    where = seen.operation.pagination["total"]
    if total < 0:
        yield Finding.of(seen, Kind.TOTAL, f"{where} is {total}", where)
        return
    if turned_off(seen):
        if shows_all(seen) and total != len(seen.items):
            yield Finding.of(seen, Kind.TOTAL, f"{where} is {total}, and all {len(seen.items)} items are shown", where)
        return
    end = seen.start + len(seen.items)
    is_first = (seen.number("position") or 0) <= seen.operation.pagination.get("first", 0)
    if total and not limit and not end and is_first:
        yield Finding.of(seen, Kind.TOTAL, f"{where} is {total}, and no item is shown", where)
    if seen.items and total < end:
        yield Finding.of(seen, Kind.TOTAL, f"{where} is {total}, and {end} items were shown", where)
    if limit and limit <= seen.operation.pagination.get("largest", limit) and len(seen.items) < limit and end < total:
        message = f"{where} is {total}, and a page of {limit} from item {seen.start} on has {len(seen.items)}"
        yield Finding.of(seen, Kind.TOTAL, message, where)


def pages_fit_together(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """Pages that follow each other show the same items at the same places, where nobody else can change the list.

    At a service, items may come and go between two requests: then an item has to have moved by more than that.
    """
    if seen.operation.kind != "read" and seen.is_success:
        memory.pages.clear()
    is_sorted = any(seen.given.get(name) for name in seen.operation.sorting[1:])
    if not seen.items or turned_off(seen) or is_sorted or seen.conditions:  # which items may no longer meet
        return
    path = urlsplit(seen.exchange.url).path
    pages, now = memory.pages.setdefault(path, []), seen.exchange.started_at.timestamp()
    for other in reversed(pages):
        passed_s = now - other.exchange.started_at.timestamp()
        moved = 1 + CHANGES_PER_S * passed_s if memory.lag_s else 0
        if passed_s <= PAGES_S and (text := pages_differ(other, seen, moved)):
            yield Finding.of(seen, Kind.PAGES, text)
            break
    pages.append(seen)


def pages_differ(one: Seen, other: Seen, moved: float = 0) -> str:
    """What two pages of a list contradict each other in; empty if nothing, or if items may have moved so far."""
    if not moved and one.total != other.total:
        return f"the total is {other.total} on one page, and {one.total} on another"
    ids = [[item_id(each.operation, item) for item in each.items] for each in (one, other)]
    places = {id_: one.start + number for number, id_ in enumerate(ids[0])}
    for number, id_ in enumerate(ids[1], other.start):
        before = places.get(id_, number)
        if abs(before - number) > moved and id_place(one.operation):
            return f"{id_} is item {number} of the list, and was item {before}"
        there = number - one.start
        if not moved and 0 <= there < len(ids[0]) and ids[0][there] != id_:
            return f"item {number} of the list is {id_}, and was {ids[0][there]} on another page"
    return ""


def ids_are_written_in_one_way(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """An id has the same letters in every list."""
    for item in seen.items if id_place(seen.operation) else ():
        id_ = item_id(seen.operation, item)
        known = memory.ids.setdefault(id_.casefold(), id_) if UUID.fullmatch(id_) else id_
        if known != id_:
            yield Finding.of(seen, Kind.IDENTITY, f"the id {id_} is {known} elsewhere", id_place(seen.operation))
            break


def order_is_as_asked(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A list has the order that was asked for; how a service compares punctuation is its own affair."""
    template, by, direction = seen.operation.sorting
    if not template or len(seen.items) < 2 or not (seen.given.get(by) or seen.given.get(direction)):
        return
    settings = seen.operation.settings()
    key, order = (seen.given.get(name) or settings.get(name, {}).get("default") for name in (by, direction))
    if order not in ("asc", "desc") or (by and not isinstance(key, str)):
        return
    member = template.replace(f"{{{by}}}", str(key))
    values = [value for item in seen.items if (value := dig(item, member)) not in (None, "") and not is_replaced(value)]
    for before, after in pairwise(values if order == "asc" else values[::-1]):
        if type(before) is type(after) and is_greater(before, after):
            shown = (before, after) if order == "asc" else (after, before)
            yield Finding.of(
                seen,
                Kind.ORDER,
                f"order {order} by {member}, and {readable(shown[0])} is before {readable(shown[1])}",
                member,
            )
            return


def is_greater(one: Any, other: Any) -> bool:
    """Whether it is greater in every order that a service may use, of which each language has its own."""
    if not isinstance(one, str):
        return bool(one > other)
    if not (one + other).isascii():
        return False
    forms: tuple[Callable[[str], Any], ...] = (str, str.casefold, lambda text: re.sub(r"[\W_]+", "", text).casefold())
    return all(form(one) > form(other) for form in forms)


def filters_hold(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A list has only what meets its conditions."""
    items = seen.entries
    for name, rule in seen.operation.contract.get("filters", {}).items() if items else ():
        given = seen.query.get(name, dig(seen.sent, name))
        until = seen.query.get(rule.get("until", ""))
        if "unless" in rule and dig(seen.sent, rule["unless"]):
            continue
        for member, operator, values in conditions_of(rule, [given, until] if until else given):
            known = known_values(seen, member)
            wrong = next((item for item in items if not meets(item, member, operator, values, known)), None)
            if wrong is not None:
                shown = dig(wrong, member) if member else item_id(seen.operation, wrong)
                text = f"{member or name} {operator} {', '.join(map(readable, values))}, and {readable(shown)} is shown"
                yield Finding.of(seen, Kind.FILTER, f"{name}: {text}", name)


def conditions_of(rule: Mapping[str, Any], given: Any) -> Iterator[tuple[str, str, list[Any]]]:
    """The conditions of a parameter as member, operator and values."""
    if given in (None, "", []):
        return
    if rule.get("operator") == "tags":
        yield from ((rule["member"], "tags", [condition]) for condition in given if isinstance(condition, dict))
        return
    if "members" not in rule:
        given = given if isinstance(given, list) else [given]
        several = [each for text in given for each in str(text).split(",")] if rule["operator"] == "equal" else []
        yield rule.get("member", ""), rule["operator"], [*dict.fromkeys([*given, *several])]
        return
    if isinstance(given, str):  # `key:text`
        key, _, text = given.partition(":")
        given = [{"key": key, "operator": rule.get("operator"), "value": [text]}]
    for condition in given if isinstance(given, list) else ():
        key, operator, value = (dig(condition, name) for name in ("key", "operator", "value"))
        wanted = [each for each in value if each != ""] if isinstance(value, list) else []
        if wanted and isinstance(operator, str) and isinstance(key, str) and key in rule["members"]:
            yield rule["members"][key], operator, wanted


def known_values(seen: Seen, member: str) -> list[Any]:
    """The values of a member of items that the document knows; empty if it has no open list of them."""
    shown = seen.shown if isinstance(seen.shown, Mapping) else {}
    items = seen.operation.pagination.get("items") or next(iter(shown), "")
    return [value for found in seen.schemas_at(f"{items}.0.{member}") for value in found.get("x-known-values", ())]


def meets(item: Any, member: str, operator: str, values: list[Any], known: list[Any]) -> bool:
    """Whether an item meets a condition; an unknown operator or value, or a member that is missing, says nothing."""
    if operator in ("text", "like") and any(map(is_replaced, values)):
        return True
    if operator == "text":
        return any(str(values[0]).casefold() in text.casefold() for text in texts(item))
    value = dig(item, member)
    if operator == "tags":
        key, wanted = (dig(values[0], name) for name in ("key", "values"))
        return any(dig(tag, "key") == key and (not wanted or dig(tag, "value") in wanted) for tag in value or ())
    if value is None or (known and value not in known):
        return True
    if operator == "like":
        return any(str(each).casefold() in str(value).casefold() for each in values)
    if operator in ("equal", "in", "not"):
        return (str(value).casefold() in {str(each).casefold() for each in values}) is (operator != "not")
    if operator == "period-ms":
        value = round((moment(str(value)) or 0) * 1000) or None
        operator = "between"
    numbers = [whole(each) for each in (value, *values)]
    if operator == "between" and len(numbers) == 3 and None not in numbers:
        return numbers[1] <= numbers[0] <= numbers[2]  # type: ignore[operator]
    return True


def turned_off(seen: Seen) -> bool:
    """Whether the page number is zero."""
    pagination = seen.operation.pagination
    if not pagination:
        return True
    return pagination.get("first", 0) > 0 and not seen.number("position") and seen.number("limit") is None


def shows_all(seen: Seen) -> bool:
    """Whether the page number, as given or by default, is zero where pages begin at 1."""
    pagination = seen.operation.pagination
    position = pagination.get("position", "")
    default = seen.operation.settings().get(position, {}).get("default")
    return bool(pagination.get("first")) and whole(seen.given.get(position, default)) == 0


RULES = (
    nothing_is_listed_twice,
    pages_have_their_size,
    totals_fit,
    pages_fit_together,
    ids_are_written_in_one_way,
    order_is_as_asked,
    filters_hold,
)
