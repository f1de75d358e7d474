"""Hints for schemathesis about a document: things that exist, and values to send instead of drawn ones.

All of it is data, `x-contract` in the overlay of the document (overlays/README.md).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import schemathesis

from modelarts_contract.documents import HARMLESS, Operation, operations_of
from modelarts_contract.exchange import within
from modelarts_contract.expressions import Scope, changed, evaluate, fingerprint

__all__ = ["Hints", "kind_of"]

NOBODY = 999_999_999  # an id that no thing has


class Hints:
    """The hints that the overlay of a document gives."""

    def __init__(self, content: dict[str, Any], scope: Scope) -> None:
        self.operations = {operation.operation_id: operation for operation in operations_of("", content)}
        self.contract: dict[str, Any] = content.get("x-contract", {})
        self.scope = scope
        self.existing = {str(value) for _, value in within(scope["known"]) if isinstance(value, str | int)}
        self._turns: Counter[str] = Counter()
        self._bodies = 0

    def operation(self, case: schemathesis.Case) -> Operation:
        """The operation that the case is about, also where it has another method."""
        return self.operations[case.operation.definition.raw["operationId"]]

    def ground(self, case: schemathesis.Case) -> bool:
        """Let three of four requests be about things that exist; whether a well-formed one now has to succeed.

        What changes a thing is not counted, unless it can be done again and again: `harmless`.
        """
        operation = self.operation(case)
        is_led, is_made = self.aim(operation, case), self.ground_body(operation, case)
        is_repeatable = kind_of(operation, case) in ("read", "create") or "harmless" in operation.contract
        return is_positive(case) and is_repeatable and is_led and is_made

    def aim(self, operation: Operation, case: schemathesis.Case) -> bool:
        """Lead three of four calls to things that exist, and calls that change things away from those that others need.

        Returns whether the call is about something that exists.
        """
        path, is_known = dict(case.path_parameters or {}), kind_of(operation, case) != "unknown"
        places = operation.contract.get("leads") or self.default_place(operation)
        is_led = is_known and bool(places) and self.is_led(operation, case)
        if is_led:
            self.lead(case, places[self.turn(operation, case) // 4 % len(places)])
        elif (
            operation.path_names
            and not is_harmless(operation, case)
            and str(path.get(operation.path_names[0])) in self.existing
        ):
            name = operation.path_names[-1]
            case.path_parameters = {**path, name: NOBODY if isinstance(path[name], int) else f"{path[name]}-spared"}
        if is_positive(case) and case.query:
            self.aim_query(case)
        return is_known and (is_led or not (places or operation.path_names))

    def default_place(self, operation: Operation) -> list[dict[str, Any]]:
        """Where calls that read are led if their operation does not say it: the parameters that exist."""
        known = self.contract.get("parameters", {})
        path = {name: known[name] for name in operation.path_names if name in known}
        return [{"path": path}] if path and operation.method in HARMLESS else []

    def turn(self, operation: Operation, case: schemathesis.Case) -> int:
        """A number that counts the calls of an operation; in fuzzing, which may draw a case again, it is the same."""
        if phase_of(case) == "fuzzing":
            return fingerprint([case.path_parameters, case.query])
        return self._turns[operation.operation_id]

    def is_led(self, operation: Operation, case: schemathesis.Case) -> bool:
        """Whether the call is to be about what exists.

        What is malformed elsewhere than in the path shows with these.
        """
        if not has_good_path(case) or not (operation.path_names or is_positive(case)):
            return False
        self._turns[operation.operation_id] += 1
        return self.turn(operation, case) % 4 != 2

    def lead(self, case: schemathesis.Case, place: dict[str, Any]) -> None:
        """Let the call be about what exists: parameters of its path, of its query, and headers."""
        case.path_parameters = {**(case.path_parameters or {}), **evaluate(place.get("path", {}), self.scope)}
        if not is_positive(case):
            return
        query = {**(case.query or {}), **evaluate(place.get("query", {}), self.scope)}
        case.query = {name: value for name, value in query.items() if value is not None}
        for name, value in evaluate(place.get("headers", {}), self.scope).items():
            case.headers[name] = value

    def aim_query(self, case: schemathesis.Case) -> None:
        """Ask for what exists, in three of four queries."""
        query, known = dict(case.query or {}), self.contract.get("query", {})
        if fingerprint(query) % 4:
            case.query = {name: known.get(name, value) for name, value in query.items()}

    def ground_body(self, operation: Operation, case: schemathesis.Case) -> bool:
        """Point three of four well-formed bodies at things that exist: a schema cannot say which do.

        Returns whether the body can be accepted.
        """
        change = operation.contract.get("body")
        if change is None or not is_positive(case) or not isinstance(case.body, dict):
            return change is None
        if not fingerprint(case.body) % 4:
            return False
        case.body = changed(case.body, change, self.scope, self._bodies)
        self._bodies += 1
        return True


def kind_of(operation: Operation, case: schemathesis.Case) -> str:
    """What the operation does: "read", "login", "create" or "change"; "unknown" for a method that it does not have."""
    return operation.kind if case.method.upper() == operation.method else "unknown"


def phase_of(case: schemathesis.Case) -> str:
    return "" if case.meta is None else str(case.meta.phase.name.value)


def is_positive(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


def has_good_path(case: schemathesis.Case) -> bool:
    """Whether the path is well-formed, whatever the rest is: what is malformed there shows with things that exist."""
    components: dict[Any, Any] = dict(case.meta.components) if case.meta is not None else {}
    return all(component.mode.is_positive for place, component in components.items() if place.value == "path")


def is_harmless(operation: Operation, case: schemathesis.Case) -> bool:
    """Whether the call may be about what other calls need."""
    return case.method.upper() in HARMLESS or (
        kind_of(operation, case) != "unknown" and (operation.kind == "read" or "harmless" in operation.contract)
    )


def may_be_right(operation: Operation, case: schemathesis.Case) -> bool:
    """Whether all that is wrong with the body is null for a list or an object, which clients send."""
    schema = operation.body_schema()
    if is_positive(case) or schema is None or not isinstance(case.body, dict):
        return False
    errors = [*operation.validator("body", schema).iter_errors(case.body)]
    return bool(errors) and all(each.instance is None and {"array", "object"} & types_of(each.kind) for each in errors)


def types_of(kind: Any) -> set[str]:
    """The JSON types that an error of validation names, in its branches, too."""
    inner = [each.kind for errors in getattr(kind, "context", ()) for each in errors]
    return {name for each in (kind, *inner) for name in getattr(each, "types", ())}
