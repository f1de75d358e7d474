"""Read the numbers in a line of a log: metrics such as `loss: 0.31`, and the epoch or step that the line names.

A line is divided into numbers and the texts between them. The end of such a text names the number after it.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from modelarts_toolkit.own_files import own_table

LONGEST_PART = 10_000  # characters of a line, or of a state of a progress bar, that are read
_LONGEST_TEXT = 200  # characters before a number that are looked at
_LONGEST_NAME = 80
_MOST_WORDS = 4
_CLOSING = {"[": "]", "(": ")", '"': '"', "'": "'", "=": ">)", "#": ""}

_DATA: Mapping[str, Any] = own_table(__package__, "metric_lines.toml")
_COUNTERS = {name: kind for kind, names in _DATA["counters"].items() for name in names}
_W: Mapping[str, frozenset[str]] = {name: frozenset(words) for name, words in _DATA["words"].items()}
_MEASURED = _W["smaller"] | _W["larger"] | _W["neutral"] | _W["varying"]
_KNOWN = _MEASURED | _W["unsure"] | _W["phases"]
_P: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        text.format(word=_DATA["patterns"]["word"], phase="|".join(_DATA["words"]["phases"])), re.IGNORECASE
    )
    for name, text in _DATA["patterns"].items()
}
_TOKEN, _FINITE_OR_NOT = (re.compile(_P["token"].pattern + other) for other in ("", f"|{_P['not_finite'].pattern}"))

_NEXT, _UNIT = _P["next"], _P["unit"]
_SEPARATORS, _BARS, _HEADINGS = (frozenset(each) for each in (",;|", "|│┃", "eEsSiIrRcC#|│┃"))
_COUNTED = frozenset(_DATA["counters"])

Counters = dict[str, tuple[float, float]]  # how far it is, and of how many; 0 if that is not known


class Reading(NamedTuple):
    """Metrics by name, and the place in the training: `epoch`, `step`, and `part`, an epoch with its part."""

    values: dict[str, float]
    places: dict[str, float]


class Facts(NamedTuple):
    """What a name says: the kind of its numbers (epoch, step, batch, setting, varying, phase, metric), and the best.

    `best` is min, max, or "" if that is not sure; numbers of the kind `varying` differ from run to run.
    """

    kind: str
    best: str = ""
    is_known: bool = False
    phase: str = ""


@lru_cache(maxsize=4096)
def facts(name: str) -> Facts:
    """Return what is certain about the numbers with a name, such as `val_loss`."""
    words = _words_of(name)
    phase = " ".join(word for word in words if word in _W["phases"])
    text, plain = " ".join(words), " ".join(word for word in words if word not in _W["phases"])
    if text in _COUNTERS or plain in _COUNTERS:
        return Facts(_COUNTERS.get(text) or _COUNTERS[plain], phase=phase)
    if not _W["varying"].isdisjoint(words) or "per" in words[1:]:
        return Facts("varying", is_known=True, phase=phase)
    directions = ["min" if word in _W["smaller"] else "max" for word in words if word in _W["smaller"] | _W["larger"]]
    is_detail = bool(directions) and _P["detail"].fullmatch(text) is not None
    is_ignored = not words or (words[-1] in _W["last"] and not is_detail) or words[0] in _W["first"]
    if is_ignored or text.replace(" ", "_") in _W["settings"] or _P["file"].search(name):
        return Facts("setting")
    best = directions[-1] if directions and _W["unsure"].isdisjoint(words) else ""
    best = "min" if plain in _W["smaller_names"] else "max" if plain in _W["larger_names"] else best
    return Facts("metric" if plain else "phase", best, bool(best) or not _MEASURED.isdisjoint(words), phase)


@lru_cache(maxsize=4096)
def metric_of(name: str) -> str:
    """Return the name without the words that say of which data the numbers are: `loss` for `val_loss`."""
    return " ".join(word for word in _words_of(name) if word not in _W["phases"]) or name


def _words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, known ones without digits at their end: `Acc@1`, `valLoss`, `mAP50`."""
    found: list[str] = []
    for run in re.findall(r"[^\W_]+", name):
        parts = [run] if _known(run) else re.findall(r"[A-Z]?[^\WA-Z\d]+|[A-Z]+(?![a-z])|\d+", run)
        found += (_known(part) or part.lower() for part in parts)
    return " ".join(found).replace("cross entropy", "crossentropy").replace("log loss", "logloss").split()


def _known(word: str) -> str:
    low = word.lower()
    for each in (low, low.rstrip("0123456789")):
        if each in _KNOWN:
            return each
    return "" if low.isascii() else next((each for each in _KNOWN if not each.isascii() and low.endswith(each)), "")


def number(text: str, *, is_metric: bool = False) -> float | None:
    """Return a number as people, libraries and locales print it; None for others, and for `1,234`, which may be 1.234.

    `0,5` is a number only if it is certainly a metric: otherwise it may be a list.
    """
    try:
        return float(text)
    except ValueError:
        text = text.rstrip("%.").replace("−", "-")
    if "," in text:
        decimal = _P["decimal_comma"].fullmatch(text)
        if _P["thousands"].fullmatch(text) and (text.count(",") > 1 or "." in text):
            text = text.replace(",", "")
        elif (
            decimal
            and (is_metric or len(decimal["decimals"]) > 1)
            and (len(decimal["decimals"]) != 3 or text.lstrip("+-")[0] == "0")
        ):
            text = text.replace(".", "").replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def without_end(text: str) -> str:
    """Leave out the end of a text that was cut: a number at the cut may be half a number."""
    return re.sub(r"[^\s,;|\r]{1,100}$", "", text)


class LineReader:
    """Reads lines in order: the heading of a table, or a line with only `Epoch 2/5`, says what the next ones mean."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._separator = _P["separator"]
        self._section = ""
        self._counters: Counters = {}

    def read(self, line: str) -> list[Reading]:
        """Return the numbers of a line; of a progress bar those of each of its states, which follow after `\\r`."""
        if "[ModelArts Service Log]" in line or line.startswith("[modelarts-toolkit] "):  # no script printed it
            return []
        return [self._read(part) for part in line.split("\r") if part] if "\r" in line else [self._read(line)]

    def _read(self, text: str) -> Reading:
        if len(text) > LONGEST_PART:
            text = without_end(text[:LONGEST_PART])
        if "\x1b" in text:
            text = _P["escape"].sub("", text)
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text)  # full-width digits and signs
            text = _P["ordinal"].sub(lambda each: f"{'step' if each[2] in '步次' else 'epoch'} {each[1]} ", text)
            text = _P["beside_han"].sub(" ", text)
        if (" after " in text or " at " in text) and (late := _P["late"].search(text)):
            text = f"{late[1]} {late[2]}, {text[: late.start()]}: {text[late.end() :]}"
        if "@" in text:
            text = _P["at"].sub(lambda each: f"@{each[1]}-" if each[1] else "", text)
        values, counters = self._cells(text) or _pairs(text)
        if not values:
            self._counters = counters or self._counters
        elif not counters:
            counters = self._counters
        elif "epoch" not in counters and "epoch" in self._counters:
            counters["epoch"] = self._counters["epoch"]
        return Reading(values, _places(counters) if counters else {})

    def _cells(self, text: str) -> tuple[dict[str, float], Counters] | None:
        """Read a heading or a row of a table; None for anything else."""
        first = text.lstrip()[:1]
        if first in _BARS and (box := _P["box"].match(text)):  # a name such as `rollout/` is that of the rows below
            self._section = box["name"] if box["name"].endswith("/") and not box["cell"] else self._section
            return _cell(box["name"], box["cell"], self._section)
        self._section = ""
        if first in _HEADINGS and _P["heading"].match(text):
            self._separator = _P["comma" if "," in text else "separator"]  # otherwise a comma is a part of a number
            heading = text.partition(":")[0].strip(" |│┃")
            cells = [cell for cell in self._separator.split(heading) if cell]
            cells = cells if len(cells) > 1 and cells[0] != "Class" else heading.split()
            if len(cells) > 1 and not any(cell[0].isdigit() for cell in cells):
                self._columns = [cell.rpartition("(")[2].strip("):#") for cell in cells]
                return {}, {}
        cells = self._separator.split(text.strip(" |│┃")) if self._columns else []  # a cell may be empty, or `No log`
        cells = cells if len(cells) >= len(self._columns) else text.split()
        if (
            not self._columns
            or len(cells) < len(self._columns)
            or not (
                (_counted(cells[0]) and facts(self._columns[0]).kind in _COUNTED)
                or (cells[0], self._columns[0]) == ("all", "Class")
            )
        ):
            return None
        row = [_cell(name, cell) for name, cell in zip(self._columns, cells, strict=False)]
        values = {name: value for found, _ in row for name, value in found.items()}
        return (values, row[0][1]) if values else None


def _cell(name: str, cell: str, section: str = "") -> tuple[dict[str, float], Counters]:
    kind, value, place = facts(name).kind, number(cell, is_metric=True), _counted(cell)
    if kind in _COUNTED:
        return {}, {kind: place} if place else {}
    return {} if value is None or kind == "setting" else {f"{section}{name}": value}, {}


def _counted(text: str) -> tuple[float, float] | None:
    """Return a counter such as 3 or 3/5, with 0 for an unknown total; None for anything else."""
    count, _, total = text.rstrip(".").partition("/")
    try:
        found = float(count), float(total or 0)
    except ValueError:
        return None
    return found if 0 <= found[0] < math.inf else None


def _places(counters: Counters) -> dict[str, float]:
    """Return the places in the training, each a possible x."""
    found = {}
    steps = [counters[kind] for kind in ("step", "batch", "bar", "lead") if kind in counters]
    if steps:
        found["step"] = steps[0][0]
    if "epoch" in counters:
        found["epoch"] = epoch = counters["epoch"][0]
        if (share := next((each for each in steps if 0 < each[1] >= each[0]), None)) and epoch.is_integer():
            found["part"] = epoch + min(share[0], share[1] - 0.5) / share[1]  # never the next epoch
    return found


class _Role(NamedTuple):
    """What a text says about the number after it; `before` is a phase that it names before the name, as `[train]`."""

    name: str
    facts: Facts
    is_signed: bool
    opened: str
    before: str


_Pair = tuple[_Role, str, str, float]  # with the phase before the name, and the newest one that the line names


def _pairs(text: str) -> tuple[dict[str, float], Counters]:
    """Read the pairs of a name and a number, such as `epoch 3/5 train loss: 0.31, acc 0.9`."""
    found: list[_Pair] = []
    low = text.lower()
    tokens = _FINITE_OR_NOT if "nan" in low or "inf" in low.replace("info", "") else _TOKEN
    counters: Counters = {}
    end, before, newest, is_dump, share, codes = 0, "", "", False, _NO_ROLE, 0
    if ("{" in text or "(" in text) and (dump := _P["dump"].search(text)):
        text = text[: dump.start()]
    for token in tokens.finditer(text):
        word, start = token[0], token.start()
        role = _role(text[end if start - end < _LONGEST_TEXT else start - _LONGEST_TEXT : start])
        end = start + len(word)
        if role is _NO_ROLE and ("/" not in word or (found and text[start - 2 : start] != "| ")):
            if share.name and word[-1] == "%":  # Accuracy: 9530/10000 (95%)
                found.append((share, before, newest, number(word) or 0.0))
                share = _NO_ROLE
            continue
        before, newest, kind = role.before or before, role.before or newest, role.facts.kind
        if kind in _COUNTED or not role.name:
            _count(role, word, counters, text[end : end + 7])
        elif kind == "setting":
            is_dump = is_dump or role.name in _W["settings"]
        elif (word[-1] == "%" and text.startswith("|", end)) or (kind == "phase" and _P["bar"].match(text, end)):
            before = newest = role.facts.phase or before  # train: 40%|####; Train: 3 [40/100]
        elif (value := _value(role, word, text, end)) is not None:
            newest = role.facts.phase or newest
            found.append((role, before, newest, value))
            codes += value > 0 and word.isdecimal() and _P["code"].search(role.name) is not None
        else:  # `Test: [7/40]`
            before = newest = role.facts.phase or before
            _count(role, word if role.opened == "[" or word.endswith("epoch") else "", counters, "")
            share = role if role.facts.best and "/" in word else _NO_ROLE
    is_prose = not counters and not any(role.is_signed or role.facts.is_known for role, *_ in found)
    is_code = codes and not counters and codes == sum(role.facts.best != "" for role, *_ in found)
    if is_prose or is_code or (is_dump and not any(role.facts.best for role, *_ in found)):
        return {}, counters
    return _by_name(found), counters


def _count(role: _Role, word: str, counters: Counters, after: str) -> None:
    """Note a counter, or a number without a name, as in `7/40`, `[7] loss`, `7: loss`."""
    kind = role.facts.kind
    if kind in _COUNTED:
        if kind not in counters or "global" in role.name:
            counters |= {kind: place} if (place := _counted(word)) else {}
    elif word.endswith("epoch"):  # 3epoch
        counters |= {"epoch": place} if (place := _counted(word[:-5])) else {}
    elif "/" in word and not _P["clock"].match(after):
        counters |= {"bar": place} if (place := _counted(word)) else {}
    elif not role.name and word.isdecimal() and after[:1] == {"[": "]", "": ":"}.get(role.opened):
        counters |= {"lead": place} if "lead" not in counters and (place := _counted(word)) else {}


def _value(role: _Role, word: str, text: str, end: int) -> float | None:
    """Return the value of a name, or None for a part of a list, a size, and a word of a sentence.

    Of `loss:[0.52/0.61]`, the newest one and the average, it is the newest.
    """
    after, opening = text[end : end + 1], role.opened[-1:]
    if opening or (after and after not in _SEPARATORS):
        closing = ",)" if opening == "(" and role.opened.strip("#[(\"'") else _CLOSING.get(opening, "")
        if (opening and after not in closing) or _UNIT.match(text, end):
            return None
        if not role.is_signed and _NEXT.match(text, end) is None:
            return None
    word = word.partition("/")[0] if opening == "[" and "." in word else word
    return number(word, is_metric=role.facts.best != "")


def _by_name(pairs: list[_Pair]) -> dict[str, float]:
    """Name the numbers, those of training and validation apart; others of the same name in a line get a number."""
    values = {r.name if not before or r.facts.phase else f"{before} {r.name}": value for r, before, _, value in pairs}
    if len(values) == len(pairs):
        return values
    names = [r.name if not before or r.facts.phase else f"{before} {r.name}" for r, before, *_ in pairs]
    values = {}
    for name, (role, before, newest, value) in zip(names, pairs, strict=True):
        key = f"{newest} {name}" if names.count(name) > 1 and newest and not before and not role.facts.phase else name
        while key in values:
            key = f"{key} (again)"
        values[key] = value
    return values


@lru_cache(maxsize=4096)
def _role(text: str) -> _Role:
    """Return what the text before a number says about it."""
    text = text[1:] if text[:1] == "/" else text
    opened = next(_P["opened"].finditer(text))[0]
    head, opened = text[: len(text) - len(opened)], "".join(opened.split())
    sign = _P["sign"].search(head)
    named = head[: sign.start()] if sign else head
    found = None
    if sign or opened or named[-1:].isspace():
        found = _P["name"].search(named, max(0, len(named) - _LONGEST_NAME))
    name, before = _cleaned(found, sign is not None) if found else ("", "")
    start = found.start() + max((found["words"] or "").rfind(name), 0) if found and name else len(named)
    phases = [each for each in _P["phase"].finditer(named, 0, start) if not facts(each[0]).best]
    known = facts(name) if name else _NOTHING
    before = before or (phases[-1][0] if phases else "")
    if known.kind in _COUNTED:
        before = known.phase or before
    elif not name or (opened and not sign and not known.is_known and not opened.strip("#[(\"'")):
        opened = "-" if name else text.strip()[-1:]
        return _Role("", _NOTHING, False, opened, before) if before or opened in ("", "[") else _NO_ROLE
    return _Role(name, known, sign is not None, opened, before)


_NOTHING = Facts("")
_NO_ROLE = _Role("", _NOTHING, False, "-", "")


def _cleaned(found: re.Match[str], is_signed: bool) -> tuple[str, str]:
    """Return the name without the words of prose around it, and a phase that those name; "" if it is only prose."""
    if found["quoted"]:
        return found["quoted"], ""
    words, rest = found["words"].split(), ""
    while len(words) > 1 and words[0].lower() in _W["leading"]:
        del words[0]
    low = [word.lower() for word in words]
    around = next((place for place, word in enumerate(low) if word in _W["around"]), 0)
    if around:  # loss on the validation set
        words, rest = words[:around], " ".join(words[around:])
    elif prose := [place for place, word in enumerate(low) if word in _W["prose"] or word in _W["around"]]:
        words = words[prose[-1] + 1 :] if low[prose[-1]] not in ("at", "in") else []  # the best one at epoch 3
    if len(words) > _MOST_WORDS:
        words = words[-2:] if facts(" ".join(words[-2:])).is_known else []
    is_known = bool(words) and (facts(words[-1]).is_known or facts(" ".join(words)).kind in _COUNTED)
    if (rest and not (is_signed and is_known)) or (len(words) > 1 and not (is_signed or is_known)):
        return "", ""
    phase = _P["phase"].search(rest or found["of"] or "")
    if phase:
        return " ".join(words), phase[0]
    return " ".join(words) + (found["of"] or "") if words else "", ""
