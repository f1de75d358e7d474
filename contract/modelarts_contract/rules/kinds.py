"""The kinds of facts: each is a function of what was seen, an object of it, the declared argument, and the memory.

Its docstring says what is true of the object; `overlays/README.md` has all of them in a table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from modelarts_contract.finding import Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.rules.memory import CLOCK_MS, Memory
from modelarts_contract.seen import TIMES_MS, UUID, Seen, dig, is_same, leaves, moment, readable, values, whole
from modelarts_openapi.phases import PHASES_OF_STATUSES, TRANSITIONS

__all__ = ["FINAL_PHASES", "KINDS", "STEPS", "FactKind", "phase_of", "time_ms"]

ROUNDING_MS = 1_000  # of times, some of which are written in whole seconds
SHORT_MS = 600_000  # what runs for less time says too little about the unit of its duration
NO_TEXT = "\ufffd"  # stands for bytes that are no text, which have another number
SPARE = 10  # entries for times before the start and after the end
PLACE = re.compile(r"\{([\w.]+)\}")
EMPTY: tuple[Any, ...] = (None, "", [], {})
TYPES: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "float": float,
    "boolean": lambda text: {"true": True, "false": False, "1": True, "0": False}[text.casefold()],
}

Wrong = Iterator[tuple[str, str]]  # places, each with a sentence
Check = Callable[[Seen, Any, Any, Memory], Wrong]


@dataclass(frozen=True, slots=True)
class FactKind:
    """A kind of facts: what it checks, what it finds, its meaning and an example of its argument."""

    check: Check
    finding: Kind
    meaning: str
    example: str


KINDS: dict[str, FactKind] = {}


def kind(name: str, finding: Kind, example: str) -> Callable[[Check], Check]:
    """Register a function as a kind of this name; its docstring is the meaning."""

    def register(check: Check) -> Check:
        KINDS[name] = FactKind(check, finding, str(check.__doc__).rstrip("."), example)
        return check

    return register


def counting(name: str, type_: type, noun: str, example: str) -> Callable[[Callable[[Any], set[int]]], Check]:
    """Register a kind: a number is one of those that the function returns for a value of this type."""

    def register(count: Callable[[Any], set[int]]) -> Check:
        def check(_seen: Seen, shown: Any, argument: Mapping[str, str], _memory: Memory) -> Wrong:
            for where, place in argument.items():
                found = dig(shown, place)
                is_whole = not (isinstance(found, str) and (is_replaced(found) or NO_TEXT in found))
                stated = number(dig(shown, where))
                if stated is not None and isinstance(found, type_) and is_whole and stated not in count(found):
                    counted = " or ".join(map(str, sorted(count(found))))
                    yield where, f"{where} is {readable(dig(shown, where))}, and {place} has {counted} {noun}"

        check.__doc__ = count.__doc__
        return kind(name, Kind.TOTAL, example)(check)

    return register


def relating(name: str, finding: Kind, example: str) -> Callable[[Callable[[Any, Any], bool]], Check]:
    """Register a kind: the function is true of each value at a place and the one at another place."""

    def register(holds: Callable[[Any, Any], bool]) -> Check:
        def check(seen: Seen, shown: Any, argument: Mapping[str, str], _memory: Memory) -> Wrong:
            for where, place in argument.items():
                other = value_at(seen, shown, place)
                for one in values(shown, where) if other not in (None, "") else ():
                    if one not in EMPTY and not holds(one, other):
                        name = place.strip("{}")
                        yield where, f"{where} is {readable(one)}, and {name} is {readable(other)}"

        check.__doc__ = holds.__doc__
        return kind(name, finding, example)(check)

    return register


def formed(name: str, finding: Kind, noun: str, example: str) -> Callable[[Callable[[str], bool]], Check]:
    """Register a kind: the function is true of the texts at places."""

    def register(is_right: Callable[[str], bool]) -> Check:
        def check(_seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
            for where in argument:
                for text in values(shown, where):
                    if isinstance(text, str) and text and not is_replaced(text) and not is_right(text):
                        yield where, f"{where} is {readable(text)}, which is not {noun}"

        check.__doc__ = is_right.__doc__
        return kind(name, finding, example)(check)

    return register


def value_at(seen: Seen, shown: Any, place: str) -> Any:
    """The value at a place, or of a parameter of the path or a header, such as `{job_id}`."""
    if not place.startswith("{"):
        return dig(shown, place)
    name, exchange = place.strip("{}"), seen.exchange
    header = exchange.request_headers.get(name.lower()) or exchange.response_headers.get(name.lower())
    return seen.path.get(name, None if is_replaced(header) else header)


def name_in(seen: Seen, shown: Any, name: str) -> str:
    """The name with the values that it depends on, such as `tasks of {metadata.id}`; empty if one is not there."""
    found = {place: dig(shown, place) or seen.path.get(place) for place in PLACE.findall(name)}
    return PLACE.sub(lambda match: str(found[match[1]]), name) if all(found.values()) else ""


def is_part(seen: Seen, shown: Any) -> bool:
    """Whether a response shows only some entries of a list."""
    conditions = seen.conditions
    if shown is not seen.shown or not (seen.operation.pagination or conditions):
        return False
    is_end = len(seen.items) < (seen.number("limit") or 0) if seen.total is None else seen.total <= len(seen.items)
    return bool(conditions) or bool(seen.start) or not is_end


def number(value: Any) -> float | None:
    """A number, or a time of RFC 3339 in milliseconds since 1970; None for anything else."""
    if isinstance(value, str) and "T" in value:
        time_s = moment(value)
        return None if time_s is None else time_s * 1000
    if (exact := whole(value)) is not None:
        return exact
    is_number = isinstance(value, int | float | str) and not isinstance(value, bool)
    try:
        found = float(value) if is_number else None
    except (ValueError, OverflowError):
        return None
    return found if found is not None and abs(found) < float("inf") else None  # which is false of NaN, too


def time_ms(value: Any) -> float | None:
    """A time in milliseconds since 1970, of a text or of a number of seconds or milliseconds; None for zero."""
    found = number(value)
    return found * 1000 if found and abs(found) < TIMES_MS[0] else found or None


def tolerance_ms(value: float, tolerance: int) -> int:
    """How much a number may differ: a time by so many milliseconds, others not at all."""
    return tolerance if TIMES_MS[0] < value < TIMES_MS[1] else 0


def steps() -> dict[str, set[str]]:
    """The phases that can be seen after each phase that is not final; phases between them may not be seen."""
    found = {str(phase): {str(each) for each in following} for phase, following in TRANSITIONS.items() if following}
    for _ in found:
        for phase, after in found.items():
            after |= set().union(*(found.get(each, set()) for each in after)) - {phase}
    return found


STEPS = steps()
FINAL_PHASES = frozenset(str(phase) for phase, following in TRANSITIONS.items() if not following)


def phase_of(value: Any) -> str | None:
    """The phase that a text names, or a status of version 1 stands for; None for another value."""
    found = value if (status := whole(value)) is None else PHASES_OF_STATUSES.get(status)
    return str(found) if isinstance(found, str) else None


@counting("counts", list, "entries", "{spec_total_count: specs}")
def entries(listed: Any) -> set[int]:
    """The number is that of the entries of the list."""
    return {len(listed)}


@counting("bytes", str, "bytes", "{current_size: content}")
def size(text: Any) -> set[int]:
    """The number is that of the bytes of the text in UTF-8."""
    return {len(text.encode())}


@counting("lines", str, "lines", "{lines: content}")
def lines(text: Any) -> set[int]:
    """The number is that of the lines of the text, with or without empty ones."""
    ends = text.count("\n")
    return {sum(map(bool, text.split("\n"))), ends + (not text.endswith("\n")) * bool(text), (ends + 1) // 2}


@relating("differs", Kind.IDENTITY, "{pre_version_id: version_id}")
def differs(one: Any, other: Any) -> bool:
    """The values are not the same."""
    return bool(one != other)


@relating("same", Kind.IDENTITY, "{region: region_id}")
def same(one: Any, other: Any) -> bool:
    """The values are the same."""
    return is_same(one, other)


@relating("listed", Kind.IDENTITY, "{task_statuses.*.task: tasks}")
def listed(one: Any, other: Any) -> bool:
    """The values are entries of the list at the other place."""
    return not isinstance(other, list) or one in other


@relating("ends-with", Kind.IDENTITY, "{links.self: id}")
def ends_with(text: Any, end: Any) -> bool:
    """The text ends with the value at the other place."""
    return str(text).rstrip("/").endswith(str(end))


@relating("inside", Kind.IDENTITY, "{boot_file_url: app_url}")
def inside(path: Any, folder: Any) -> bool:
    """The absolute path is within the folder at the other place."""
    is_whole = isinstance(path, str) and isinstance(folder, str) and path.startswith("/") and folder != "/"
    return not is_whole or is_replaced(path + folder) or path.startswith(f"{folder.rstrip('/')}/")


@relating("typed", Kind.IDENTITY, "{value: constraint.type}")
def typed(text: Any, type_: Any) -> bool:
    """The text reads as the type that the other place names."""
    reads = TYPES.get(str(type_).casefold())
    try:
        return not isinstance(text, str) or is_replaced(text) or reads is None or reads(text) is not None
    except (ValueError, KeyError):
        return False


@formed("time", Kind.TIME, "a time", "[expires_at]")
def is_time(text: str) -> bool:
    """The texts are times of RFC 3339."""
    return moment(text) is not None


@formed("url", Kind.IDENTITY, "a URL", "[links.self]")
def is_url(text: str) -> bool:
    """The texts are addresses of HTTP."""
    return text.startswith(("http://", "https://"))


@kind("present", Kind.EMPTY, "[metadata.id, metadata.name]")
def present(_seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
    """The values are there, and not empty."""
    for where in argument:
        if any(each in EMPTY for each in ([dig(shown, where)] if "*" not in where else values(shown, where))):
            yield where, f"{where} is empty"


@kind("not-empty", Kind.EMPTY, "[engines]")
def not_empty(seen: Seen, shown: Any, argument: Iterable[str], memory: Memory) -> Wrong:
    """The values are there, and not empty, unless the request had conditions or was about a later page."""
    if not seen.conditions and not (seen.operation.pagination and seen.start):
        yield from present(seen, shown, argument, memory)


@kind("equal", Kind.IDENTITY, "{task_statuses.*.exit_code: 0}")
def equal(_seen: Seen, shown: Any, argument: Mapping[str, Any], _memory: Memory) -> Wrong:
    """The values are this one."""
    for where, wanted in argument.items():
        for value in values(shown, where):
            if not is_same(value, wanted):
                yield where, f"{where} is {readable(value)}, and has to be {readable(wanted)}"


@kind("status", Kind.TOTAL, "code")
def status(seen: Seen, shown: Any, where: str, _memory: Memory) -> Wrong:
    """The value is the status of the response."""
    if dig(shown, where) not in (None, seen.exchange.status):
        yield where, f"{where} is {readable(dig(shown, where))}, and the status is {seen.exchange.status}"


@kind("within", Kind.TOTAL, "{node_count: [1, null]}")
def within(_seen: Seen, shown: Any, argument: Mapping[str, list[float | None]], _memory: Memory) -> Wrong:
    """The numbers are between the least and the most; null is no bound."""
    for where, bounds in argument.items():
        for value in values(shown, where):
            for bound, sign, words in zip(bounds, (1, -1), ("less than", "more than"), strict=True):
                found = number(value)
                if found is not None and bound is not None and sign * found < sign * bound:
                    yield where, f"{where} is {readable(value)}, {words} {readable(bound)}"


@kind("at-most", Kind.TOTAL, "{worker_server_num: max_num}")
def at_most(seen: Seen, shown: Any, argument: Mapping[str, str], memory: Memory) -> Wrong:
    """The numbers are not more than the one at the other place, or than what is offered by a name with `{}`."""
    yield from bounded(seen, shown, argument, memory, 1)


@kind("at-least", Kind.TIME, "{events.*.time: 'creation of {training_job_id}'}")
def at_least(seen: Seen, shown: Any, argument: Mapping[str, str], memory: Memory) -> Wrong:
    """The numbers or times are not less than the one at the other place, or offered by a name with `{}`."""
    yield from bounded(seen, shown, argument, memory, -1)


def bounded(seen: Seen, shown: Any, argument: Mapping[str, str], memory: Memory, sign: int) -> Wrong:
    """The values that are greater than a limit, or less where the sign is -1."""
    for where, name in argument.items():
        limit = name_in(seen, shown, name)
        offered = (
            memory.statements.offered.get((seen.operation.name, limit), ()) if "{" in name else (dig(shown, name),)
        )
        limits = [each for value in offered if (each := number(value))]
        for value in values(shown, where) if limits else ():
            found, most = number(value), max(limits, key=lambda each: sign * each)
            if found and sign * (found - most) > tolerance_ms(most, CLOCK_MS):
                yield where, f"{where} is {readable(value)}, and {limit} is {most:.12g}"


@kind("rising", Kind.TIME, "[create_time, start_time]")
def rising(_seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
    """None of these numbers or times is less than one before it; times may be rounded."""
    there = [(place, dig(shown, place)) for place in argument]
    found = [(place, value, each) for place, value in there if (each := number(value))]
    for (before, one, low), (after, other, high) in pairwise(found):
        if high < low - tolerance_ms(low, ROUNDING_MS):
            yield after, f"{after} is {readable(other)}, less than {before} {readable(one)}"


@kind("ascending", Kind.TIME, "[stages.*.start_time]")
def ascending(_seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
    """Of the numbers or times at a place, none is less than one before it."""
    for where in argument:
        for before, after in pairwise(values(shown, where)):
            if (number(after) or 0) < (number(before) or 0):
                yield where, f"{where} has {readable(after)} after {readable(before)}"


@kind("before", Kind.TIME, "[create_time]")
def before(seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
    """The times are not after the Date of the response."""
    yield from dated(seen, shown, argument, 1, "after")


@kind("after", Kind.TIME, "[expires_at]")
def after(seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
    """The times are not before the Date of the response."""
    yield from dated(seen, shown, argument, -1, "before")


def dated(seen: Seen, shown: Any, places: Iterable[str], sign: int, word: str) -> Wrong:
    """The times that are after the Date of the response, or before it where the sign is -1."""
    for where in places if seen.date_ms else ():
        for value in values(shown, where):
            time, now = time_ms(value), seen.date_ms
            apart_ms = sign * (time - now) if time and now else 0
            if apart_ms > CLOCK_MS:
                yield where, f"{where} is {readable(value)}, {apart_ms / 1000:.0f} s {word} the Date of the response"


@kind("lasts", Kind.TIME, "{expires_at: [issued_at, 82800, 90000]}")
def lasts(seen: Seen, shown: Any, argument: Mapping[str, tuple[str, Any, Any]], _memory: Memory) -> Wrong:
    """From the other time, or the Date, to the last of these pass s to s, or as many ms as at two places."""
    for where, (place, *bounds) in argument.items():
        end = number(next(iter(values(shown, where)[::-1]), None))
        start = seen.date_ms if place == "Date" else number(dig(shown, place))
        low, high = (number(dig(shown, each)) if isinstance(each, str) else each * 1000 for each in bounds)
        tolerance = 2 * ROUNDING_MS if any(isinstance(each, str) for each in bounds) else 0
        if end and start and not (low or 0) - tolerance <= end - start <= (high or 0) + tolerance:
            wanted = " to ".join(dict.fromkeys(f"{(each or 0) / 1000:.12g}" for each in (low, high)))
            yield where, f"{where} is {(end - start) / 1000:.12g} s after {place}, and has to be {wanted} s after it"


@kind("elapsed", Kind.TIME, "{duration: [start_time, 0.01]}")
def elapsed(seen: Seen, shown: Any, argument: Mapping[str, list[Any]], _memory: Memory) -> Wrong:
    """The duration (ms) is at most the time since the other place, by the Date, and at least this share of it."""
    for where, (place, *share) in argument.items():
        duration, start = number(dig(shown, where)), time_ms(dig(shown, place))
        passed_ms = seen.date_ms - start if seen.date_ms and start else -1
        if duration is None or passed_ms < 0:
            continue
        least = passed_ms * (share[0] if share and passed_ms > SHORT_MS else 0)
        if not least <= max(duration, 0) <= passed_ms + CLOCK_MS:
            yield where, f"{where} is {duration:.0f} ms, and {passed_ms:.0f} ms have passed since {place}"


@kind("unlike", Kind.IDENTITY, "[tags.*.key]")
def unlike(_seen: Seen, shown: Any, argument: Iterable[str], _memory: Memory) -> Wrong:
    """The list has no value twice."""
    for where in argument:
        found = [readable(each) for each in values(shown, where if "*" in where else f"{where}.*")]
        for twice in sorted({each for each in found if found.count(each) > 1}):
            yield where, f"{where} has {twice} twice"


@kind("same-length", Kind.TOTAL, "metrics.*.value")
def same_length(_seen: Seen, shown: Any, where: str, _memory: Memory) -> Wrong:
    """All lists at the place that are not empty have as many entries."""
    lengths = {len(each) for each in values(shown, where) if isinstance(each, list) and each}
    if len(lengths) > 1:
        yield where, f"the lists at {where} have {' and '.join(map(str, sorted(lengths)))} entries"


@kind("rows", Kind.TOTAL, "{data: header}")
def rows(_seen: Seen, shown: Any, argument: Mapping[str, str], _memory: Memory) -> Wrong:
    """Each row of the table has as many cells as the header."""
    for where, place in argument.items():
        header, table = dig(shown, place), dig(shown, where)
        for row in table if isinstance(table, list) and isinstance(header, list) else ():
            if isinstance(row, list) and len(row) != len(header):
                yield where, f"a row of {where} has {len(row)} cells, and {place} has {len(header)}"
                break


@kind("continues", Kind.PAGES, "{start_line: [base_line, order, desc]}")
def continues(seen: Seen, shown: Any, argument: Mapping[str, tuple[str, str, str]], _memory: Memory) -> Wrong:
    """The number is not less than the cursor of the request, where the other parameter has this value."""
    for where, (cursor, parameter, wanted) in argument.items():
        first, after = whole(dig(shown, where)), whole(seen.query.get(cursor))
        if first and after and first < after and seen.query.get(parameter) == wanted:
            yield where, f"{where} is {first}, and the piece after {after} was asked for"


@kind("entries-at-most", Kind.TOTAL, "{status.tasks: [spec.resource.node_count, worker-]}")
def entries_at_most(_seen: Seen, shown: Any, argument: Mapping[str, list[str]], _memory: Memory) -> Wrong:
    """The list has at most as many entries, that begin with the text, as the number; a negative one is no limit."""
    for where, (place, *beginning) in argument.items():
        entries, most = values(shown, f"{where}.*"), whole(dig(shown, place))
        counted = [each for each in entries if str(each).startswith("".join(beginning))]
        if most is not None and 0 <= most < len(counted):
            yield where, f"{where} has {' '.join([str(len(counted)), *beginning])} entries, and {place} is {most}"


@kind("entries-per", Kind.TOTAL, "{value: [60, 'running time of {training_job_id}']}")
def entries_per(seen: Seen, shown: Any, argument: Mapping[str, tuple[int, str]], memory: Memory) -> Wrong:
    """The list has at most one entry for so many seconds of the ms that the name offers, and ten more."""
    for where, (seconds, template) in argument.items():
        offered = memory.statements.offered.get((seen.operation.name, name_in(seen, shown, template)), ())
        times = [each / 1000 for value in offered if (each := number(value)) is not None]
        found = dig(shown, where)
        if times and isinstance(found, list) and len(found) > max(times) / seconds + SPARE:
            yield where, f"{where} has {len(found)} entries, one for each {seconds} s of {max(times):.0f} s"


@kind("own", Kind.IDENTITY, "{obs_url: '{training_job_id}'}")
def own(seen: Seen, shown: Any, argument: Mapping[str, str], memory: Memory) -> Wrong:
    """The address is not shown for another value of the other place, nor has it another known one in its path."""
    for where, place in argument.items():
        address, id_ = str(dig(shown, where) or "").partition("?")[0], str(value_at(seen, shown, place))
        if not address or is_replaced(address):
            continue
        first = memory.statements.constants.setdefault((f"{seen.operation.name} {place}", address), id_)
        known = {path.rpartition("/")[2] for path in memory.stored} if id_ not in address else set()
        other = next((each for each in UUID.findall(address) if each in known), first)
        if other != id_:
            yield where, f"{where} of {id_} is about {other}"


@kind("offers", Kind.IDENTITY, "{engines: items.*.engine_id}")
def offers(seen: Seen, shown: Any, argument: Mapping[str, str], memory: Memory) -> Wrong:
    """The values are all that there are by this name, in which `{place}` stands for a value."""
    for template, place in {} if is_part(seen, shown) else argument.items():
        if not (name := name_in(seen, shown, template)):
            continue
        memory.statements.offered[seen.operation.name, name] = offered = set(map(str, values(shown, place)))
        for value, where in memory.statements.used[seen.operation.name, name].items() if offered else ():
            if value not in offered:
                yield place, f"none of the {len(offered)} {name} is {readable(value)}, which {where}"


@kind("among", Kind.IDENTITY, "{spec.resource.flavor_id: flavors}")
def among(seen: Seen, shown: Any, argument: Mapping[str, str], memory: Memory) -> Wrong:
    """The values are some of those that are offered by the name, if these are known."""
    for where, template in argument.items():
        if not (name := name_in(seen, shown, template)):
            continue
        offered = memory.statements.offered.get((seen.operation.name, name))
        for value in (str(each) for each in values(shown, where) if each not in EMPTY):
            if offered and value not in offered and not is_replaced(value):
                yield where, f"{where} is {readable(value)}, which is not one of the {len(offered)} {name}"
            elif not offered:
                memory.statements.used[seen.operation.name, name][value] = (
                    f"{seen.operation.operation_id} shows as {where}"
                )


@kind("same-for", Kind.IDENTITY, "{spec_id: [spec_code, core]}")
def same_for(seen: Seen, shown: Any, argument: Mapping[str, list[str]], memory: Memory) -> Wrong:
    """Objects with one value at the key have the same here, in any response; `*` is all, `a as b` is b elsewhere."""
    for key, places in argument.items():
        id_ = value_at(seen, shown, key)
        for place, alias in aliases(shown, places) if id_ not in EMPTY else ():
            value, subject = dig(shown, place), f"{seen.operation.name} {key} {id_}"
            known = memory.statements.constants.setdefault((subject, alias), value) if value not in EMPTY else value
            if not is_same(known, value):
                of = f"of {key.strip('{}')} {readable(id_)}"
                yield place, f"{place} {of} is {readable(value)}, and was {readable(known)}"


def aliases(shown: Any, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Places of which some have another name, `a.b as c`; `a.*` is for all texts and numbers there."""
    for declaration in places:
        place, _, alias = declaration.partition(" as ")
        if not place.endswith("*"):
            yield place, alias or place
            continue
        around = place.removesuffix("*")
        yield from ((around + name, name) for name in leaves(dig(shown, around.rstrip(".")) if around else shown))


@kind("agrees", Kind.IDENTITY, "{metadata.id as job: [metadata.name as name]}")
def agrees(seen: Seen, shown: Any, argument: Mapping[str, list[str]], memory: Memory) -> Wrong:
    """As same-for, of values that change: two operations show the same after the lag; lists have no order."""
    for declaration, places in {} if is_part(seen, shown) else argument.items():
        key, _, noun = declaration.partition(" as ")
        id_ = value_at(seen, shown, key)
        for place, alias in aliases(shown, places) if id_ not in EMPTY else ():
            found = values(shown, place)
            found = found[0] if found and isinstance(found[0], list) else found
            value, subject = tuple(sorted({json.dumps(each, sort_keys=True) for each in found})), f"{noun} {id_}"
            other = memory.statements.contradicting(
                f"{seen.operation.name} {subject}", alias, value, seen, memory.lag_s
            )
            if other:
                shows, theirs = (", ".join(readable(json.loads(each)) for each in every) for every in (value, other[1]))
                yield place, f"{place} of {subject} is {shows or 'empty'}, and {theirs or 'empty'} in {other[0]}"


@kind("rows-agree", Kind.IDENTITY, "{data: [header, trial_id, time_total_s]}")
def rows_agree(seen: Seen, shown: Any, argument: Mapping[str, list[str]], memory: Memory) -> Wrong:
    """As agrees, of table rows with one value in the column of the key; columns that may differ come after it."""
    for where, (header, key, *ignored) in argument.items():
        names = [str(each) for each in values(shown, f"{header}.*")]
        for row in values(shown, f"{where}.*"):
            cells = dict(zip(names, row, strict=False)) if isinstance(row, list) else {}
            for name in cells.keys() - {*ignored, ""} if key in cells else ():
                subject = f"{key} {cells[key]}"
                found = f"{seen.operation.name} {subject}", name, cells[name], seen, memory.lag_s
                if other := memory.statements.contradicting(*found):
                    text = f"{readable(cells[name])}, and {readable(other[1])} in {other[0]}"
                    yield where, f"{name} of {subject} is {text}"


@kind("settles", Kind.PHASE, "{metadata.id: [status.phase, status.start_time, status.duration]}")
def settles(seen: Seen, shown: Any, argument: Mapping[str, list[str]], memory: Memory) -> Wrong:
    """By the key, phases follow in their order, and after a final one the values stay."""
    now = seen.exchange.started_at.timestamp()
    for key, (where, *places) in argument.items():
        id_, phase = value_at(seen, shown, key), phase_of(dig(shown, where))
        if phase is None or id_ in EMPTY:
            continue
        life = memory.lives[f"{seen.operation.name} {key} {id_}"]
        found = {place: value for place in places if (value := dig(shown, place)) is not None}
        first = [place for place in places[:1] if place in found and place in life.settled]
        if phase in STEPS and any(not is_same(life.settled[place], found[place]) for place in first):
            life.phase, life.settled = None, {}  # somebody has started it again
        is_wrong = life.phase in TRANSITIONS and phase in TRANSITIONS and phase not in STEPS.get(str(life.phase), ())
        if is_wrong and phase != life.phase:
            if now - life.since < memory.lag_s:
                continue  # it may be shown late
            yield where, f"{where} of {readable(id_)} went from {life.phase} to {phase}"
        life.since = life.since if phase == life.phase else now
        life.phase = phase
        if phase in FINAL_PHASES:
            for place, value in found.items():
                if not is_same(life.settled.get(place, value), value):
                    was = readable(life.settled[place])
                    yield place, f"{place} of {readable(id_)}, which has ended, was {was}, and is {readable(value)}"
            life.settled |= found
