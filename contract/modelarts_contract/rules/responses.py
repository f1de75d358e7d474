"""Rules about one response: its success, its content type, what it repeats of the request, what an error shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.rules.memory import Memory
from modelarts_contract.seen import Seen, dig, moment, readable, texts, whole

__all__ = ["RULES"]

PATH = re.compile(r"(?<![\w.:/-])/(?:home|root|usr|opt|srv|tmp|proc|etc|app|var)/[\w.-]+(?:/[\w.-]+)*")
INTERNAL = re.compile(
    r"Traceback \(most recent|\bat [\w$.]+\([\w$]+\.(?:java|go|py):\d+\)|\bjdbc:|\bFile \"[^\"]+\", line"
)
SECRET = re.compile(  # and not a sentence, such as "token: expired"
    r"(?:password|passwd|secret|token|credential)\w*[\"']?\s*[:=](?! [a-z]{1,12}(?:[^-\w]|$))\s*[\"']?[^\s\"',;}]{4,}",
    re.IGNORECASE,
)


def success_is_success(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A success has no error code; one of version 1 says that it is one."""
    if seen.is_success and isinstance(seen.shown, dict):
        if code := seen.shown.get("error_code"):
            yield Finding.of(seen, Kind.SUCCESS, f"a success has the error_code {code}", "error_code")
        elif seen.shown.get("is_success") is False and seen.schemas_at("is_success"):
            message = f"is_success is false with status {seen.exchange.status}"
            yield Finding.of(seen, Kind.SUCCESS, message, "is_success")
    elif seen.exchange.status >= 400 and dig(seen.shown, "is_success") is True:
        yield Finding.of(seen, Kind.SUCCESS, "a rejection says that it is a success", "is_success")


def content_is_typed(seen: Seen, _: Memory) -> Iterator[Finding]:
    """JSON is sent as JSON."""
    if not seen.exchange.response_headers or not seen.exchange.response_body or seen.schema is None:
        return
    media = seen.exchange.response_headers.get("content-type", "").casefold()
    if "json" not in media:
        content_type = f"is {media!r}" if media else "is missing"
        yield Finding.of(seen, Kind.CONTENT_TYPE, f"the Content-Type {content_type}, the body is documented as JSON")


def errors_tell_no_secrets(seen: Seen, _: Memory) -> Iterator[Finding]:
    """An error shows neither paths nor internals of the service, unless the request itself named them."""
    if seen.exchange.status < 400:
        return
    request = seen.exchange.url + seen.exchange.request_body.decode("utf-8", "replace")
    for text in texts(seen.shown):
        for form, what in ((PATH, "a path"), (INTERNAL, "internals"), (SECRET, "a secret")):
            match = form.search(text)
            if match and match[0] not in request:
                yield Finding.of(seen, Kind.LEAK, f"the error shows {what} of the service: {readable(text)}")


def request_is_repeated(seen: Seen, _: object) -> Iterator[Finding]:
    """What a response repeats of its path, or of the settings of a page, is as it was sent, or the default."""
    if not seen.is_success or not isinstance(seen.shown, dict):
        return
    defaults = {name: schema["default"] for name, schema in seen.operation.settings().items() if "default" in schema}
    settings = {**defaults, **seen.given} if seen.operation.pagination else {}
    for name, value in {**settings, **seen.path}.items():
        shown = dig(seen.shown, seen.operation.shown_at(name))
        if name not in seen.given and name in settings and is_replaced(shown):  # a default, and a redacted recording
            continue
        if name == seen.operation.pagination.get("limit") and seen.limit != seen.number("limit"):
            continue
        is_scalar = isinstance(shown, str | int) and shown != "" and isinstance(value, str | int)
        if is_scalar and str(shown) != str(value) and not is_same_time(value, shown):
            yield Finding.of(
                seen, Kind.IDENTITY, f"{name} was sent as {readable(value)}, and {readable(shown)} is shown", name
            )


def is_same_time(sent: Any, shown: Any) -> bool:
    """Whether a time of RFC 3339 is the one that was sent in milliseconds, to the second."""
    time_s, time_ms = moment(str(shown)), whole(sent)
    return time_s is not None and time_ms is not None and abs(time_s * 1000 - time_ms) < 1000


RULES = (success_is_success, content_is_typed, errors_tell_no_secrets, request_is_repeated)
