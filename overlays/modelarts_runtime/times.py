"""Times and durations of responses as objects of `datetime`, in addition to the numbers and texts of the wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar, cast

T_co = TypeVar("T_co", covariant=True)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"ms": timedelta(milliseconds=1), "s": timedelta(seconds=1)}


class Instant(Generic[T_co]):
    """A field as a datetime with its time zone; None where the service says nothing, or 0 for "not yet"."""

    def __init__(self, field: str, unit: str) -> None:
        self._field, self._unit = field, unit

    def __get__(self, model: object, owner: object = None) -> T_co:
        return cast("T_co", instant(getattr(model, self._field), self._unit) if model is not None else self)


class Span(Generic[T_co]):
    """A field as a timedelta; None where the service says nothing."""

    def __init__(self, field: str, unit: str) -> None:
        self._field, self._unit = field, unit

    def __get__(self, model: object, owner: object = None) -> T_co:
        return cast("T_co", span(getattr(model, self._field), self._unit) if model is not None else self)


def instant(value: Any, unit: str) -> datetime | None:
    """The time that a number of units since 1970, or a text of RFC 3339, means; None for anything else."""
    if isinstance(value, str) and unit not in _UNITS:
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            return None
        return time if time.tzinfo else None
    since = span(value, unit)
    try:
        return _EPOCH + since if since else None
    except OverflowError:
        return None


def span(value: Any, unit: str) -> timedelta | None:
    """The duration of a number of units; None for anything else. Some pages have the number as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if unit not in _UNITS or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value * _UNITS[unit]
    except (OverflowError, ValueError):
        return None


def lasted(duration: timedelta | None) -> str:
    """The duration, such as 2 d 03 h, 1 h 05 min, 3 min 20 s, 12 s or 6.3 s, never more than it was; empty for none.

    Only a duration of less than ten seconds that is more exact than a second has a decimal.
    """
    if not duration:
        return ""
    tenths = duration // timedelta(milliseconds=100)
    seconds = tenths // 10
    if seconds >= 2 * 86400:
        return f"{seconds // 86400} d {seconds % 86400 // 3600:02} h"
    if seconds >= 3600:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"
    if seconds >= 60:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds} s" if seconds >= 10 or duration == timedelta(seconds=seconds) else f"{tenths / 10:.1f} s"
