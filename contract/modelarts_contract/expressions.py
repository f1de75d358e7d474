"""What stands in overlays for a value: something that exists, a new name, or a part of a request or a response.

    $known.code_dir                 what was made to exist at the service; `$known.engine.engine_id` looks into it
    $name.job                       a name that nothing else has, with this word in it
    $short-name                     the same, of at most 20 characters
    $login.auth                     a part of the body of the right login
    $token                          a token that is right; `$new-token` another one, that can be deleted
    $request.path.job_id            a parameter of the request's path
    $request.body#/metadata/name    a part of the request's body, `$response.body#/...` of the response's

An expression may stand in a text, in braces: `training-jobs/{$response.body#/job_id}`.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from modelarts_contract import login

__all__ = ["Names", "Scope", "at", "changed", "evaluate", "fingerprint", "follow", "keep"]

EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")
Scope = Mapping[str, Any]


def fingerprint(value: object) -> int:
    """A number that depends on the value alone, so that a run with the same seed makes the same choices.

    The project is another one in each run.
    """
    if isinstance(value, dict):
        value = {name: item for name, item in value.items() if name != "project_id"}
    return int.from_bytes(hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).digest()[:4], "big")


class Names:
    """Names that no other object has, all with this prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.used = 0
        self.process = secrets.token_hex(4)

    def take(self, kind: str) -> str:
        self.used += 1
        return f"{self.prefix}{kind}-{self.process}-{self.used}"

    def take_short(self) -> str:
        """A name of at most 20 characters."""
        self.used += 1
        return f"{self.prefix}{self.process[:4]}-{self.used}"


def follow(value: Any, steps: Iterable[str]) -> Any:
    """The value at the end of these steps, names of members or numbers of entries; None if nothing is there."""
    for step in steps:
        if isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer; None if nothing is there."""
    return follow(document, pointer.split("/")[1:])


def evaluate(value: Any, scope: Scope) -> Any:
    """The value with its expressions replaced, at any depth; a missing value is None.

    Raises LookupError for an unknown expression.
    """
    if isinstance(value, Mapping):
        return {name: evaluate(item, scope) for name, item in value.items()}
    if isinstance(value, list):
        return [evaluate(item, scope) for item in value]
    if not isinstance(value, str):
        return value
    return (
        value_of(value, scope)
        if value.startswith("$")
        else EMBEDDED.sub(lambda found: str(value_of(found[1], scope)), value)
    )


def value_of(expression: str, scope: Scope) -> Any:
    head, _, rest = expression.removeprefix("$").partition(".")
    if head == "name":
        return scope["names"].take(rest)
    if head == "short-name":
        return scope["names"].take_short()
    if head == "new-token":
        return login.token(scope["iam_endpoint"], scope["login"])
    if head == "token":
        return scope["token"]
    if head in ("known", "login"):
        return at(scope[head], "/" + rest.replace(".", "/"))
    if head in ("request", "response"):
        place, _, pointer = rest.partition("#")
        part, _, name = place.partition(".")
        found = scope.get(f"{head}.{part}")
        return at(found, pointer) if part == "body" else (found or {}).get(name)
    raise LookupError(f"an overlay has the unknown expression {expression}")


def changed(body: Mapping[str, Any], change: Mapping[str, Any], scope: Scope, number: int = 0) -> dict[str, Any]:
    """The body with the fields of `keep` only, without those of `remove`, and with the values of `set` at pointers.

    `vary` has more values to set; each body takes the next one.
    """
    kept = {name: value for name, value in body.items() if name in change.get("keep", body)}
    found = {name: value for name, value in kept.items() if name not in change.get("remove", ())}
    variants = change.get("vary", [{}])
    values = {**change.get("set", {}), **variants[number % len(variants)]}
    for pointer, value in values.items():
        *parents, last = pointer.split("/")[1:]
        place = found
        for parent in parents:
            inner = place.get(parent)
            place[parent] = dict(inner) if isinstance(inner, dict) else {}
            place = place[parent]
        place[last] = evaluate(value, scope)
    return found


def keep(known: dict[str, Any], name: str, value: Any) -> None:
    """Store the value under the name; dots lead into further dictionaries."""
    *parents, last = name.split(".")
    for parent in parents:
        known = known.setdefault(parent, {})
    known[last] = value
