"""What is wrong with an exchange, or new in it: its kind, what it is about, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from modelarts_contract.seen import Seen
from modelarts_documents.keys import Pointer

__all__ = ["NOTES", "Finding", "Kind"]


class Kind(StrEnum):
    """What was found, with a sentence; the first four are about the request."""

    headline: str

    def __new__(cls, name: str, headline: str = "") -> Kind:
        """A kind of this name; without a sentence, the name is one."""
        kind = str.__new__(cls, name)
        kind._value_, kind.headline = name, headline or name.capitalize()
        return kind

    UNKNOWN_OPERATION = "unknown operation"
    UNKNOWN_PARAMETER = "unknown parameter"
    INVALID_PARAMETER = "invalid parameter"
    INVALID_REQUEST = "invalid request"
    UNKNOWN_STATUS = "unknown status", "A status is not documented"
    UNKNOWN_CODE = "unknown error code", "An error code is not documented for its status"
    INVALID_RESPONSE = "invalid response", "A response does not fit its schema"
    SERVER_ERROR = "server error", "The service fails"
    CONTENT_TYPE = "content type", "The Content-Type is wrong"
    SUCCESS = "success", "A success does not say so"
    LEAK = "leak", "An error shows what nobody should see"
    SECURITY = "security", "A request without the right login succeeds"
    ABSENT = "absent", "What does not exist is shown"
    STORY = "story", "A step does not work"
    PAGE_SIZE = "page size", "A page is too large"
    PAGES = "pages", "Pages do not fit together"
    TOTAL = "total", "Values do not fit each other"
    ORDER = "order", "A list has another order than was asked for"
    FILTER = "filter", "A list does not hold its conditions"
    TIME = "time", "A time or an order cannot be right"
    NAME = "name", "A name or description is not shown as it was sent"
    UPDATE = "update", "An update changes too little or too much"
    IDENTITY = "identity", "What must be the same differs"
    EMPTY = "empty", "Nothing is shown where something has to be"
    DELETED = "deleted", "What was deleted is shown or listed"
    PHASE = "phase", "Phases come in a wrong order"
    RULE_FAILED = "rule failed", "A rule of the contract tests fails, so what it checks is not known"
    UNKNOWN_FIELD = "unknown field"
    UNKNOWN_VALUE = "unknown value"
    MISSING_FIELD = "missing field"
    UNUSUAL = "unusual value"  # by what the documents assume


NOTES = frozenset({Kind.UNKNOWN_FIELD, Kind.UNKNOWN_VALUE, Kind.MISSING_FIELD, Kind.UNUSUAL})


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between an exchange and the documents.

    `where` is the path of the field in the body or the name of the parameter. `pointer` leads to the part of the
    document that does not have the unknown thing, key by key, and `value` is that thing: the JSON value of a field, the
    value, text of a parameter, code or status.
    """

    kind: Kind
    operation: str
    message: str
    where: str = ""
    document: str = ""
    pointer: Pointer = ()
    value: Any = None

    @classmethod
    def of(
        cls, seen: Seen, kind: Kind, message: str, where: str = "", pointer: Pointer = (), value: Any = None
    ) -> Finding:
        """A finding about the seen operation, and about the operation as a whole unless a pointer leads elsewhere."""
        operation = seen.operation
        return cls(kind, operation.operation_id, message, where, operation.name, pointer or operation.pointer, value)

    @property
    def breaks_contract(self) -> bool:
        """Whether client or service broke the contract; what is merely new is allowed, responses are open."""
        return self.kind not in NOTES
