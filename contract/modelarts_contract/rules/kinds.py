"""What is true of every object of a schema, wherever a response shows one: kinds of facts, declared in the overlays.

`facts` of an overlay has, by the name of a schema, a list of facts; places are those of `dig`, and `*` stands for every
entry of a list. Values that are not there say nothing.

    counts        {number: list}           the number is that of the list's entries
    bytes, lines  {number: text}           the number is that of the text's bytes in UTF-8, or of its lines
    rising        [place, ...]             numbers or times, none less than one before; times may be rounded
    within        {place: [least, most]}   null for no bound
    same-length   place                    all lists at the place that are not empty are of one length
    not-empty     [place, ...]             unless the request had conditions
    unlike        [list, ...]              the list has no value twice, unless that is a row; `tags.*.key` for members
    rows          {table: header}          each row of the table has as many cells as the header
    no-more       {list: [number, text]}   no more entries of the list than that begin with the text
    differs       {place: place}           the values are not the same
    present       [place, ...]             not empty, whatever was asked
    time, url     [place, ...]             texts that are times of RFC 3339, or addresses
    before        [place, ...]             times that are not after the Date of the response; `after` not before it
    listed        {place: list}            the values at the place are entries of the list
    equal         {place: value}
    ends-with     {text: place}            the text ends with the value at the place
    status        place                    the status of the response
    same          {place: place}           the values are the same
    typed         {place: place}           texts that read as the type which the other place names
    inside        {path: place}            an absolute path within the folder at the other place
    lasts         {end: [start, s, s]}     from the other time, or the Date of the response, to the last of these pass
                                           so many seconds, at least and at most; or as many as at two places
    same-for      {key: [place, ...]}      objects with the same value at `key`, of any response, have the same
                                           here; `a.b as c` where others show it as c, `*` for all that is shown;
                                           a key may be a parameter of the path, `{name}`
    offers        {name: place}            the values at the place are all that there are by this name, in which
                                           `{place}` stands for a value
    among         {place: name}            the value is one of those, if they are known
    agrees        {key as kind: [place]}   as same-for, of values that change: what differs for longer than a change
                                           takes to be seen everywhere; of lists, the set of entries
    rows-agree    {table: [header, key]}   as agrees, of rows with the same value in the column of the key; columns that
                                           may differ come after it
    at-most       {place: place}           numbers; or as much as is offered by a name with `{}`
    ascending     [place, ...]             numbers or times, none less than one before
    recent        place                    condition: the time at the place is in the last day
    when          {place: [value, ...]}    condition for the other kinds; null is none, `A.*` a text that begins so
    assumed       reason                   no page says it: what it finds is a note
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from modelarts_contract.documents import load, overlay
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.rules.memory import Memory
from modelarts_contract.rules.times import CLOCK_MS, service_time
from modelarts_contract.seen import Seen, dig, is_same, leaves, moment, values, whole

__all__ = ["facts_hold"]

FIRST_TIME_MS, LAST_TIME_MS = 1e12, 1e13  # 2001 and 2286; other numbers are no times in milliseconds
ROUNDING_S = 1  # between times, some of which are written in whole seconds
NO_TEXT = "\ufffd"  # stands for bytes that are no text, which have another number
DAY_MS = 86_400_000
PLACE = re.compile(r"\{([\w.]+)\}")
EMPTY: tuple[Any, ...] = (None, "", [], {})
SCHEMAS = ("components", "schemas")
TYPES: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "float": float,
    "boolean": lambda text: {"true": True, "false": False, "1": True, "0": False}[text.casefold()],
}
CONDITIONS = frozenset({"limit", "offset", "order", "sort_by", "per_page", "page", "sortBy", "job_type"})


def facts_hold(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """The facts that do not hold for the objects of a response."""
    facts = facts_of(seen.operation.name)
    objects = [place for place in seen.places if isinstance(place.value, dict)]
    for shown, pointer in ((place.value, part.pointer) for place in objects for part in place.parts):
        for fact in facts.get(pointer[-1], ()) if pointer[:-1] == SCHEMAS else ():
            if is_recent(seen, shown, fact.get("recent")) and all(
                meets(dig(shown, place), values) for place, values in fact.get("when", {}).items()
            ):
                for kind in (each for each in fact if each in RULES):
                    found = Kind.UNUSUAL if "assumed" in fact else KINDS.get(kind, Kind.TOTAL)
                    for where, text in RULES[kind](seen, shown, fact[kind], memory):
                        yield Finding.of(seen, found, text, where)


def meets(value: Any, wanted: Iterable[Any]) -> bool:
    """Whether a value is one of these, of which some may be beginnings."""
    beginnings = tuple(each.removesuffix("*") for each in wanted if isinstance(each, str) and each.endswith("*"))
    return value in wanted or (isinstance(value, str) and value.startswith(beginnings))


def is_recent(seen: Seen, shown: Any, place: str | None) -> bool:
    """Whether a time is in the last day before the Date of the response, or none is asked for."""
    created, now = number(dig(shown, place)) if place else None, service_time(seen)
    return place is None or bool(created and now and 0 <= now - created < DAY_MS)


@cache
def facts_of(document: str) -> Mapping[str, list[Mapping[str, Any]]]:
    """The facts of each schema of a document: which numbers count a list (`x-counts`), and those of the overlay."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for name, schema in load(document)["components"]["schemas"].items():
        numbers = {
            place: inner["x-counts"] for place, inner in schema.get("properties", {}).items() if "x-counts" in inner
        }
        found[name] = [{"counts": numbers}, *overlay(document).get("facts", {}).get(name, ())]
    return found


def value_at(seen: Seen, shown: Any, place: str) -> Any:
    """The value at a place, or of a parameter of the path, such as `{job_id}`."""
    return seen.path.get(place.strip("{}")) if place.startswith("{") else dig(shown, place)


def name_in(seen: Seen, shown: Any, name: str) -> str:
    """The name of values that are alike, such as `tasks of {metadata.id}`."""
    named = PLACE.sub(lambda found: str(dig(shown, found[1]) or seen.path.get(found[1])), name)
    return f"{seen.operation.name} {named}"


def is_part(seen: Seen, shown: Any) -> bool:
    """Whether a response shows only some entries of a list."""
    conditions = {*seen.query, *(seen.sent if isinstance(seen.sent, dict) else ())} - CONDITIONS
    if shown is not seen.shown or not (seen.operation.pagination or conditions):
        return False
    is_end = len(seen.items) < (seen.number("limit") or 0) if seen.total is None else seen.total <= len(seen.items)
    return bool(conditions) or bool(seen.start) or not is_end


def number(value: Any) -> float | None:
    """A number, or a time of RFC 3339 in seconds; None for anything else."""
    if isinstance(value, str) and "T" in value:
        return moment(value)
    if (exact := whole(value)) is not None:
        return exact
    is_number = isinstance(value, int | float | str) and not isinstance(value, bool)
    try:
        return float(value) if is_number else None
    except (ValueError, OverflowError):
        return None


def numbers_of_lines(text: str) -> set[int]:
    """How many records a text has: some may be empty, and version 1 has an empty line after each."""
    ends = text.count("\n")
    return {sum(map(bool, text.split("\n"))), ends + (not text.endswith("\n")) * bool(text), (ends + 1) // 2}


Wrong = Iterator[tuple[str, str]]


def counted(kind: type, count: Callable[[Any], set[int]], noun: str) -> Callable[..., Wrong]:
    """A rule that a number is one of those that `count` says of a value of this kind."""

    def rule(_seen: Seen, shown: Any, declared: Mapping[str, str], _memory: Memory) -> Wrong:
        for where, place in declared.items():
            said, found = dig(shown, where), dig(shown, place)
            is_whole = not (isinstance(found, str) and (is_replaced(found) or NO_TEXT in found))
            number = whole(said)
            if number is not None and isinstance(found, kind) and is_whole and number not in count(found):
                yield where, f"{where} is {said}, and {place} has {' or '.join(map(str, sorted(count(found))))} {noun}"

    return rule


def related(holds: Callable[[Any, Any], bool]) -> Callable[..., Wrong]:
    """A rule about the values at a place and the one at another place."""

    def rule(seen: Seen, shown: Any, declared: Mapping[str, str], _memory: Memory) -> Wrong:
        for where, place in declared.items():
            other = value_at(seen, shown, place)
            for one in values(shown, where) if other not in (None, "") else ():
                if one not in EMPTY and not holds(one, other):
                    yield where, f"{where} is {one!r}, and {place} is {other!r}"

    return rule


def is_typed(text: Any, kind: Any) -> bool:
    """Whether a text reads as the type of this name; other values, and other types, say nothing."""
    reads = TYPES.get(str(kind).casefold())
    try:
        return not isinstance(text, str) or is_replaced(text) or reads is None or reads(text) is not None
    except (ValueError, KeyError):
        return False


def is_inside(path: Any, folder: Any) -> bool:
    """Whether an absolute path is within a folder that is not the root."""
    is_whole = isinstance(path, str) and isinstance(folder, str) and path.startswith("/") and folder != "/"
    return not is_whole or is_replaced(path + folder) or path.startswith(f"{folder.rstrip('/')}/")


def formed(is_right: Callable[[str], bool], noun: str) -> Callable[..., Wrong]:
    """A rule that texts have a form."""

    def rule(_seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
        for where in places:
            for text in values(shown, where):
                if isinstance(text, str) and text and not is_replaced(text) and not is_right(text):
                    yield where, f"{where} is {text!r}, which is not {noun}"

    return rule


def rising(_seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
    found = [(place, dig(shown, place)) for place in places]
    there = [(place, value, each) for place, value in found if (each := number(value))]
    for (before, one, low), (after, other, high) in pairwise(there):
        is_time = isinstance(other, str) and "-" in other
        is_in_ms = FIRST_TIME_MS < low < LAST_TIME_MS
        tolerance = ROUNDING_S * (1 if is_time else 1000 if is_in_ms else 0)
        if high and high < low - tolerance:
            yield after, f"{after} is {other}, before {before} {one}"


def within(_seen: Seen, shown: Any, declared: Mapping[str, list[float | None]], _memory: Memory) -> Wrong:
    for where, (least, most) in declared.items():
        for value in values(shown, where):
            found = number(value)
            if found is not None and ((least is not None and found < least) or (most is not None and found > most)):
                yield where, f"{where} is {value}, not between {least} and {most}"


def same_length(_seen: Seen, shown: Any, where: str, _memory: Memory) -> Wrong:
    lengths = {len(each) for each in values(shown, where) if isinstance(each, list) and each}
    if len(lengths) > 1:
        yield where, f"the lists at {where} have {', '.join(map(str, sorted(lengths)))} entries"


def not_empty(seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
    if set(seen.query) - CONDITIONS or (isinstance(seen.sent, dict) and set(seen.sent) - CONDITIONS):
        return
    if seen.operation.pagination and seen.start:
        return
    yield from present(seen, shown, places, _memory)


def present(_seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
    for where in places:
        if any(each in EMPTY for each in ([dig(shown, where)] if "*" not in where else values(shown, where))):
            yield where, f"{where} is empty"


def unlike(_seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
    for where in places:
        found = [str(each) for each in values(shown, where if "*" in where else f"{where}.*")]
        for twice in sorted({each for each in found if found.count(each) > 1}):
            yield where, f"{where} has {twice} twice"


def rows(_seen: Seen, shown: Any, declared: Mapping[str, str], _memory: Memory) -> Wrong:
    for where, place in declared.items():
        header, table = dig(shown, place), dig(shown, where)
        for row in table if isinstance(table, list) and isinstance(header, list) else ():
            if isinstance(row, list) and len(row) != len(header):
                yield where, f"a row of {where} has {len(row)} cells, and {place} has {len(header)}"
                break


def no_more(_seen: Seen, shown: Any, declared: Mapping[str, tuple[str, str]], _memory: Memory) -> Wrong:
    for where, (place, beginning) in declared.items():
        found, most = dig(shown, where), whole(dig(shown, place))
        entries = [each for each in found if str(each).startswith(beginning)] if isinstance(found, list) else []
        if most is not None and len(entries) > most:
            yield where, f"{where} has {', '.join(entries)}, and {place} is {most}"


def dated(sign: int, said: str) -> Callable[..., Wrong]:
    """A rule that times come before, or after, the Date of the response."""

    def rule(seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
        now_ms = service_time(seen)
        for where in places if now_ms else ():
            found = number(dig(shown, where))
            if now_ms and found and sign * (found - now_ms / 1000) < -CLOCK_MS / 1000:
                yield where, f"{where} is {dig(shown, where)}, {said} the Date of the response"

    return rule


def equal(_seen: Seen, shown: Any, declared: Mapping[str, Any], _memory: Memory) -> Wrong:
    for where, wanted in declared.items():
        for value in values(shown, where):
            if not is_same(value, wanted):
                yield where, f"{where} is {value!r}, and has to be {wanted!r}"


def lasts(seen: Seen, shown: Any, declared: Mapping[str, tuple[str, Any, Any]], _memory: Memory) -> Wrong:
    for where, (place, *bounds) in declared.items():
        end = number(next(iter(values(shown, where)[::-1]), None))
        start = (service_time(seen) or 0) / 1000 if place == "Date" else number(dig(shown, place))
        low, high = (number(dig(shown, each)) if isinstance(each, str) else each for each in bounds)
        tolerance = ROUNDING_S * 2000 if isinstance(bounds[0], str) else 0  # durations count milliseconds
        if end and start and not (low or 0) - tolerance <= end - start <= (high or 0) + tolerance:
            yield where, f"{where} is {end - start:.0f} after {place}, not between {low} and {high}"


def same_for(seen: Seen, shown: Any, declared: Mapping[str, list[str]], memory: Memory) -> Wrong:
    for key, places in declared.items():
        id_ = value_at(seen, shown, key)
        for place, alias in aliases(shown, places) if id_ not in EMPTY else ():
            value, thing = dig(shown, place), f"{seen.operation.name} {key} {id_}"
            before = memory.known.fixed.setdefault((thing, alias), value) if value not in EMPTY else value
            if not is_same(before, value):
                yield place, f"{place} is {value!r} where {key} is {id_!r}, and was {before!r}"


def aliases(shown: Any, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Places of which some have another name, `a.b as c`; `a.*` is for all texts and numbers there."""
    for declaration in places:
        place, _, alias = declaration.partition(" as ")
        if not place.endswith("*"):
            yield place, alias or place
            continue
        around = place.removesuffix("*")
        yield from ((around + name, name) for name in leaves(dig(shown, around.rstrip(".")) if around else shown))


def offers(seen: Seen, shown: Any, declared: Mapping[str, str], memory: Memory) -> Wrong:
    for name, place in {} if is_part(seen, shown) else declared.items():
        memory.known.offered[key := name_in(seen, shown, name)] = offered = set(map(str, values(shown, place)))
        for value, where in memory.known.used[key].items() if offered else ():
            if value not in offered:
                yield place, f"none of the {len(offered)} {name} is {value!r}, which {where}"


def among(seen: Seen, shown: Any, declared: Mapping[str, str], memory: Memory) -> Wrong:
    for where, name in declared.items():
        offered = memory.known.offered.get(key := name_in(seen, shown, name))
        for value in (str(each) for each in values(shown, where) if each not in EMPTY):
            if offered and value not in offered and not is_replaced(value):
                yield where, f"{where} is {value!r}, which none of the {len(offered)} {name} is"
            elif not offered:
                memory.known.used[key][value] = f"{seen.operation.operation_id} shows as {where}"


def at_most(seen: Seen, shown: Any, declared: Mapping[str, str], memory: Memory) -> Wrong:
    for where, limit in declared.items():
        offered = memory.known.offered.get(name_in(seen, shown, limit), ()) if "{" in limit else (dig(shown, limit),)
        limits = [each for value in offered if (each := number(value)) is not None]
        for value in values(shown, where) if limits else ():
            if (number(value) or 0) > max(limits):
                yield where, f"{where} is {value}, and {limit} is {max(limits):g}"


def ascending(_seen: Seen, shown: Any, places: Iterable[str], _memory: Memory) -> Wrong:
    for where in places:
        found = values(shown, where)
        for before, after in pairwise(found):
            if (number(after) or 0) < (number(before) or 0):
                yield where, f"{where} has {after} after {before}"


def agrees(seen: Seen, shown: Any, declared: Mapping[str, list[str]], memory: Memory) -> Wrong:
    for declaration, places in {} if is_part(seen, shown) else declared.items():
        key, _, kind = declaration.partition(" as ")
        id_ = value_at(seen, shown, key)
        for place, alias in aliases(shown, places) if id_ not in EMPTY else ():
            found = values(shown, place)
            found = found[0] if found and isinstance(found[0], list) else found
            value = sorted({json.dumps(each, sort_keys=True) for each in found})
            other = memory.known.hear(f"{seen.operation.name} {kind} {id_}", alias, value, seen, memory.lag_s)
            if other:
                yield place, f"{place} of {id_} is {', '.join(value) or 'empty'}, and {other}"


def rows_agree(seen: Seen, shown: Any, declared: Mapping[str, list[str]], memory: Memory) -> Wrong:
    for where, (header, key, *ignored) in declared.items():
        names = [str(each) for each in values(shown, f"{header}.*")]
        for row in values(shown, f"{where}.*"):
            cells = dict(zip(names, row, strict=False)) if isinstance(row, list) else {}
            for name in cells.keys() - {*ignored, ""} if key in cells else ():
                thing = f"{seen.operation.name} {key} {cells[key]}"
                if other := memory.known.hear(thing, name, cells[name], seen, memory.lag_s):
                    yield where, f"{name} of {key} {cells[key]} is {cells[name]!r}, and {other}"


def status(seen: Seen, shown: Any, where: str, _memory: Memory) -> Wrong:
    if dig(shown, where) not in (None, seen.exchange.status):
        yield where, f"{where} is {dig(shown, where)}, and the status is {seen.exchange.status}"


RULES: dict[str, Callable[[Seen, Any, Any, Memory], Wrong]] = {
    "counts": counted(list, lambda found: {len(found)}, "entries"),
    "bytes": counted(str, lambda text: {len(text.encode())}, "bytes"),
    "lines": counted(str, numbers_of_lines, "lines"),
    "rising": rising,
    "within": within,
    "same-length": same_length,
    "not-empty": not_empty,
    "present": present,
    "unlike": unlike,
    "rows": rows,
    "no-more": no_more,
    "differs": related(lambda one, other: bool(one != other)),
    "time": formed(lambda text: moment(text) is not None, "a time"),
    "url": formed(lambda text: text.startswith(("http://", "https://")), "a URL"),
    "before": dated(-1, "after"),
    "after": dated(1, "before"),
    "listed": related(lambda one, entries: not isinstance(entries, list) or one in entries),
    "equal": equal,
    "ends-with": related(lambda text, end: str(text).rstrip("/").endswith(str(end))),
    "same": related(is_same),
    "typed": related(is_typed),
    "inside": related(is_inside),
    "lasts": lasts,
    "same-for": same_for,
    "offers": offers,
    "at-most": at_most,
    "ascending": ascending,
    "among": among,
    "agrees": agrees,
    "rows-agree": rows_agree,
    "status": status,
}
KINDS = {
    **dict.fromkeys(("rising", "time", "before", "after", "lasts", "ascending"), Kind.TIME),
    **dict.fromkeys(("not-empty", "present"), Kind.EMPTY),
    **dict.fromkeys(("listed", "url", "differs", "unlike", "equal", "ends-with"), Kind.IDENTITY),
    **dict.fromkeys(("same", "same-for", "typed", "inside", "among", "agrees", "rows-agree"), Kind.IDENTITY),
}
