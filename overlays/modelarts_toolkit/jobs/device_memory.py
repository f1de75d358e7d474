"""Read how full an accelerator was that ran out of memory, and who held it: in an error, or in the emulator's event.

The forms of errors are those of PyTorch (since 2.1 and before, for NPUs, too), TensorFlow, JAX, CuPy, PaddlePaddle,
MindSpore and ONNX Runtime. All count KB, MB and GB by 1024.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PROCESSES, TASKS = "processes", "tasks"  # who held most of the memory
_NAMED = 3  # of the processes on a card
_TOLERANCE = 0.02  # of sizes that were measured one after the other
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_SIZE = r"([\d,]*\d(?:\.\d+)? ?(?:[KMGT]i?B?|B|bytes)\b)"
_SEEN = r"\d+(?:\.\d+)? [KMGT]B"
_ASKED = re.compile(
    r"(?i:tried to allocate|trying to allocate|cannot allocate|memory allocating|memory to allocate"
    rf"|failed to allocate(?: request for)?|alloc size:) {_SIZE}"
)
_CARD = re.compile(r"\b(GPU|NPU)[ :=]+(\d+)|(device) ordinal (\d+)|(Device)\(id:(\d+)\)")
_TOTAL = re.compile(rf"capaci?ty of {_SIZE}|{_SIZE} total capacity")
_FREE = re.compile(rf"of which {_SIZE} is free|{_SIZE} free;|available memory is only {_SIZE}")
_ALLOWED = re.compile(rf"{_SIZE} allowed;|limit set to: {_SIZE}")
_OWN = re.compile(rf"this process has {_SIZE} memory in use")
_OF_PROCESS = re.compile(rf"\bProcess (\d+) has {_SIZE} memory in use")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by PyTorch")
_PARTS = re.compile(rf"{_SIZE} (?:is allocated by PyTorch|is reserved by PyTorch|already allocated|cached\))")
_OF_CUPY = re.compile(rf"\((?:allocated so far:|total) {_SIZE}")
_EVENT = re.compile(
    rf"(?:\[(?P<task>[\w-]+)\] ?)?(?P<text>(?:GPU|NPU) \S+ \(.*?(?:, (?P<total>{_SEEN}))?\) was almost full: "
    rf"(?P<used>{_SEEN}) were in use at most(?:; (?P<holders>.+?))?)\.?"
)
_OF_HOLDER = re.compile(rf" ({_SEEN})(?: of it)?(?=, |$)")


@dataclass(frozen=True, slots=True)
class Shortage:
    """A sentence on the accelerator that ran out of memory.

    `held_by` is `PROCESSES` if others held more than half of its memory, and `TASKS` if the emulator's event says so.
    """

    sentence: str
    held_by: str = ""


def is_event(text: str) -> bool:
    """Whether this is the emulator's event about an accelerator that was almost full."""
    return _EVENT.fullmatch(text) is not None


def of_events(events: Iterable[str], task: str) -> Shortage | None:
    """Read the event about the only accelerator of the task that was almost full; None if there is not one of them."""
    found = [match for match in map(_EVENT.fullmatch, events) if match and match["task"] in (None, task)]
    if len(found) != 1:
        return None
    held = sum(map(_bytes, _OF_HOLDER.findall(found[0]["holders"] or "")))
    is_of_others = 2 * held > _bytes(found[0]["total"] or found[0]["used"])
    return Shortage(f"{found[0]['text']}.", TASKS if is_of_others else "")


def of_error(lines: Sequence[str]) -> Shortage | None:
    """Read the lines of an error; None if they say nothing about the accelerator."""
    text = " ".join(lines)
    asked, total, free, allowed = (_first(pattern, text) for pattern in (_ASKED, _TOTAL, _FREE, _ALLOWED))
    card = _CARD.search(text)
    if asked is None and card is None:
        return None
    sentence = "An allocation failed" if asked is None else f"Allocating {_text(asked)} failed"
    if card:
        kind, number = filter(None, card.groups())
        sentence += f" on the script's {kind if kind.isupper() else 'device'} {number}"
        sentence += f" of {_text(total)}" if total else ""
    facts = [] if free is None else [f"{_text(free)} were free"]
    others = 0.0
    if total:
        others, holders = _holders(text, total, free)
        facts += holders
    if cupy := _first(_OF_CUPY, text):
        facts.append(f"CuPy held {_text(cupy)}")
    if allowed:
        facts.append(f"the failed process may use {_text(allowed)}")
    has_room = asked is not None and free is not None and free >= asked
    is_of_others = total is not None and 2 * others > total and not has_room
    return Shortage(f"{sentence}{': ' * bool(facts)}{', '.join(facts)}.", PROCESSES if is_of_others else "")


def _holders(text: str, total: float, free: float | None) -> tuple[float, list[str]]:
    """Return how much others held at least, and what each process held.

    Sizes that the card cannot have are left out: some systems report such, and for a slice all processes of its card.
    In a container, PyTorch lists its own process by a number of the machine, and cannot tell it from others.
    """
    pytorch = _first(_RESERVED, text) or sum(map(_bytes, _PARTS.findall(text)))
    own, used = _first(_OWN, text), total - (free or 0)
    listed = {pid: _bytes(size) for pid, size in _OF_PROCESS.findall(text)}
    if sum(listed.values()) + (own or 0) > used + total * _TOLERANCE:
        own, listed = None, {}
    others, names, facts = sum(listed.values()), {pid: f"process {pid}" for pid in listed}, []
    if own is not None:
        facts.append(f"the failed process held {_text(own)}")
    elif listed:
        possible = [pid for pid, size in listed.items() if size >= pytorch * (1 - _TOLERANCE)]
        if len(possible) == 1 and used - others < pytorch * (1 - _TOLERANCE):  # it must be one of them
            names[possible[0]] = f"the failed process ({possible[0]})"
        others -= max((listed[pid] for pid in possible), default=0.0)
    elif 0 < pytorch <= total:
        facts.append(f"PyTorch in the failed process held {_text(pytorch)}")
        others = 0.0 if free is None else used - pytorch
        if 2 * others > total:
            facts.append(f"{_text(others)} were in use outside it")
    largest = sorted(listed, key=lambda pid: -listed[pid])
    shown = [f"{names[pid]} held {_text(listed[pid])}" for pid in largest[:_NAMED]]
    if rest := largest[_NAMED:]:
        shown.append(f"{len(rest)} more held {_text(sum(listed[pid] for pid in rest))}")
    return others, [*shown, *facts]


def _first(pattern: re.Pattern[str], text: str) -> float | None:
    """Return the first size that the pattern finds, in bytes."""
    found = pattern.search(text)
    return None if found is None else _bytes(next(filter(None, found.groups())))


def _bytes(size: str) -> float:
    number, unit = re.findall(r"[\d.,]+|[A-Za-z]+", size)
    return float(number.replace(",", "")) * 1024.0 ** ("KMGT".find(unit[0]) + 1)


def _text(size: float) -> str:
    power = next(power for power in range(5) if size < 1024 ** (power + 1) or power == 4)
    return f"{size / 1024**power:.{2 * bool(power)}f} {_UNITS[power]}"
