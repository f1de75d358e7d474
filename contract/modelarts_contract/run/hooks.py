"""What schemathesis must know beyond the documents: how to log in, what exists, and two promises it cannot infer.

Loaded by the `st` command. What differs between documents is in their overlays. Everything comes from the environment:
the variables that `modelarts emulator env` prints, and what runs.py adds: CONTRACT_DOCUMENT, the file of the document
on trial with its overlay, CONTRACT_URL, where it is served, CONTRACT_SIGNATURES, the forms in which its requests may be
signed, CONTRACT_TOKEN and CONTRACT_LOGIN, a token and the body of the login that gives one, CONTRACT_STAND_INS, a JSON
object of things that exist at the service (setup.py), CONTRACT_PREFIX, with which the names of all that is created
start, CONTRACT_RECORD, the file that gets a line per exchange, CONTRACT_SEED, CONTRACT_THOROUGH (`1`: leave out none of
many like cases), CONTRACT_CHAINS_ONLY, and CONTRACT_GUARDED (`1`: a service that others use too, which is only read).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import requests
import schemathesis
import schemathesis.cli
from hypothesis import strategies
from schemathesis.baseline import Baseline

from . import logins
from .cases import (
    CHAINS_ONLY,
    GUARDED,
    PREFIX,
    STAND_INS,
    TIMEOUT_S,
    is_positive,
    kind_of,
    operation_of,
    things_of,
)
from .hints import Hints
from .recording import record_into
from .thinning import Thinned

HINTS = Hints()
SUCCESS = {200, 201}
GROUNDED: set[str] = set()

# What it means that a check of ours fails.
TITLES = {
    "CreatedIsFound": "What was created and not deleted is not found",
    "documented_code": "A rejection has an error code that the document does not list for its status",
    "NeighbourSeesNothing": "Another project's token reads what belongs to this project",
}
BASELINE = Baseline.load(Path(os.environ["CONTRACT_BASELINE"])) if "CONTRACT_BASELINE" in os.environ else Baseline([])

SIGNED = logins.SomeSigned(json.loads(os.environ["CONTRACT_SIGNATURES"]))
THINNED = Thinned(int(os.environ["CONTRACT_SEED"])) if os.environ.get("CONTRACT_THOROUGH") != "1" else None

RECORD = Path(os.environ["CONTRACT_RECORD"])
schemathesis.cli.handler()(record_into(RECORD, GROUNDED, SIGNED.forms, TITLES, BASELINE))
logins.register()


@schemathesis.hook
def after_call(context: schemathesis.HookContext, case: schemathesis.Case, response: schemathesis.Response) -> None:
    """Remember what exists, so that a link which names it is followed as it is written."""
    if kind_of(case) == "change" and case.method.upper() == "DELETE":
        HINTS.deleted |= things_of(case)
    HINTS.after_call(case, response)


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """Make things ready for the call; note what is well-formed; sign some of the requests."""
    HINTS.before_call(case)
    if is_grounded(case):
        GROUNDED.add(case.id)
    SIGNED.before_call(case, kwargs)


def is_grounded(case: schemathesis.Case) -> bool:
    """Whether the request is well-formed, and everything that its path and body name exists and is ready for it."""
    if not is_positive(case) or kind_of(case) == "unknown":
        return False
    given: dict[str, Any] = case.body if isinstance(case.body, dict) else {}
    if kind_of(case) == "login":
        return HINTS.is_right_login(case, given)
    things = things_of(case)
    if kind_of(case) == "create":
        name = HINTS.name_in(case, given)
        if name is not None and (not name.startswith(PREFIX)):
            return False
    things |= HINTS.things_in(case, given)
    is_there = all(HINTS.exists(thing) for thing in things) and not things & HINTS.deleted
    return is_there and HINTS.is_ready(case)


@schemathesis.hook
def before_generate_body(
    context: schemathesis.HookContext, strategy: strategies.SearchStrategy[Any]
) -> strategies.SearchStrategy[Any]:
    """Draw nothing where a chain starts: `map_case` replaces the whole body, and drawing it takes a third of a run."""
    if not CHAINS_ONLY or context.operation is None:
        return strategy
    is_replaced = "body" in context.operation.definition.raw.get("x-contract", {})
    return strategies.builds(dict) if is_replaced else strategy


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    """Ground three of four well-formed requests; at a service that others use, nothing is known to exist."""
    if not GUARDED:
        HINTS.aim(case)
        HINTS.ground_body(case)
    return case


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Drop most of many like cases, and every call that could change what is not ours: the guard would reject it."""
    if THINNED is not None and not THINNED.keeps(case):
        return False
    return not GUARDED or kind_of(case) == "read"


def error_in(response: schemathesis.Response) -> dict[str, Any]:
    """The body of an error; empty if it has no code."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) and body.get("error_code") else {}


@schemathesis.check
class CreatedIsFound:
    """What was created and not deleted is found.

    The service says "not found" with status 400; the `ensure_resource_availability` of schemathesis looks at 404 only.
    """

    def __init__(self) -> None:
        self.alive: set[str] = set()

    def after_response(
        self, ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
    ) -> None:
        if response.status_code in SUCCESS and kind_of(case) == "create":
            self.alive |= HINTS.created_by(case, response.json())
            return
        known = things_of(case) & self.alive
        if case.method == "DELETE":
            self.alive -= known
        elif known and HINTS.is_absent(case, error_in(response), known):
            raise AssertionError(f"{case.method} {case.path} does not find {known}, which was created and not deleted")


@schemathesis.check
def documented_code(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A rejection carries a code that the document lists for its status."""
    code = error_in(response).get("error_code")
    responses = case.operation.definition.raw["responses"]
    if (
        code is None
        or case.method.lower() != case.operation.method.lower()
        or str(response.status_code) not in responses
    ):
        return
    documented = responses[str(response.status_code)]
    if "$ref" in documented:
        documented = case.operation.schema.raw_schema["components"]["responses"][documented["$ref"].rpartition("/")[2]]
    listed = documented.get("x-error-codes")
    if listed is not None and code not in listed:
        raise AssertionError(
            f"{case.method} {case.path} rejects with {response.status_code} {code}, which is not listed"
        )


@schemathesis.check
class NeighbourSeesNothing:
    """What one project can read, the token of another project cannot."""

    def __init__(self) -> None:
        self.probed: set[str] = set()

    def after_response(
        self, ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
    ) -> None:
        neighbour = STAND_INS.get("neighbour")
        name = operation_of(case).operation_id
        reads = case.method == "GET" and 200 <= response.status_code < 300
        if neighbour is None or not reads or "{project_id}" not in case.path or name in self.probed:
            return
        self.probed.add(name)
        url = str(response.request.url)
        headers = {"X-Auth-Token": neighbour["token"]}
        responses = {"in our project": requests.get(url, headers=headers, timeout=TIMEOUT_S)}
        if HINTS.is_private(case):
            own = url.replace(os.environ["MODELARTS_PROJECT_ID"], neighbour["project_id"])
            responses["in its own project"] = requests.get(own, headers=headers, timeout=TIMEOUT_S)
        for where, found in responses.items():
            if found.status_code < 400:
                raise AssertionError(f"another project's token reads {case.path} {where}: status {found.status_code}")
