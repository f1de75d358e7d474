"""Moments, durations, sizes and lines of logs as people read them."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from os.path import commonprefix

from modelarts_runtime.times import lasted as lasted

SIZE_UNITS = ("B", "kB", "MB", "GB", "TB")
_EXPONENT = re.compile(r"e\+?(-?)0*")
_TASK = re.compile(r"\[worker-\d+\] ")
_MOVED = re.compile(r"\r+|\x1b\[[\d;]*[ABEFGHf]")  # the cursor: to the begin of the line, or to another one
WIDEST = 500  # columns of a terminal
_REWRITTEN = re.compile(r"\r|\x08|\x1b\[[\d;]*[A-HJKf]")
_COLOURS = re.compile(r"\x1b\[[\d;:]*m")
_BACK = re.compile(r"\x1b\[(\d*)D")
_CLEARED = re.compile(r"(?s).*\x1b\[(?:[12]K|\d?J)")
_PART = re.compile(r"(?s)\x1b\[[0-?]*[ -/]*[@-~]|.")


def when(moment: datetime | None) -> str:
    """The moment in the time zone of this machine, such as 2026-11-23 09:30:00; empty for None."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def size_text(size: float) -> str:
    """The number of bytes, such as 12.3 MB."""
    number, unit = float(size), 0
    while number >= 1000 and unit < len(SIZE_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {SIZE_UNITS[unit]}" if unit else f"{number:.0f} B"


def number_text(value: float) -> str:
    """The number with four digits, whole below a million: 0.3125, 12346, 3e-5; never 0 for another one."""
    if 9999.5 <= abs(value) < 999_999.5:
        return f"{value:.0f}"
    return _EXPONENT.sub(r"e\1", f"{value + 0.0:.4g}")


def counted(number: int, what: str) -> str:
    """The number with its noun, such as `1 file` and `2 files`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def shortened(text: str, width: int) -> str:
    """The text, cut to this width in characters."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"


def first_of(texts: Sequence[str], most: int) -> str:
    """The first texts of a list, and the number of others."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def distinct_prefixes(ids: Iterable[str], least: int = 8) -> dict[str, str]:
    """The first characters of each id, as many as no other one of them begins with, and `least` at least."""
    ordered = sorted(set(ids))
    shared = [len(commonprefix(pair)) for pair in pairwise(ordered)]  # noqa: RUF071 - not paths
    longest = map(max, [0, *shared], [*shared, 0])  # that each shares with one of its neighbours
    return {each: each[: max(least, length + 1)] for each, length in zip(ordered, longest, strict=False)}


def nearest(name: object, known: Iterable[object], form: str, cutoff: float = 0.6) -> str:
    """The form, filled with the name that is nearest to one that does not exist; empty if none is near."""
    from difflib import get_close_matches  # only for errors

    near = get_close_matches(str(name), [str(each) for each in known], 1, cutoff)
    return form.format(near[0]) if near else ""


def last_state(line: str) -> str:
    """What a terminal shows of a line that a program rewrites, such as a progress bar: the newest text and its colours.

    A shorter text is not mixed with what it leaves of an older one.
    """
    if not _REWRITTEN.search(line):
        return line
    task = found[0] if (found := _TASK.match(line)) else ""
    states = _MOVED.split(_BACK.sub(_steps_back, line[len(task) :]))
    last = len(states) - 1
    while last and not _COLOURS.sub("", states[last]).strip("\b"):  # only colours
        last -= 1
    after = _COLOURS.findall("".join(states[last + 1 :]))
    return task + colours_of("".join(states[:last])) + _without_erased(states[last]) + "".join(after)


def _steps_back(found: re.Match[str]) -> str:
    steps = int(found[1][:4] or 1)
    return "\b" * steps if steps <= WIDEST else "\r"


def _without_erased(text: str) -> str:
    """The text without what was erased, or left by the cursor for something else."""
    if found := _CLEARED.match(text):
        text = colours_of(found[0]) + text[found.end() :]
    if "\b" not in text:
        return text
    shown: list[str] = []
    letters: list[int] = []  # their places in it
    back = 0  # letters that the cursor has gone back
    for part in _PART.findall(text):
        is_code = len(part) > 1
        if part == "\b":
            back += 1
            continue
        if not is_code or part.endswith("K"):
            for place in letters[len(letters) - min(back, len(letters)) :]:
                shown[place] = ""
            del letters[len(letters) - min(back, len(letters)) :]
            back = 0
        if not is_code:
            letters.append(len(shown))
        shown.append(part)
    return "".join(shown)


def colours_of(text: str) -> str:
    """The codes of colours that hold at the end of a text; one that ends them, only if they began before the text."""
    codes: list[str] = []
    ended: list[str] = []
    for code in _COLOURS.findall(text):
        if code not in ("\x1b[m", "\x1b[0m"):
            codes.append(code)
        elif codes:
            codes = []
        else:
            ended = [code]
    return "".join(ended + codes)
