"""What schemathesis must know about a document: what exists, what becomes of calls, what is to be sent instead.

All of it is data, `x-contract` in the overlay of the document (overlays/README.md).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

import requests
import schemathesis

from modelarts_contract.documents import HARMLESS

from .cases import (
    DOCUMENT,
    OPERATIONS,
    STAND_INS,
    TIMEOUT_S,
    TOKEN,
    URL,
    has_good_path,
    is_fuzzed,
    is_positive,
    is_stateful,
    kind_of,
    operation_of,
    things_of,
)
from .expressions import at, changed, evaluate, fill
from .made_up import fingerprint

__all__ = ["Hints"]

POLL_S = 0.02
NOBODY = 999_999_999  # an id that no thing has


class Hints:
    """The hints that the overlay of a document gives.

    Things are named by the path to them: `training-jobs/1`. `created` and `deleted` are those that this run has
    created and deleted, `states` those that are in a state.
    """

    def __init__(self) -> None:
        self.created: set[str] = set()
        self.deleted: set[str] = set()
        self.contract: dict[str, Any] = DOCUMENT.get("x-contract", {})
        self.scope = {"known": STAND_INS}
        self.existing = self.filled(self.contract.get("exist", ()))
        self.states = {state: self.filled(things) for state, things in self.contract.get("states", {}).items()}
        self._handed_out: set[str] = set()
        self._turns: Counter[str] = Counter()
        self._bodies = 0

    def filled(self, templates: Iterable[str]) -> set[str]:
        return {str(evaluate(template, self.scope)) for template in templates}

    def existed(self, thing: str) -> bool:
        """Whether the thing exists since before the run; an id that is listed alone is one in any place."""
        return thing in self.existing or thing.rpartition("/")[2] in self.existing

    def exists(self, thing: str) -> bool:
        """Whether the thing exists, unless it was deleted."""
        return thing in self.created or self.existed(thing)

    def name_in(self, case: schemathesis.Case, body: Any) -> str | None:
        """The name that a body gives to what it creates; None if it gives none."""
        name = at(body, operation_of(case).contract.get("name", "/-"))
        return name if isinstance(name, str) else None

    def things_in(self, case: schemathesis.Case, body: dict[str, Any]) -> set[str]:
        """The things that a body names, those that it leaves out with the name None."""
        scope = {**self.scope, "request.path": case.path_parameters, "request.body": body}
        contract = operation_of(case).contract
        optional = {fill(template, scope) for template in contract.get("may-need", ())}
        return {fill(template, scope) for template in contract.get("needs", ())} | {
            thing for thing in optional if not thing.endswith("/None")
        }

    def created_by(self, case: schemathesis.Case, response: Any) -> set[str]:
        """The things that a call has created, from its response."""
        scope = {**self.scope, "request.body": case.body, "response.body": response}
        things = {fill(template, scope) for template in operation_of(case).contract.get("creates", ())}
        return {thing for thing in things if not thing.endswith("/None")}

    def is_in(self, things: set[str], states: Iterable[str]) -> bool:
        """Whether one of the things is in one of the states."""
        return any(things & self.states.get(state, set()) for state in states)

    def is_ready(self, case: schemathesis.Case) -> bool:
        """Whether the call can succeed with the things of its path, which exist, and with its query and headers."""
        contract, things = operation_of(case).contract, things_of(case)
        if not all(self.is_in(things, [state]) for state in contract.get("is", ())):
            return False
        if self.is_in(things, contract.get("is-not", ())):
            return False
        places = [place for place in contract.get("leads", ()) if "query" in place or "headers" in place]
        return not places or bool(things and things <= self.created) or any(self.is_at(case, one) for one in places)

    def is_at(self, case: schemathesis.Case, place: dict[str, Any]) -> bool:
        """Whether the query and the headers are those of a place that the call was led to."""
        query: dict[str, Any] = dict(case.query or {})
        wanted = evaluate(place.get("query", {}), self.scope)
        headers = {str(case.headers.get(name)) for name in place.get("headers", ())}
        return headers <= self._handed_out and all(query.get(name) == value for name, value in wanted.items())

    def is_right_login(self, case: schemathesis.Case, body: dict[str, Any]) -> bool:
        """Whether a call about credentials has those that are right."""
        change = operation_of(case).contract.get("body")
        return body == changed({}, change, self.scope) if change else self.is_ready(case)

    def is_absent(self, case: schemathesis.Case, error: dict[str, Any], things: set[str]) -> bool:
        """Whether the body of an error says that one of these things, which the path names, does not exist."""
        absent = self.contract.get("absent", {})
        elsewhere = operation_of(case).contract.get("elsewhere", {})
        if error.get("error_code") not in absent or elsewhere.items() & (case.query or {}).items():
            return False
        messages = absent[error["error_code"]]
        if messages is None:
            return True
        split = (thing.rsplit("/", 2) for thing in things)
        said = {str(messages.get(noun)).replace("{id}", id_) for *_, noun, id_ in split}
        return any(str(error.get("error_message")).endswith(message) for message in said)

    def is_private(self, case: schemathesis.Case) -> bool:
        """Whether the path names something that other projects do not have."""
        names_private = set(case.path_parameters or {}) & set(self.contract.get("private", ()))
        return bool(names_private) and not things_of(case) & self.filled(self.contract.get("public", ()))

    def before_call(self, case: schemathesis.Case) -> None:
        """Wait until the things of the path are as the call needs them."""
        wait, things = operation_of(case).contract.get("wait"), things_of(case)
        if wait is None or not is_positive(case) or not all(map(self.exists, things)) or things & self.deleted:
            return
        if not self.is_ready(case) or self.is_in(things, wait.get("unless", ())):
            return
        if fingerprint(case.path_parameters) % wait.get("one-of", 1) == 0:
            url = URL + OPERATIONS[wait["call"]].path.format_map(case.path_parameters or {})
            give_up = time.monotonic() + TIMEOUT_S
            while time.monotonic() < give_up and values_at(url, wait["at"]) - set(wait["until"]):
                time.sleep(POLL_S)

    def after_call(self, case: schemathesis.Case, response: schemathesis.Response) -> None:
        """Remember what has become of things."""
        if not 200 <= response.status_code < 300 or kind_of(case) == "unknown":
            return
        contract = operation_of(case).contract
        for state in contract.get("becomes", ()):
            self.states.setdefault(state, set()).update(things_of(case))
        for state in contract.get("ceases", ()):
            self.states.get(state, set()).difference_update(things_of(case))
        if kind_of(case) == "create" and response.content:
            body = response.json()
            created = self.created_by(case, body)
            self.created |= created
            self.deleted -= created
            for state, rule in contract.get("creates-in", {}).items():
                if re.search(rule["matches"], str(at(body, rule["at"]))):
                    self.states.setdefault(state, set()).update(created)

    def aim(self, case: schemathesis.Case) -> None:
        """Lead three of four calls to things that exist, and those that change things away from what others need."""
        operation, path = operation_of(case), dict(case.path_parameters or {})
        key = "leads-chains" if is_stateful(case) and "leads-chains" in operation.contract else "leads"
        places = operation.contract.get(key) or self.default_place(case)
        if places and kind_of(case) != "unknown" and self.is_led(case):
            self.lead(case, places[self.turn(case) // 4 % len(places)])
        elif not is_harmless(case) and self.existed(operation.target(path)):
            name = operation.path_names[-1]
            case.path_parameters = {
                **path,
                name: NOBODY if isinstance(path[name], int) else f"{path[name]}-spared",
            }
        if is_positive(case) and case.query:
            self.aim_query(case)

    def default_place(self, case: schemathesis.Case) -> list[dict[str, Any]]:
        """Where calls that read are led if their operation does not say it: the parameters that exist."""
        known = self.contract.get("parameters", {})
        path = {name: known[name] for name in case.path_parameters or {} if name in known}
        return [{"path": path}] if path and case.method in HARMLESS else []

    def turn(self, case: schemathesis.Case) -> int:
        """A number that counts the calls of an operation; in fuzzing, which may draw a case again, it is the same."""
        if is_fuzzed(case):
            return fingerprint([case.path_parameters, case.query])
        return self._turns[operation_of(case).operation_id]

    def is_led(self, case: schemathesis.Case) -> bool:
        """Whether the call is to be about the things that exist.

        What is malformed elsewhere than in the path shows with these. A chain follows its links, and only goes there
        from where it starts, or if the overlay says so.
        """
        contract, things = operation_of(case).contract, things_of(case)
        if not has_good_path(case) or (not things and not is_positive(case)):
            return False
        if is_stateful(case):
            if contract.get("leads-chains") and things <= self.created:
                return fingerprint(case.path_parameters) % 4 != 0
            # What an earlier process has done to things that all chains share, such as to stop them, is not known.
            return is_harmless(case) and not all(self.exists(thing) or thing in self.deleted for thing in things)
        self._turns[operation_of(case).operation_id] += 1
        return self.turn(case) % 4 != 2

    def lead(self, case: schemathesis.Case, place: dict[str, Any]) -> None:
        """Let the call be about things that exist: parameters of its path, of its query, and headers."""
        case.path_parameters = {**(case.path_parameters or {}), **evaluate(place.get("path", {}), self.scope)}
        if not is_positive(case):
            return
        query = {**(case.query or {}), **evaluate(place.get("query", {}), self.scope)}
        case.query = {name: value for name, value in query.items() if value is not None}
        for name, value in evaluate(place.get("headers", {}), self.scope).items():
            case.headers[name] = value
            self._handed_out.add(str(value))

    def aim_query(self, case: schemathesis.Case) -> None:
        """Ask for what exists, in three of four queries; in chains without what leads no further."""
        query = dict(case.query or {})
        if is_stateful(case):
            query = {name: value for name, value in query.items() if name not in self.contract.get("no-chains", ())}
        elif fingerprint(query) % 4 == 0:
            return
        known = self.contract.get("query", {})
        case.query = {name: known.get(name, value) for name, value in query.items()}

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
        printed = {text: evaluate(value, self.scope) for text, value in self.contract.get("printed", {}).items()}
        if (as_exists := replaced(case.body, printed)) != case.body:
            case.body = as_exists
        elif not self.is_linked(case, case.body) and (is_stateful(case) or fingerprint(case.body) % 4):
            case.body = changed({} if is_stateful(case) else case.body, change, self.scope, self._bodies)
            self._bodies += 1


def is_harmless(case: schemathesis.Case) -> bool:
    """Whether the call may be about what other calls need."""
    operation = operation_of(case)
    return case.method.upper() in HARMLESS or (
        kind_of(case) != "unknown" and (operation.kind == "read" or operation.contract.get("harmless", False))
    )


def values_at(url: str, pointer: str) -> set[Any]:
    """The values that the response has at the pointer, in which `*` stands for every item of a list."""
    found = requests.get(url, headers={"X-Auth-Token": TOKEN}, timeout=TIMEOUT_S)
    values: list[Any] = [found.json()] if found.ok else []
    for step in pointer.split("/")[1:]:
        items = [value for value in values if value is not None]
        values = [item for value in items for item in value] if step == "*" else [at(one, f"/{step}") for one in items]
    return set(values)


def replaced(value: Any, printed: dict[str, Any]) -> Any:
    """The value with the printed ids, which no service has, replaced by those that exist."""
    if isinstance(value, dict):
        return {name: replaced(item, printed) for name, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, printed) for item in value]
    return printed.get(value, value) if isinstance(value, str) else value
