"""Removes secrets, ids, names, paths of objects and log lines from exchanges, before they are kept.

A text is kept only if it is published, a number, or a time: values that the documents list, and identifiers of their
words, such as names of flavors and engines. Commands, values of parameters and variables can be anything, so only
numbers of them are kept. Everything else is replaced; types, numbers and names of documented fields stay.

The same id or name becomes the same replacement everywhere in a recording, so that responses still fit to requests; the
replacements of another recording are others, because the key is random.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from .documents import Documents
from .exchange import Exchange
from .vocabulary import vocabulary

__all__ = ["IDS", "REDACTED", "Redaction"]

REDACTED = "REDACTED"
IDS = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{32}\b", re.IGNORECASE)
# Names of fields and parameters of which not even a number is kept.
SECRET_NAMES = re.compile(r"pass|pwd|secret|token|cred|sign|auth|(^|[-_])(ak|sk|pin|otp|access)$|.key$", re.IGNORECASE)
# Can be anything: nothing of their texts is kept.
TEXT_FIELDS = frozenset(
    {
        *("description", "content", "context", "job_desc", "version_desc", "config_desc"),
        *("command", "user_command", "regex"),
    }
)
# Names of people, accounts and things; `name` is one only inside these objects.
NAME_FIELDS = frozenset(
    {
        *("user_name", "create_user", "username", "domain_name", "project_name"),
        *("job_name", "version_name", "config_name", "search_content"),
    }
)
NAMED_OBJECTS = frozenset({"metadata", "user", "domain", "project"})
MAPS = frozenset({"labels"})  # besides those of the documents: their names are the client's, their values anything
ERROR_FIELDS = frozenset({"error_msg", "error_message", "error_solution", "message"})  # can quote the request
NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?(e[-+]?\d{1,3})?%?|true|false", re.IGNORECASE)
TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?")
NEW_VALUE = re.compile(r"([A-Z][a-z]+){1,4}|[a-z]+(_[a-z]+)*")  # of a field that may get values later
EXTENSION = re.compile(r"\.(py|sh|txt|log|json|ya?ml|csv|zip|tar|gz|pth?|ckpt|h5|npy)$")  # the service looks at it
TOKEN = re.compile(r"[^\s,:;=/'\"()<>\[\]{}|&?!@#`]+")
# Headers whose values have a form; of all others nothing is kept.
HEADERS: dict[str, re.Pattern[str]] = {
    "content-type": re.compile(r"(application|text)/[a-z.+-]+(; ?charset=[a-z]+-?\d*)?", re.IGNORECASE),
    "accept": re.compile(r"((application|text|\*)/[a-z.+*-]+(;q=[\d.]+)?,? ?)+", re.IGNORECASE),
    "content-length": re.compile(r"\d{1,12}"),
    "retry-after": re.compile(r"\d{1,6}"),
    "allow": re.compile(r"(GET|PUT|POST|DELETE|HEAD|OPTIONS|PATCH|, ?)+"),
    "date": re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"),
}


class Redaction:
    """Replaces what identifies somebody or something, consistently for all exchanges that it is given."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self._documents = Documents()
        self._known = vocabulary()
        self._names: set[str] = (
            set()
        )  # found in fields for names: replaced in sentences, too, if they are published words

    def __call__(self, exchange: Exchange) -> Exchange:
        """The exchange without secrets, ids, names, paths of objects, descriptions and log lines."""
        request_body = self._body(exchange.request_body)  # first, because the others can quote its names
        return replace(
            exchange,
            url=self._url(exchange.method, exchange.url),
            request_headers=self._headers(exchange.request_headers),
            request_body=request_body,
            response_headers=self._headers(exchange.response_headers),
            response_body=self._body(exchange.response_body),
        )

    def _url(self, method: str, url: str) -> str:
        parts = urlsplit(url)
        found = self._documents.find(method, parts.path)
        if found is None:
            path = re.sub(r"[^/]+", lambda segment: self._token(segment[0]), parts.path)
        else:
            operation, values = found
            path = operation.url_path({name: self._text(value, name, "") for name, value in values.items()})
        pairs = [
            (self._field(name), self._text(value, name, ""))
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, path, urlencode(pairs, quote_via=quote), ""))

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: value if (form := HEADERS.get(name.lower())) and form.fullmatch(value) else REDACTED
            for name, value in headers.items()
        }

    def _body(self, body: bytes) -> bytes:
        if not body:
            return body
        try:
            content = json.loads(body)
        except ValueError:
            return REDACTED.encode()  # nobody can say what another format holds
        return json.dumps(self._value(content, "", ""), ensure_ascii=False).encode()

    def _value(self, value: Any, name: str, parent: str) -> Any:
        """The value of a field, or of an entry of a list in it; `parent` is the field that has the object around it."""
        if isinstance(value, dict):
            # A filter has the name of a field, a parameter or a tag any name, which can say that its value is secret.
            named = next((str(value[key]) for key in ("name", "label", "key") if key in value), "")
            is_field = "operator" in value or SECRET_NAMES.search(named) or named in NAME_FIELDS
            inner = "job_name" if named == "name" else named
            return {
                self._field(key): self._value(child, inner if key == "value" and is_field else key, name)
                for key, child in value.items()
            }
        if isinstance(value, list):
            return [self._value(child, name, parent) for child in value]
        if isinstance(value, str):
            return self._text(value, name, parent) if value else value
        return 0 if self._is_map(parent) and value is not None else value

    def _text(self, text: str, name: str, parent: str) -> str:
        if text in self._known.values.get(name, ()):
            return text
        if name in TEXT_FIELDS or SECRET_NAMES.search(name):
            return REDACTED
        if name in NAME_FIELDS or (name == "name" and parent in NAMED_OBJECTS):
            self._names.add(text)
            return self._name(text)
        if self._is_map(parent):
            return self._name(text)
        if NUMBER.fullmatch(text) or TIME.fullmatch(text) or self._is_new_value(text, name):
            return text
        if name in ERROR_FIELDS:
            return TOKEN.sub(lambda found: self._word(found[0]), text)
        if "/" in text:
            scheme = re.match(r"(https?|obs|s3)://", text)
            start = scheme.end() if scheme else 0
            return text[:start] + TOKEN.sub(lambda found: self._segment(found[0]), text[start:])
        if name == "value":
            return REDACTED
        return TOKEN.sub(lambda found: self._token(found[0]), text)

    def _is_new_value(self, text: str, name: str) -> bool:
        return name in self._known.open_fields and bool(NEW_VALUE.fullmatch(text))

    def _is_map(self, field: str) -> bool:
        return field in self._known.maps or field in MAPS

    def _field(self, name: str) -> str:
        """The name of a field or parameter."""
        return name if name in self._known.fields or self._known.knows(name) else self._name(name)

    def _word(self, word: str) -> str:
        """A word of a sentence, with the full stop."""
        bare = word.rstrip(".")
        is_prose = bare.lower() in self._known.prose and bare not in self._names
        return word if is_prose else self._token(bare) + word[len(bare) :]

    def _token(self, text: str) -> str:
        """An identifier: published words stay unless they are a name, ids are replaced."""
        if text in self._names:
            return self._name(text)
        replaced = IDS.sub(lambda found: self._id(found[0]), text)
        rest = IDS.sub("", text).strip("-_.")
        return replaced if not rest or self._known.knows(rest) else self._name(text)

    def _segment(self, name: str) -> str:
        """A bucket, a folder or a file; extensions of files stay."""
        extension = EXTENSION.search(name)
        return self._name(name) + (extension[0] if extension else "")

    def _id(self, known: str) -> str:
        """Another id of the same form."""
        digits = iter(self._digest(known.lower()))
        return re.sub(r"[0-9a-f]", lambda _: next(digits), known, flags=re.IGNORECASE)

    def _name(self, known: str) -> str:
        """Another name; an id that is one stays an id."""
        return self._id(known) if IDS.fullmatch(known) else f"name-{self._digest(known)[:8]}"

    def _digest(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
