"""What hooks.py and hints.py share: the run's settings, and what a case of schemathesis is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import ComponentInfo

from modelarts_contract.documents import Operation, operations_of

__all__ = [
    "CHAINS_ONLY",
    "DOCUMENT",
    "GUARDED",
    "OPERATIONS",
    "PREFIX",
    "STAND_INS",
    "TIMEOUT_S",
    "TOKEN",
    "URL",
    "has_good_path",
    "is_fuzzed",
    "is_positive",
    "is_stateful",
    "kind_of",
    "operation_of",
    "things_of",
]

TIMEOUT_S = 10
STAND_INS: dict[str, Any] = json.loads(os.environ.get("CONTRACT_STAND_INS", "{}"))
PREFIX = os.environ["CONTRACT_PREFIX"]
CHAINS_ONLY = os.environ.get("CONTRACT_CHAINS_ONLY") == "1"
GUARDED = os.environ.get("CONTRACT_GUARDED") == "1"
TOKEN = os.environ["CONTRACT_TOKEN"]
URL = os.environ["CONTRACT_URL"]
DOCUMENT: dict[str, Any] = json.loads(Path(os.environ["CONTRACT_DOCUMENT"]).read_text("utf-8"))
OPERATIONS = {operation.operation_id: operation for operation in operations_of("", DOCUMENT)}


def operation_of(case: schemathesis.Case) -> Operation:
    """The operation that the case is about, also where it has another method."""
    return OPERATIONS[case.operation.definition.raw["operationId"]]


def kind_of(case: schemathesis.Case) -> str:
    """What the operation does: "read", "login", "create" or "change"; "unknown" for a method that it does not have."""
    operation = operation_of(case)
    return operation.kind if case.method.upper() == operation.method else "unknown"


def things_of(case: schemathesis.Case) -> set[str]:
    """What the path names, each as the path to it, such as `training-jobs/1/versions/2`."""
    return operation_of(case).things(case.path_parameters or {})


def is_stateful(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.phase.name.value == "stateful"


def is_fuzzed(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.phase.name.value == "fuzzing"


def is_positive(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


def has_good_path(case: schemathesis.Case) -> bool:
    """Whether the path is well-formed, whatever the rest is: what is malformed there shows with things that exist."""
    path = case.meta and case.meta.components.get(ParameterLocation.PATH)
    return not isinstance(path, ComponentInfo) or path.mode.is_positive
