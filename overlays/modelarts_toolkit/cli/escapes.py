"""Escape control characters in printed text, which could change the terminal or break a table."""

import re

# C0 and C1, line separators, characters that reverse the direction of text, and surrogates.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

LINES = "\n\t"  # kept in messages of several lines


def escaped(text: str, *, kept: str = "") -> str:
    r"""Write the control characters of the text as `\x1b` or `\n`, except for those in `kept`."""
    return _CONTROL.sub(lambda sign: sign[0] if sign[0] in kept else sign[0].encode("unicode_escape").decode(), text)


def message(text: str) -> str:
    """Return the text of an error without control characters and without secrets."""
    from modelarts_runtime.hiding import hide  # not at the top: only errors need it

    return escaped(hide(text), kept=LINES)


def escaped_json(text: str) -> str:
    """Escape the control characters that JSON allows in strings."""
    return _CONTROL.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
