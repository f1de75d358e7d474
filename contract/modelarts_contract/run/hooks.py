"""What schemathesis must know beyond the documents: how to log in, and what exists.

Loaded by the `st` command. What differs between documents is in their overlays; what differs between runs is in the
variable CONTRACT_RUN, a JSON object that runs.py makes.
"""

from __future__ import annotations

import json
import os
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import schemathesis
import schemathesis.cli
from hypothesis import strategies

from .expressions import Names, fingerprint
from .hints import Hints, kind_of
from .recording import record_into

RUN = json.loads(os.environ["CONTRACT_RUN"])
FIRST = 4  # cases of a kind that are all sent
EVERY = 12  # one of this number of further ones is sent, others under another seed

HINTS = Hints(json.loads(Path("openapi.json").read_text("utf-8")), {**RUN["scope"], "names": Names(RUN["prefix"])})
GROUNDED: set[str] = set()
SEEN: Counter[tuple[object, ...]] = Counter()

schemathesis.cli.handler()(record_into(Path("record.jsonl"), GROUNDED))


@schemathesis.auth()
class Token:
    """The login of a run."""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return str(RUN["scope"]["token"])

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["X-Auth-Token"] = data


@schemathesis.hook
def after_call(context: schemathesis.HookContext, case: schemathesis.Case, response: schemathesis.Response) -> None:
    """Remember what exists, so that a link which names it is followed as it is written."""
    if RUN["chains_only"]:
        HINTS.after_call(case, response)


@schemathesis.hook
def before_generate_body(
    context: schemathesis.HookContext, strategy: strategies.SearchStrategy[Any]
) -> strategies.SearchStrategy[Any]:
    """Draw nothing where a chain starts: `map_case` makes the whole body, and drawing it takes a third of a run."""
    if not RUN["chains_only"] or context.operation is None:
        return strategy
    is_replaced = "body" in context.operation.definition.raw.get("x-contract", {})
    return strategies.builds(dict) if is_replaced else strategy


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    """Ground three of four well-formed requests; at a service that others use, nothing is known to exist."""
    if not RUN["is_real"] and HINTS.ground(case):
        GROUNDED.add(case.id)
    return case


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Drop most of many like cases, and every call that could change what is not ours: the guard would reject it."""
    is_safe = not RUN["is_real"] or kind_of(HINTS.operation(case), case) == "read"
    return is_safe and (RUN["thorough"] or is_kept(case))


def is_kept(case: schemathesis.Case) -> bool:
    """Whether the case is sent: of a large body, the coverage phase makes a thousand that differ in one value."""
    data: Any = case.meta.phase.data if case.meta is not None else None
    if not hasattr(data, "scenario"):
        return True
    kind = (case.operation.label, case.method, data.scenario, data.parameter_location)
    SEEN[kind] += 1
    number = SEEN[kind]
    return number <= FIRST or fingerprint([str(RUN["seed"]), *map(str, kind), number]) % EVERY == 0


@schemathesis.check
def documented_code(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A rejection carries a code that the document lists for its status."""
    operation = HINTS.operation(case)
    documented = operation.response(response.status_code)
    try:
        body = response.json()
    except ValueError:
        return
    listed = documented and documented.get("x-error-codes")
    code = body.get("error_code") if isinstance(body, dict) else None
    if listed and code and case.method.upper() == operation.method and code not in listed:
        raise AssertionError(
            f"{case.method} {case.path} rejects with {response.status_code} {code}, which is not listed"
        )


if RUN["hooks"] is not None:
    runpy.run_path(RUN["hooks"])
