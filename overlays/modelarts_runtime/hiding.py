"""The secrets of this process, which no error and no log shows, in whatever form they are written there.

One of fewer than `SHORTEST` characters, or of at most fifteen lower-case letters and nothing else, may be a word, or a
part of one, and services accept no such password: it is hidden only where its name stands beside it, as those of
headers, parameters and members of JSON do, and a word also in errors about the response to the request that has it.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

HIDDEN: Final = "***"
SHORTEST = 4
"""Characters."""
_WORD = re.compile("[a-z]{,15}")
_MOST = 200  # secrets that are remembered: the newest
_LONGEST = 500  # characters of a secret that is also looked for in base64

# The signature and the keys in a header or a presigned address, a user and a password before a host, and a header that
# cannot be sent.
_NAMED = re.compile(
    r"(\b[\w-]*(?:signature|security-?token|access-?key-?id|credential)=)[^&#,\s\"'<>]+|(://)[^/?#\s'\"]+(?=@)"
    r"|(illegal header value )b?(?:'[^']*'|\"[^\"]*\")",
    re.IGNORECASE,
)
_secrets: dict[str, None] = {}


def remember(*secrets: str | None) -> None:
    """Hide these texts from now on, without the blanks around them."""
    for secret in secrets:
        if secret and not _WORD.fullmatch(secret := secret.strip()):
            _secrets.pop(secret, None)
            _secrets[secret] = None
    while len(_secrets) > _MOST:
        _secrets.pop(next(iter(_secrets)), None)


def secrets_of(headers: Mapping[str, str]) -> set[str]:
    """The values of the headers that are secret by their names."""
    from modelarts_documents.secrets import is_secret

    return {value for name, value in headers.items() if is_secret(name)}


def hide(text: str, also: Iterable[str] = ()) -> str:
    """Return the text with `***` in place of the secrets that are remembered, those in addresses, and others."""
    for secret in sorted({*_secrets.copy(), *map(str.strip, also)}, key=len, reverse=True):
        if len(secret) >= SHORTEST:
            text = _pattern(secret).sub(HIDDEN, text)
    return _NAMED.sub(lambda found: f"{found[1] or found[2] or found[3]}{HIDDEN}", text)


def hide_in(error: BaseException) -> None:
    """Hide the secrets in what a traceback prints: the error's text and notes, and those of the errors before it."""
    todo: list[BaseException | None] = [error]
    seen = set[int]()
    while todo:
        if (each := todo.pop()) is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.args = tuple(map(_shown, each.args))
        if hasattr(each, "__notes__"):
            each.__notes__ = [hide(note) for note in each.__notes__]
        todo += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]


def _shown(argument: object) -> object:
    """The argument of an error, or a text without its secrets."""
    text = argument if isinstance(argument, str) else repr(argument)
    return argument if (hidden := hide(text)) == text else hidden


@lru_cache(2 * _MOST)
def _pattern(secret: str) -> re.Pattern[str]:
    forms = ["".join(map(_spellings, re.sub(r"\\+", r"\\", re.sub(r"\s+", " ", secret))))]
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3 if len(secret) <= _LONGEST else 0):  # bytes of other texts in the first group of base64
        encoded = b64encode(bytes(before) + data).decode().rstrip("=")
        whole = encoded[-(-before * 8 // 6) : len(encoded) - bool((before + len(data)) % 3)]
        forms.append("".join({"+": "[+-]", "/": "[/_]"}.get(each, each) for each in whole))
    return re.compile("|".join(forms))


def _spellings(char: str) -> str:
    r"""A pattern for a character of a secret, as itself and as URLs, JSON, HTML, `repr` and headers write it."""
    if char.isascii() and char.isalnum():
        return char
    if char == " ":  # any blanks
        return r"(?:\s|\+|%20|%0[9A-Da-d]|\\+[nrtvf]|\\+x0[9a-d]|\\+u00[02][09a-d]|&nbsp;)+"
    if char == "\\":
        return r"(?:\\|%5[Cc])+"
    data = char.encode("utf-8", "surrogatepass")
    percents = "".join(f"%{byte:02x}" for byte in data)
    escapes = {char.encode("unicode_escape").decode(), json.dumps(char)[1:-1], repr(data)[2:-1], rf"\{char}"}
    forms = {char, data.decode("latin-1"), html.escape(char), "&#39;" if char == "'" else char}
    return "(?:{})".format(
        "|".join(
            [f"(?i:{percents})"]
            + [re.escape(each).replace(r"\\", r"\\+") for each in escapes if each[0] == "\\"]
            + [re.escape(each) for each in forms]
        )
    )
