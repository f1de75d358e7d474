"""What is wrong with an exchange, or new in it: its kind, what it is about, a sentence, and the exchange that shows it.

A finding is made once, by a rule or from a failed check of schemathesis, and is what every report shows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Any

from modelarts_contract.exchange import Exchange
from modelarts_contract.redaction import REDACTED
from modelarts_contract.seen import Seen
from modelarts_documents.keys import Pointer

__all__ = ["NOTES", "Finding", "Kind", "Message"]

BODY_LENGTH = 20_000  # characters of a body in a file
OF_DOCUMENTS = ("pointer", "value")  # fields that only proposals need
# Headers that every client sends.
OF_CLIENTS = {
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "host",
    "user-agent",
    "x-schemathesis-testcaseid",
}
TOKEN = re.compile(f"'x-auth-token: {REDACTED}'", re.IGNORECASE)
NUMBERS = re.compile(r"\[\d*\]|\.\d+(?=\.|$)|^\d+(?=\.|$)")  # of the entries of lists, in the path of a field
# Ids, what redaction replaces names by, and numbers.
IDS_AND_NUMBERS = re.compile(r"\b[0-9a-f]{8}[0-9a-f-]{20,}\b|\b(?:name|text)[-_][0-9a-f]{8}\b|\d+")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


class Kind(StrEnum):
    """What was found, with a sentence and a weight: findings of more weight are shown first.

    4: others read or lose data; 3: the service does not do what it was asked for; 2: what it shows is wrong; 1: what it
    shows is incomplete; 0: it is new, and allowed.
    """

    headline: str
    weight: int

    def __new__(cls, name: str, weight: int = 0, headline: str = "") -> Kind:
        """A kind of this name; without a sentence, the name is one."""
        kind = str.__new__(cls, name)
        kind._value_, kind.weight, kind.headline = name, weight, headline or name.capitalize()
        return kind

    # About the request.
    UNKNOWN_OPERATION = "unknown operation", 2
    UNKNOWN_PARAMETER = "unknown parameter", 2
    INVALID_PARAMETER = "invalid parameter", 2
    INVALID_REQUEST = "invalid request", 2
    # About the response.
    SECURITY = "security", 4, "A request without the right login succeeds"
    LEAK = "leak", 4, "An error shows what nobody should see"
    ABSENT = "absent", 3, "What does not exist is shown"
    UPDATE = "update", 4, "What was written is not shown, or something else has changed"
    DELETED = "deleted", 4, "What was deleted is shown or listed"
    STORY = "story", 3, "A step does not work"
    SERVER_ERROR = "server error", 3, "The service fails"
    SUCCESS = "success", 3, "The status and the body contradict each other"
    REJECTED = "rejected", 3, "What the documents allow is rejected"
    ACCEPTED = "accepted", 3, "What the documents forbid is accepted"
    BROKE_OFF = "broke off", 3, "The run broke off"
    RULE_FAILED = "rule failed", 3, "A rule of the contract tests fails, so what it checks is not known"
    CHECK = "check", 2, "A check of yours or of schemathesis fails"
    UNKNOWN_STATUS = "unknown status", 2, "A status is not documented"
    UNKNOWN_CODE = "unknown error code", 2, "An error code is not documented for its status"
    INVALID_RESPONSE = "invalid response", 2, "A response does not fit its schema"
    CONTENT_TYPE = "content type", 2, "The Content-Type is wrong"
    PAGE_SIZE = "page size", 2, "A page is too large"
    PAGES = "pages", 2, "Pages do not fit together"
    TOTAL = "total", 2, "Numbers do not fit each other"
    ORDER = "order", 2, "A list has another order than was asked for"
    FILTER = "filter", 2, "A list does not hold its conditions"
    TIME = "time", 2, "A time or an order cannot be right"
    IDENTITY = "identity", 2, "A value contradicts others, or what it is about"
    PHASE = "phase", 2, "Phases come in a wrong order"
    EMPTY = "empty", 1, "Nothing is shown where something has to be"
    # New.
    UNKNOWN_FIELD = "unknown field", 0
    UNKNOWN_VALUE = "unknown value", 0
    MISSING_FIELD = "missing field", 0
    UNUSUAL = "unusual value", 0  # by what the documents assume


NOTES = frozenset(kind for kind in Kind if kind.weight == 0)


@dataclass(frozen=True, slots=True)
class Message:
    """A request or a response of a finding; `status` is a response's."""

    headers: Mapping[str, str]
    body: str
    method: str | None = None
    url: str | None = None
    status: int | None = None

    @classmethod
    def of(cls, exchange: Exchange) -> tuple[Message, Message | None]:
        """The request and the response, None if there was none."""
        request = cls(
            exchange.request_headers,
            exchange.request_body.decode("utf-8", "replace"),
            method=exchange.method,
            url=exchange.url,
        )
        if not exchange.status and not exchange.response_body:
            return request, None
        return request, cls(
            exchange.response_headers, exchange.response_body.decode("utf-8", "replace"), status=exchange.status
        )


@dataclass(frozen=True)
class Finding:
    """A difference between an exchange and the documents.

    `where` is the path of the field in the body or the name of the parameter. `pointer` leads to the part of the
    document that does not have the unknown thing, key by key, and `value` is that thing: the JSON value of a field, the
    value, text of a parameter, code or status, or the new members beside one that is missing. A run adds in which phase
    it was found, and the exchange.
    """

    kind: Kind
    operation: str  # operationId; empty for a request that no document has
    message: str
    where: str = ""
    document: str = ""
    pointer: Pointer = ()
    value: Any = None
    label: str = ""  # of the operation, "GET /v2/..."; empty if no single operation shows it
    check: str = ""  # of schemathesis, or of a user, that failed; empty for a rule
    phase: str = ""
    request: Message | None = None  # None where no single request shows it
    response: Message | None = None
    repeat: str = ""  # the command of this package that finds it again
    known: bool = False  # whether the baseline lists it: then it does not fail the run
    also: tuple[Finding, ...] = ()  # what has the same cause: other operations, and other values of the same response

    @classmethod
    def of(
        cls, seen: Seen, kind: Kind, message: str, where: str = "", pointer: Pointer = (), value: Any = None
    ) -> Finding:
        """A finding about the seen operation, and about the operation as a whole unless a pointer leads elsewhere."""
        operation = seen.operation
        pointer = pointer or operation.pointer
        return cls(kind, operation.operation_id, message, where, operation.name, pointer, value, operation.label)

    @property
    def breaks_contract(self) -> bool:
        """Whether client or service broke the contract; what is merely new is allowed, responses are open."""
        return self.kind not in NOTES

    @property
    def title(self) -> str:
        """What was found, as a sentence."""
        return self.kind.headline

    @property
    def place(self) -> str:
        """The path of the field without the numbers of entries."""
        return NUMBERS.sub("[]", self.where)

    @property
    def field(self) -> str:
        """The name of the field; empty if the finding is not about one."""
        return self.place.replace("[]", "").rstrip(".*").rpartition(".")[2]

    @cached_property
    def form(self) -> str:
        """The message without its place, ids, numbers and values, so that it is the same in another run."""
        said = self.message.partition("\n\n")[0]
        said = said.replace(self.where, "…") if self.where else said
        return IDS_AND_NUMBERS.sub("…", QUOTED.sub("…", said))[:200]

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """What makes it the same finding: the operation, what failed, at which place, and how."""
        return self.label or self.document, self.check or self.kind.value, self.place, self.form

    @cached_property
    def id(self) -> str:
        """Six hexadecimal digits, the same for the same finding in other runs."""
        return sha256("\0".join(self.identity).encode(errors="replace")).hexdigest()[:6]

    @property
    def curl(self) -> str:
        """The request as a command, with the token of the shell in place of a login; empty without a request."""
        if self.request is None:
            return ""
        headers = {name: value for name, value in self.request.headers.items() if name.lower() not in OF_CLIENTS}
        sent = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
        sent += ["-d", self.request.body] if self.request.body else []
        command = shlex.join(["curl", "-X", str(self.request.method), *sent, str(self.request.url)])
        return TOKEN.sub('"X-Auth-Token: $MODELARTS_TOKEN"', command)

    def shown_by(self, exchange: Exchange | None, phase: str) -> Finding:
        """The finding with the exchange that shows it, and the phase of the run."""
        request, response = Message.of(exchange) if exchange is not None else (None, None)
        return replace(self, request=request, response=response, phase=phase)

    def members(self) -> dict[str, Any]:
        """The finding as a JSON object of the reports."""
        own = {name: value for name, value in asdict(self).items() if name not in OF_DOCUMENTS}
        for message in filter(None, (own["request"], own["response"])):
            message["body"] = message["body"][:BODY_LENGTH]
        return {
            "id": self.id,
            **own,
            "title": self.title,
            "curl": self.curl,
            "also": [each.members() for each in self.also],
        }

    @classmethod
    def from_members(cls, content: Mapping[str, Any]) -> Finding:
        """The finding of such an object; raises ValueError for a kind that there is not, KeyError."""
        given = {each.name: content[each.name] for each in fields(cls) if each.name not in OF_DOCUMENTS}
        messages = {name: content[name] and Message(**content[name]) for name in ("request", "response")}
        also = tuple(map(cls.from_members, content["also"]))
        return cls(**{**given, **messages, "kind": Kind(content["kind"]), "also": also})
