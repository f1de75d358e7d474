"""Files in TOML: those of users, checked against a JSON Schema, and the emulator's own tables."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from modelarts_emulator.errors import EmulatorError


def own_table(module: str, name: str) -> dict[str, Any]:
    """The emulator's own TOML file of this name, which lies beside the module (its `__file__`)."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


def read_toml(path: Path, what: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """The document in the file; raises EmulatorError that says where it is wrong, and never repeats a value.

    `what` the file is stands in the errors; nothing is checked without a schema.
    """
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise EmulatorError(f"cannot read the {what} {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EmulatorError(f"the {what} {path} is not valid TOML: {error}") from None
    if schema is not None:
        _check(document, f"the {what} {path}", schema)
    return document


def _check(document: dict[str, Any], where: str, schema: dict[str, Any]) -> None:
    import jsonschema_rs  # only now: an emulator without such files starts sooner

    validator = jsonschema_rs.Draft202012Validator(schema, mask="the value")
    for error in validator.iter_errors(document):
        member, reason = explain(error)
        kind, *rest = member.split(".")
        if rest and rest[0].isdigit():  # the first table of a kind is number 1
            kind = f"{kind} {int(rest.pop(0)) + 1}"
        if unknown := getattr(error.kind, "unexpected", None):
            reason = f"unknown: {', '.join(unknown)}"
        elif missing := getattr(error.kind, "property", None):
            reason = f"{missing} is missing"
        raise EmulatorError(": ".join(filter(None, (where, kind, ".".join(rest), reason))))


def explain(error: Any) -> tuple[str, str]:
    """The member that is wrong and what was expected of it; of alternatives, the one that fits best."""
    nested = [inner for branch in getattr(error.kind, "context", None) or [] for inner in branch]
    if nested:
        deepest = max(nested, key=lambda inner: len(inner.instance_path))
        if len(deepest.instance_path) > len(error.instance_path):
            return explain(deepest)
        texts = dict.fromkeys(explain(inner)[1] for inner in nested)
        return ".".join(map(str, error.instance_path)), ", and ".join(texts)
    # Of many values that are allowed, the validator's own message names the first two.
    options = getattr(error.kind, "options", None)
    text = error.message if options is None else f"the value is not one of {', '.join(map(json.dumps, options))}"
    return ".".join(map(str, error.instance_path)), text
