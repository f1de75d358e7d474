"""Recordings in the HTTP Archive format (HAR 1.2), as browsers, proxies and other tools write them."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from modelarts_contract.exchange import Exchange

__all__ = ["Entry", "HarError", "content_of", "entries", "read", "write"]

END = "\n  ]\n }\n}"  # of a file that is written here
TEXT = ("json", "text", "xml", "x-www-form-urlencoded")
GZIP = b"\x1f\x8b"
FIRST_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # of entries before the first that has one
LONGEST_MS = 24 * 3600 * 1000
WITHOUT_BODY = ("GET", "HEAD", "DELETE", "OPTIONS")
OF_PAGES = ("document", "stylesheet", "script", "image", "font", "media", "manifest")
NOT_MODIFIED = 304


class HarError(ValueError):
    """The file is not a recording; the text says what is wrong with it."""


@dataclass(frozen=True)
class Entry:
    """An entry of a recording, with its number from 1; without an exchange, `problem` says why it has none.

    `is_of_browser`: a browser made the call for itself, such as a preflight, or took the response from its cache;
    `is_of_page`: it got a page or a part of it.
    """

    number: int
    exchange: Exchange | None
    problem: str = ""
    is_of_browser: bool = False
    is_of_page: bool = False


def read(file: Path) -> Iterator[Exchange]:
    """The exchanges of a recording in the order of their times; raises HarError, OSError."""
    return (each.exchange for each in entries(file) if each.exchange is not None)


def entries(file: Path) -> list[Entry]:
    """The entries of a recording in the order of their times; raises HarError, OSError.

    An entry without a time that can be read follows the one before it in the file.
    """
    time, found = FIRST_TIME, []
    for number, raw in enumerate(raw_entries(file), 1):
        time = time_of(raw) or time
        try:
            entry = Entry(number, exchange(raw, time), "", is_of_browser(raw), is_of_page(raw))
        except ValueError as error:
            entry = Entry(number, None, str(error))
        found.append((time, entry))
    return [entry for _, entry in sorted(found, key=lambda each: each[0])]


def content_of(file: Path) -> Any:
    """The JSON of a recording, in any encoding and also with gzip; raises HarError, OSError."""
    content = file.read_bytes()
    try:
        content = gzip.decompress(content) if content.startswith(GZIP) else content
        return json.loads(content.decode(json.detect_encoding(content)))
    except UnicodeDecodeError as error:
        raise HarError(f"{file} is not a HAR file: it is neither UTF-8 nor UTF-16") from error
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
        cut = "it ends within the JSON, record it again" if is_cut else error.msg
        raise HarError(f"{file} is not a HAR file: line {error.lineno}, column {error.colno}: {cut}") from error
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise HarError(f"{file} is not a HAR file: {error}") from error


def raw_entries(file: Path) -> list[Any]:
    """The entries as JSON; raises HarError, OSError."""
    found = member(member(content_of(file), "log"), "entries")
    if not isinstance(found, list):
        raise HarError(f"{file} is not a HAR file: it has no log.entries")
    return found


def exchange(entry: Any, started_at: datetime) -> Exchange:
    """The exchange of an entry; what it lacks or has in another form is not known. Raises ValueError for others."""
    request, response = member(entry, "request"), member(entry, "response")
    method, url, status = member(request, "method"), member(request, "url"), member(response, "status")
    if not isinstance(method, str) or not isinstance(url, str) or not isinstance(response, dict):
        raise ValueError("it has no request with a method and a URL, or no response")
    if isinstance(status, bool) or not re.fullmatch(r"\d{1,3}(\.0)?|None|-1", str(status)):
        raise ValueError(f"its status is {status!r}")
    try:
        urlsplit(url)
    except ValueError:
        raise ValueError("its URL cannot be read") from None
    sent_headers, received_headers = headers(request), headers(response)
    sent = body(member(request, "postData"), sent_headers)
    is_empty = method.upper() in WITHOUT_BODY and not sent_headers.keys() & {"content-length", "transfer-encoding"}
    if sent is None and (is_empty or member(request, "bodySize") == 0):
        sent = b""
    received = body(member(response, "content"), received_headers)
    attempts = member(entry, "_attempts")
    return Exchange(
        method=method.upper(),
        url=url,
        status=0 if str(status) in ("None", "-1") else int(float(status)),
        request_headers=sent_headers,
        request_body=sent or b"",
        response_headers=received_headers,
        response_body=received or b"",
        started_at=started_at,
        duration_s=duration_s(member(entry, "time")),
        has_request_body=sent is not None,
        has_body=received is not None,
        attempts=attempts if isinstance(attempts, int) else 1,
    )


def member(value: Any, name: str) -> Any:
    """A member of a JSON object; None if it has none, or if the value is no object."""
    return value.get(name) if isinstance(value, dict) else None


def headers(message: Any) -> dict[str, str]:
    """The headers but those of HTTP/2 itself, whose names begin with a colon."""
    given = member(message, "headers")
    pairs = [(member(each, "name"), member(each, "value")) for each in given] if isinstance(given, list) else []
    return {
        name.lower(): value
        for name, value in pairs
        if isinstance(name, str) and isinstance(value, str) and name[:1] != ":"
    }


def body(content: Any, headers: Mapping[str, str]) -> bytes | None:
    """The body; None if it was not kept. Raises ValueError for base64 that is none."""
    text = member(content, "text")
    if not isinstance(text, str):
        return b"" if member(content, "size") == 0 and headers.get("content-length") == "0" else None
    if member(content, "encoding") == "base64":
        try:
            return base64.b64decode("".join(text.split()), validate=True)
        except ValueError as error:
            raise ValueError(f"its body is not base64: {error}") from error
    return text.encode(errors="surrogatepass")


def time_of(entry: Any) -> datetime | None:
    """When it was sent; None for what is no time of these years."""
    try:
        time = datetime.fromisoformat(str(member(entry, "startedDateTime")))
    except ValueError:
        return None
    return time.replace(tzinfo=time.tzinfo or UTC) if 1990 < time.year < 9990 else None


def duration_s(time_ms: Any) -> float:
    is_time = isinstance(time_ms, int | float) and 0 <= time_ms <= LONGEST_MS
    return float(time_ms) / 1000 if is_time else 0.0


def is_of_browser(entry: Any) -> bool:
    """Whether a browser sent the request or made the response for itself: a preflight, a redirect, or its cache."""
    method, response = member(member(entry, "request"), "method"), member(entry, "response")
    is_made = member(response, "status") == NOT_MODIFIED or member(response, "statusText") == "Internal Redirect"
    return is_made or str(method).upper() == "OPTIONS"


def is_of_page(entry: Any) -> bool:
    """Whether a browser sent the request for a page or a part of it, and not a program in the page."""
    destination = headers(member(entry, "request")).get("sec-fetch-dest", "empty")
    return destination != "empty" or member(entry, "_resourceType") in OF_PAGES


def write(file: Path, exchanges: Iterable[Exchange], further: Mapping[str, Any] | None = None) -> None:
    """Write a recording, with further members of its log; only its owner can read it.

    Other programs see the old file or the whole new one.

    Raises OSError.
    """
    creator = {"name": "modelarts-toolkit", "version": version("modelarts-toolkit")}
    log = {"version": "1.2", "creator": creator, "entries": [entry_of(found) for found in exchanges]}
    log |= further or {}
    unfinished = file.with_name(f".{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as output:
        json.dump({"log": log}, output, indent=1, ensure_ascii=False)
    unfinished.replace(file)


def append(file: Path, exchange: Exchange) -> None:
    """Add an exchange to a recording that `write` wrote and that has some, in one write at its end; raises OSError."""
    entry = json.dumps(entry_of(exchange), indent=1, ensure_ascii=False)
    with file.open("r+b", buffering=0) as output:
        output.seek(-len(END), os.SEEK_END)
        output.write(f",\n{entry}{END}".encode())


def entry_of(found: Exchange) -> dict[str, Any]:
    request = {
        "method": found.method,
        "url": found.url,
        "queryString": listed(parse_qsl(urlsplit(found.url).query, keep_blank_values=True)),
        **message(found.request_headers, found.request_body),
    }
    if found.request_body:
        request["postData"] = content(found.request_headers, found.request_body)
    response = {
        "status": found.status,
        "statusText": "",
        "redirectURL": found.response_headers.get("location", ""),
        **message(found.response_headers, found.response_body),
        "content": {"size": len(found.response_body), **content(found.response_headers, found.response_body)},
    }
    time_ms = found.duration_s * 1000
    timings = {"send": 0, "wait": time_ms, "receive": 0}
    entry = {"startedDateTime": found.started_at.isoformat(), "time": time_ms, "cache": {}, "timings": timings}
    return {**entry, "request": request, "response": response, "_attempts": found.attempts}


def message(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """What requests and responses have in common."""
    sizes = {"headersSize": -1, "bodySize": len(body)}
    return {"httpVersion": "HTTP/1.1", "cookies": [], "headers": listed(headers.items()), **sizes}


def listed(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def content(headers: Mapping[str, str], body: bytes) -> dict[str, str]:
    """The body as HAR has it: text, or base64 of other bytes."""
    media = headers.get("content-type", "")
    if not media or any(kind in media for kind in TEXT):
        with contextlib.suppress(UnicodeDecodeError):
            return {"mimeType": media, "text": body.decode()}
    return {"mimeType": media, "text": base64.b64encode(body).decode(), "encoding": "base64"}
