"""The secrets of this process, which no error and no log shows, in whatever form they are written there.

A secret of fewer than eight characters is hidden where no letter or digit stands beside it, a longer one everywhere.
One that may be a usual word or number, at most fifteen digits, or letters as in `word`, `Word` or `WORD`, is hidden so
in what a call with it brought; elsewhere, and if it has at most three characters, only behind its name, as in
`X-Auth-Token: abc`, `password=abc` and `{"password": "abc"}`.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

HIDDEN: Final = "***"
_USUAL = re.compile(r"\d{,15}|[A-Z]?[a-z]{,14}|[A-Z]{,15}")
_FEWEST = 4  # characters, from which on a secret is hidden also without its name
_SHORT = 8  # characters, from which on a secret is hidden also within a word
_MOST = 200  # secrets that are remembered: the newest
_LONGEST = 500  # characters of a secret that is also looked for in base64
_DEEPEST = 16  # blanks or backslashes for each one of a secret, in texts that quote texts; a limit keeps searches short

_SLASHES = rf"(?:\\|%5[Cc]){{1,{_DEEPEST}}}"
_BLANK = rf"(?:\s|\+|%2[0Bb]|%0[9A-Da-d]|{_SLASHES}(?:[nrtvf]|x0[9a-d]|u00[02][09a-d])|&nbsp;)"

# What stands around a whole word: no letter or digit, unless it belongs to an escape.
_BEFORE = r"(?:(?<![^\W_])|(?<=%[\da-fA-F]{2})|(?<=\\[nrt])|(?<=\\x[\da-f]{2})|(?<=\\u[\da-f]{4}))"
_AFTER = r"(?![^\W_])"
# What stands between a name and its value in headers, parameters, JSON and XML, and in `repr`, URLs and HTML of them.
_AROUND = r"(?:[\s\\\"'+\[({]|%(?:0[9ad]|2[0278b]|5[bc]|7b)|&(?:quot|#39|#x27|#34);)"
_IS = r"(?:[:=>]|%3[ade]|&gt;|(?:,|%2c)(?:\s|%20)?\\{,8}b?(?=\\{,8}['\"]|&quot|&#|%2[27]))"
_THEN = rf"[\d_-]{{,3}}{_AROUND}{{,16}}{_IS}(?:{_AROUND}|\\[nrt]){{,16}}(?:b(?=[\\'\"&%]))?{_AROUND}{{,4}}"

# The signature and the keys in a header or a presigned address, a user and a password before a host (but not the words
# for them), and a header that cannot be sent.
_NAMED = re.compile(
    r"((?:signature|security-?token|access-?key-?id|credential)=)[^&#,\s\"'<>]+"
    r"|(://)(?!\[?USER:PASSWORD@)[^/?#\s'\"]+(?=@)"
    r"|(illegal header value )b?(?:'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")",
    re.IGNORECASE,
)
_secrets: dict[str, None] = {}


def remember(*secrets: str | None) -> None:
    """Hide these texts from now on, without the blanks around them."""
    for secret in secrets:
        if secret and (secret := secret.strip()):
            _secrets.pop(secret, None)
            _secrets[secret] = None
    for oldest in [*_secrets.copy()][:-_MOST]:  # a copy, because other threads remember, too
        _secrets.pop(oldest, None)


def secrets_of(headers: Mapping[str, str]) -> set[str]:
    """The values of the headers that are secret by their names."""
    from modelarts_documents.secrets import is_secret

    return {value for name, value in headers.items() if is_secret(name)}


def hide(text: str, also: Iterable[str] = ()) -> str:
    """Return the text with `***` in place of the secrets that are remembered, those in addresses, and those of a call.

    The time is linear in the text.
    """
    of_call = set(map(str.strip, also))
    for secret in sorted({*_secrets.copy(), *of_call} - {""}, key=len, reverse=True):
        text = _pattern(secret, secret in of_call).sub(_hidden, text)
    return _NAMED.sub(_hidden, text)


def _hidden(found: re.Match[str]) -> str:
    """What is shown of a secret: the name before it."""
    return f"{found[found.lastindex] if found.lastindex else ''}{HIDDEN}"


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
def _pattern(secret: str, is_of_call: bool) -> re.Pattern[str]:
    """What the secret looks like in texts; its group, if there is one, is what stays."""
    is_usual = _USUAL.fullmatch(secret) is not None
    runs = re.findall(rf"{_BLANK}++|\\+|.", secret, re.DOTALL)
    parts = [part for run in runs for part in ([run] if re.search(r"\s", run) else re.findall(r"\\+|.", run))]
    spelt = "".join(_spellings(part, before[0] == "\\") for before, part in pairwise(["-", *parts]))
    after = "" if secret[-1] == "\\" else _AFTER  # which may belong to an escape that follows
    if len(secret) < _FEWEST or (is_usual and not is_of_call):
        return re.compile(f"((?i:{_names()}{_THEN})){spelt}{after}")
    forms = [spelt if len(secret) >= _SHORT and not is_usual else f"{_BEFORE}{spelt}{after}"]
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3 if len(secret) <= _LONGEST else 0):  # bytes of other texts in the first group of base64
        encoded = b64encode(bytes(before) + data).decode().rstrip("=")
        whole = encoded[-(-before * 8 // 6) : len(encoded) - bool((before + len(data)) % 3)]
        forms.append("".join({"+": "[+-]", "/": "[/_]"}.get(each, each) for each in whole))
    return re.compile("|".join(forms))


@cache
def _names() -> str:
    """A pattern for the ends of names of secrets; `token.id` is the member `id` of an object `token`."""
    from modelarts_documents.secrets import NAMES

    paths = [[r"[\W\d_]?".join(name) for name in path.split(".")] for path in NAMES]
    return "(?:{})".format("|".join(_THEN.join(path) for path in paths))


def _spellings(part: str, is_escaped: bool) -> str:
    r"""A pattern for a part of a secret, as itself and as URLs, JSON, HTML, `repr` and headers write it.

    A part is a character, all backslashes at a place, or blanks with what may stand for others among them. No text fits
    two parts that follow each other in two ways: backslashes before a part that `is_escaped` have those of its escapes.
    """
    if part.isascii() and part.isalnum():
        return part
    most = _DEEPEST * len(part)
    if part[0] == "\\" and not re.search(r"\s", part):
        return rf"(?:\\|%5[Cc]){{1,{most}}}+"
    slashes = rf"\\{{{int(not is_escaped)},{_DEEPEST}}}"
    if re.search(r"\s", part):
        return rf"{_BLANK.replace(_SLASHES, slashes)}{_BLANK}{{,{most}}}"
    data = part.encode("utf-8", "surrogatepass")
    percents = "".join(f"%{byte:02x}" for byte in data)
    escapes = {part.encode("unicode_escape").decode(), json.dumps(part)[1:-1], repr(data)[2:-1], rf"\{part}"}
    forms = {part, data.decode("latin-1"), html.escape(part), "&#39;" if part == "'" else part}
    forms -= {part} if is_escaped else set()  # its escape without backslashes
    return "(?:{})".format(
        "|".join(
            [f"(?i:{percents})"]
            + [re.escape(each).replace(r"\\", slashes) for each in escapes if each[0] == "\\"]
            + [re.escape(each) for each in forms]
        )
    )
