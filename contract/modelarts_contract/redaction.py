"""Removes secrets, ids, names, paths of objects and log lines from exchanges, before they are kept.

The same id or name becomes the same replacement everywhere in a recording, so that responses still fit to requests; the
replacements of another recording are others, because the key is random.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from .documents import Documents
from .exchange import Exchange

__all__ = ["IDS", "REDACTED", "Redaction"]

REDACTED = "REDACTED"
SECRET_HEADERS = re.compile(r"authorization|cookie|token|secret|password|signature|credential", re.IGNORECASE)
SECRET_FIELDS = re.compile(
    r"passw|secret|token$|^token_id|credential|signature|security_?token|(access|api|private)_?key|^access$",
    re.IGNORECASE,
)
# Fields that are secret in an object of this name only: tokens and keys of logins.
SECRET_PLACES = frozenset({("token", "id"), ("access", "key"), ("secret", "key")})
SECRET_PARAMETERS = re.compile(r"signature|credential|token|accesskey|secret|password", re.IGNORECASE)
SECRET_IN_TEXT = re.compile(
    r"([?&][^=&\s'\"]*(?:signature|credential|token|accesskey|secret|password)[^=&\s'\"]*=)[^&\s'\"<>)]+", re.IGNORECASE
)
IDS = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{32}\b", re.IGNORECASE)
# Objects: by URL, by the host that a bucket has, and, in the fields that hold them, by /bucket/key.
OBJECT_URL = re.compile(r"\b((?:obs|s3)://)([^\s'\"?#,;]+)")
BUCKET_OF_HOST = re.compile(r"^[a-z0-9.-]+?(?=\.(?:obs|s3)[.-])")
BUCKET_HOST = re.compile(r"(https?://)([a-z0-9.-]+?)(\.(?:obs|s3)[.-][^/\s'\"?#]+/)([^\s'\"?#]*)")
OBJECT_FIELDS = frozenset(
    {"code_dir", "boot_file", "obs_url", "file_path", "app_url", "boot_file_url", "data_url", "train_url", "log_url"}
)
IMAGE_FIELDS = frozenset({"image_url", "user_image_url"})  # organisation/name:tag
SEGMENT = re.compile(r"[^/]+")
PART_OF_IMAGE = re.compile(r"[^/:]+")
EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")  # is kept, because the service looks at it
# Fields with names of people, accounts and things; `name` is one only inside these objects.
NAME_FIELDS = frozenset(
    {
        *("user_name", "create_user", "username", "domain_name", "project_name"),
        *("job_name", "version_name", "config_name", "search_content"),
    }
)
NAMED_OBJECTS = frozenset({"metadata", "user", "domain", "project"})
VARIABLES = "environments"  # of jobs; their values can be anything
ERROR_FIELDS = frozenset({"error_msg", "error_message", "error_solution", "message"})  # can quote names of the request
SHORTEST_QUOTED = 3  # characters of a name that is looked for in errors
TEXT_FIELDS = frozenset({"description", "content", "job_desc", "version_desc", "config_desc"})


class Redaction:
    """Replaces what identifies somebody or something, consistently for all exchanges that it is given."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self._documents = Documents()
        self._names: dict[str, str] = {}

    def __call__(self, exchange: Exchange) -> Exchange:
        """The exchange without secrets, ids, names, paths of objects, descriptions and log lines."""
        return replace(
            exchange,
            url=self._url(exchange.method, exchange.url),
            request_headers={name: self._header(name, value) for name, value in exchange.request_headers.items()},
            request_body=self._body(exchange.request_body),
            response_headers={name: self._header(name, value) for name, value in exchange.response_headers.items()},
            response_body=self._body(exchange.response_body),
        )

    def _url(self, method: str, url: str) -> str:
        parts = urlsplit(url)
        pairs = [
            (name, REDACTED if SECRET_PARAMETERS.search(name) else self._value(value, name, ""))
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
        host = parts.netloc.rpartition("@")[2]
        query = urlencode(pairs, quote_via=quote)
        return urlunsplit((parts.scheme, host, self._url_path(method, parts.path), query, ""))

    def _url_path(self, method: str, path: str) -> str:
        found = self._documents.find(method, path)
        if found is None:
            return self._text(path)
        operation, values = found
        return operation.url_path({name: self._value(value, name, "") for name, value in values.items()})

    def _header(self, name: str, value: str) -> str:
        return REDACTED if SECRET_HEADERS.search(name) else self._text(value)

    def _body(self, body: bytes) -> bytes:
        if not body:
            return body
        try:
            content = json.loads(body)
        except ValueError:
            return REDACTED.encode()  # nobody can say what another format holds
        return json.dumps(self._value(content, "", ""), ensure_ascii=False).encode()

    def _value(self, value: Any, name: str, parent: str) -> Any:
        if isinstance(value, dict):
            # Parameters and filters are objects with a name and a value: the name says what the value is.
            named = next((str(value[key]) for key in ("name", "label", "key") if key in value), "")
            inner = "job_name" if named == "name" else named
            is_redacted = SECRET_FIELDS.search(inner) or inner in NAME_FIELDS
            return {
                key: self._value(child, inner if key == "value" and is_redacted else key, name)
                for key, child in value.items()
            }
        if isinstance(value, list):
            return [self._value(child, name, parent) for child in value]
        if not isinstance(value, str) or not value:
            return value
        if SECRET_FIELDS.search(name) or (parent, name) in SECRET_PLACES:
            return REDACTED
        if name in NAME_FIELDS or (name == "name" and parent in NAMED_OBJECTS) or parent == VARIABLES:
            return self._name(value)
        if name in OBJECT_FIELDS and value.startswith(("/", "http://", "https://")):
            return self._path(value) if value.startswith("/") else self._object_url(value)
        if name in IMAGE_FIELDS:
            return PART_OF_IMAGE.sub(lambda found: self._name(found[0]), value)
        if name in ERROR_FIELDS:
            value = self._without_names(value)
        return REDACTED if name in TEXT_FIELDS else self._text(value)

    def _text(self, text: str) -> str:
        text = SECRET_IN_TEXT.sub(rf"\1{REDACTED}", text)
        text = OBJECT_URL.sub(lambda found: found[1] + self._path(found[2]), text)
        text = BUCKET_HOST.sub(lambda found: found[1] + self._name(found[2]) + found[3] + self._path(found[4]), text)
        return IDS.sub(lambda found: self._id(found[0]), text)

    def _object_url(self, url: str) -> str:
        parts = urlsplit(url)
        host = BUCKET_OF_HOST.sub(lambda found: self._name(found[0]), parts.netloc)
        known = urlunsplit((parts.scheme, host, self._path(parts.path), parts.query, ""))
        return SECRET_IN_TEXT.sub(rf"\1{REDACTED}", known)

    def _without_names(self, text: str) -> str:
        """The text with the replacements of all names that were met before."""
        for known, replacement in self._names.items():
            text = re.sub(rf"(?<![\w-]){re.escape(known)}(?![\w-])", replacement, text)
        return text

    def _path(self, path: str) -> str:
        """The path with another name for each bucket and folder; extensions stay."""
        return SEGMENT.sub(lambda found: self._segment(found[0]), path)

    def _segment(self, name: str) -> str:
        extension = EXTENSION.search(name)
        return self._name(name) + (extension[0] if extension else "")

    def _id(self, known: str) -> str:
        """Another id of the same form."""
        digits = iter(self._digest(known.lower()))
        return re.sub(r"[0-9a-f]", lambda _: next(digits), known, flags=re.IGNORECASE)

    def _name(self, known: str) -> str:
        replacement = f"name-{self._digest(known)[:8]}"
        if len(known) >= SHORTEST_QUOTED:
            self._names[known] = replacement
        return replacement

    def _digest(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
