"""Recordings in the HTTP Archive format (HAR 1.2), as browsers, proxies and other tools write them."""

from __future__ import annotations

import base64
import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from modelarts_contract.exchange import Exchange

__all__ = ["HarError", "read", "write"]

END = "\n  ]\n }\n}"  # of a file that is written here
TEXT = ("json", "text", "xml", "x-www-form-urlencoded")


class HarError(ValueError):
    """The file is not a recording; the text says what is wrong with it."""


def read(file: Path) -> Iterator[Exchange]:
    """The exchanges of a recording in their order; raises HarError, OSError."""
    try:
        entries = json.loads(file.read_text("utf-8-sig"))["log"]["entries"]
    except UnicodeDecodeError as error:
        raise HarError(f"{file} is not a HAR file: it is not UTF-8") from error
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
        cut = "it ends within the JSON, record it again" if is_cut else error.msg
        raise HarError(f"{file} is not a HAR file: line {error.lineno}, column {error.colno}: {cut}") from error
    except (LookupError, TypeError):
        entries = None
    if not isinstance(entries, list):
        raise HarError(f"{file} is not a HAR file: it has no log.entries")
    for number, entry in enumerate(entries, 1):
        try:
            yield exchange(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise HarError(f"{file}: entry {number} is not a HAR entry: {type(error).__name__}: {error}") from error


def exchange(entry: Mapping[str, Any]) -> Exchange:
    request, response = entry["request"], entry["response"]
    content = response.get("content") or {}
    posted = request.get("postData") or {}
    return Exchange(
        method=request["method"].upper(),
        url=request["url"],
        status=int(response["status"]),
        request_headers=headers(request.get("headers", ())),
        request_body=body(posted.get("text", ""), posted.get("encoding")),
        response_headers=headers(response.get("headers", ())),
        response_body=body(content.get("text", ""), content.get("encoding")),
        started_at=datetime.fromisoformat(entry.get("startedDateTime") or datetime.now(UTC).isoformat()),
        duration_s=float(entry.get("time", 0)) / 1000,
        has_body="text" in content or not content.get("size"),
        attempts=int(entry.get("_attempts", 1)),
    )


def headers(listed: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {header["name"]: header["value"] for header in listed}


def body(text: str, encoding: str | None) -> bytes:
    return base64.b64decode("".join(text.split()), validate=True) if encoding == "base64" else text.encode()


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
        request["postData"] = content_of(found.request_headers, found.request_body)
    response = {
        "status": found.status,
        "statusText": "",
        "redirectURL": found.response_headers.get("location", ""),
        **message(found.response_headers, found.response_body),
        "content": {
            "size": len(found.response_body),
            **content_of(found.response_headers, found.response_body),
        },
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


def content_of(headers: Mapping[str, str], content: bytes) -> dict[str, str]:
    """The body as HAR has it: text, or base64 of other bytes."""
    media = headers.get("content-type", "")
    if not media or any(kind in media for kind in TEXT):
        with contextlib.suppress(UnicodeDecodeError):
            return {"mimeType": media, "text": content.decode()}
    return {"mimeType": media, "text": base64.b64encode(content).decode(), "encoding": "base64"}
