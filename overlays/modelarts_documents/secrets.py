"""How texts and values are shown without the secrets in them, which are known by their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from modelarts_openapi.secrets import NAMES as NAMES
from modelarts_openapi.secrets import SUSPICIOUS

HIDDEN: Final = "***"
"""Stands for a secret."""

# The name of a member of JSON, the begin and the end of an object or a list, or another value, even if it is cut off.
_TOKENS: Final = (
    r'("[^"\\]*(?:\\.[^"\\]*)*")\s*:|([{\[])|([}\]])|("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|-?\d[^\s,:{}\[\]"]*)'
)
_PARAMETERS: Final = r"""((?:^|[?&#])([^?&#=\s'"]+)=)((?:[^&#\s"<>']|'(?![\s,)>\]]|$))+)"""


def is_secret(name: str, parent: str = "") -> bool:
    """Whether the name, of a header, a parameter or a member of an object named `parent`, is that of a secret."""
    path = f"{parent}.{name}"
    return re.sub(r"[^a-z.]+", "", path.lower()).endswith(NAMES)


def is_suspicious(name: str) -> bool:
    """Whether the value is probably secret, where nothing says what it is."""
    return is_secret(name) or re.search(SUSPICIOUS, name, re.IGNORECASE) is not None


def hidden(value: Any, name: str = "", parent: str = "") -> Any:
    """Return the value of a member as it may be shown: secret texts and numbers are replaced."""
    if isinstance(value, Mapping):
        return {key: hidden(item, str(key), name) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [hidden(item, name, parent) for item in value]
    is_shown = isinstance(value, bool) or not isinstance(value, str | bytes | int | float)
    return value if is_shown or not is_secret(name, parent) else HIDDEN


def secrets_in(text: str) -> Iterator[re.Match[str]]:
    """Yield where the texts and numbers in a JSON document are secret; it may be cut off."""
    name = parent = ""
    outer: list[tuple[str, str]] = []
    for found in re.finditer(_TOKENS, text, re.DOTALL):
        key, opening, closing, _ = found.groups()
        if key:
            name = unquoted(key)
        elif opening:
            outer.append((name, parent))
            if opening == "{":
                name, parent = "", name
        elif closing:
            name, parent = outer.pop() if outer else ("", "")
        elif is_secret(name, parent):
            yield found


def unquoted(literal: str) -> str:
    """Return the text of a string of JSON, or as much as there is of it."""
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal.strip('"')


def without_secrets(text: str) -> str:
    """Return the text of a JSON document, which may be cut off, without its secrets."""
    kept, end = "", 0
    for found in secrets_in(text):
        kept += f'{text[end : found.start()]}"{HIDDEN}"'
        end = found.end()
    return kept + text[end:]


def without_parameters(text: str) -> str:
    """Return a query, or a text with addresses, without the values of parameters that are probably secret."""

    def shown(found: re.Match[str]) -> str:
        return found[1] + HIDDEN if is_suspicious(unquote_plus(found[2])) else found[0]

    return re.sub(_PARAMETERS, shown, text)
