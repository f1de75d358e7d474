"""What schemathesis must know about a document: what exists, what becomes of calls, what is to be sent instead.

Most of it is data, `x-contract` in the overlay of the document (overlays/README.md).
"""

from __future__ import annotations

from typing import Any

import schemathesis

from modelarts_contract.run import documents
from modelarts_contract.run.expressions import at, evaluate, fill
from modelarts_contract.run.hints.cases import DOCUMENT, STAND_INS, is_positive, is_stateful, operation_of
from modelarts_contract.run.made_up import fingerprint

__all__ = ["Hints", "changed"]


class Hints:
    """The hints that the overlay of a document gives; a document may need more of them, in a module of its own.

    Things are named by the path to them: `training-jobs/1`. `created` and `deleted` are those that this run has
    created and deleted.
    """

    def __init__(self) -> None:
        self.created: set[str] = set()
        self.deleted: set[str] = set()
        self.document = documents.overlay(DOCUMENT)
        self._bodies = 0

    def exists(self, thing: str) -> bool:
        """Whether the thing exists, unless it was deleted."""
        return thing in self.created

    def name_in(self, case: schemathesis.Case, body: Any) -> str | None:
        """The name that a body gives to what it creates; None if it gives none."""
        name = at(body, operation_of(case).contract.get("name", "/-"))
        return name if isinstance(name, str) else None

    def things_in(self, case: schemathesis.Case, body: dict[str, Any]) -> set[str]:
        """The things that a body names, those that it leaves out with the name None."""
        scope = {"known": STAND_INS, "request.path": case.path_parameters, "request.body": body}
        contract = operation_of(case).contract
        optional = {fill(template, scope) for template in contract.get("may-need", ())}
        return {fill(template, scope) for template in contract.get("needs", ())} | {
            thing for thing in optional if not thing.endswith("/None")
        }

    def created_by(self, case: schemathesis.Case, response: Any) -> set[str]:
        """The things that a call has created, from its response."""
        scope = {"known": STAND_INS, "request.body": case.body, "response.body": response}
        things = {fill(template, scope) for template in operation_of(case).contract.get("creates", ())}
        return {thing for thing in things if not thing.endswith("/None")}

    def is_ready(self, case: schemathesis.Case, things: set[str]) -> bool:
        """Whether the call can succeed with the things, which exist."""
        return True

    def is_right_login(self, case: schemathesis.Case, body: dict[str, Any]) -> bool:
        """Whether a call about credentials has those that are right."""
        return False

    def is_absent(self, case: schemathesis.Case, error: dict[str, Any], things: set[str]) -> bool:
        """Whether the body of an error says that one of these things, which the path names, does not exist."""
        return error.get("error_code") in self.document.get("absent", ())

    def is_private(self, case: schemathesis.Case) -> bool:
        """Whether the path names something that other projects do not have."""
        return bool(set(case.path_parameters or {}) & set(self.document.get("private", ())))

    def before_call(self, case: schemathesis.Case) -> None:
        """Wait until things are ready, or make them so."""

    def after_call(self, case: schemathesis.Case, response: schemathesis.Response) -> None:
        """Remember what has become of things."""

    def aim(self, case: schemathesis.Case) -> None:
        """Lead the path to things that exist, and away from those that other calls need."""

    def is_linked(self, case: schemathesis.Case, body: Any) -> bool:
        """Whether a link has made the body, from what another call has created."""
        things = self.things_in(case, body) if is_stateful(case) and isinstance(body, dict) else set()
        return bool(things) and all(self.exists(thing) for thing in things)

    def ground_body(self, case: schemathesis.Case) -> None:
        """Point three of four well-formed bodies at things that exist: a schema cannot say which do.

        A chain of calls starts from bodies that hold nothing else, because it is about what comes after them; a body
        that a link has made, and one that a page prints, stays as it is.
        """
        change = operation_of(case).contract.get("body")
        if change is None or not is_positive(case) or not isinstance(case.body, dict):
            return
        printed = {
            text: evaluate(value, {"known": STAND_INS}) for text, value in self.document.get("printed", {}).items()
        }
        if (as_exists := replaced(case.body, printed)) != case.body:
            case.body = as_exists
        elif not self.is_linked(case, case.body) and (is_stateful(case) or fingerprint(case.body) % 4):
            case.body = changed({} if is_stateful(case) else case.body, change, self._bodies)
            self._bodies += 1


def changed(body: dict[str, Any], change: dict[str, Any], number: int) -> dict[str, Any]:
    """The body with the members of `keep` only, without those of `remove`, and with the values of `set` at pointers.

    `vary` has more values to set, of which the body of this number takes its turn.
    """
    body = {name: value for name, value in body.items() if name in change.get("keep", body)}
    body = {name: value for name, value in body.items() if name not in change.get("remove", ())}
    variants = change.get("vary", [{}])
    values = {**change.get("set", {}), **variants[number % len(variants)]}
    for pointer, value in values.items():
        *parents, last = pointer.split("/")[1:]
        place = body
        for parent in parents:
            found = place.get(parent)
            place[parent] = dict(found) if isinstance(found, dict) else {}
            place = place[parent]
        place[last] = evaluate(value, {"known": STAND_INS})
    return body


def replaced(value: Any, printed: dict[str, Any]) -> Any:
    """The value with the printed ids, which no service has, replaced by those that exist."""
    if isinstance(value, dict):
        return {name: replaced(item, printed) for name, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, printed) for item in value]
    return printed.get(value, value) if isinstance(value, str) else value
