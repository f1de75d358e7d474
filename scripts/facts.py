"""Facts about the API that several packages need: the files of `openapi/shared` become Python modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from client import write_template
from modelarts_documents.files import DocumentError, File
from modelarts_documents.schema import Part, graph, members, parts, starts

CODE_KEYS = {"status", "name", "text", "meaning", "exception", "remedy", "x-assumption"}
PHASE_KEYS = {"detail", "next", "statuses"}


def write_facts(
    shared: Path, package: Path, clients: Path, exceptions: set[str], documents: Iterable[Mapping[str, Any]] = ()
) -> None:
    """Write `error_codes.py`, `phases.py` and `secrets.py`, and `codes.py` for the clients.

    `exceptions` are the names of the classes that a code can have; the bundled documents say which fields are secret.
    Raises `DocumentError` for facts that contradict each other.
    """
    codes = Facts(shared / "error-codes.yaml")
    write_template(package / "error_codes.py", "error_codes", codes=error_codes(codes, exceptions))
    write_template(clients / "codes.py", "codes", codes=named_codes(codes))
    phases = Facts(shared / "phases.yaml")
    check_phases(phases)
    write_template(
        package / "phases.py", "phases", phases=phases.content["phases"], statuses=phases.content["statuses"]
    )
    secrets = Facts(shared / "secrets.yaml")
    names = {*secrets.reasons("names"), *(name for document in documents for name in passwords(document))}
    plain = {re.sub(r"[^a-z.]+", "", name.lower()) for name in names}
    write_template(package / "secrets.py", "secrets", names=sorted(plain), suspicious=secrets.reasons("suspicious"))


class Facts:
    """One file of facts, and where its parts are written."""

    def __init__(self, file: Path) -> None:
        self.file = File(str(file), file.read_bytes())
        self.content: dict[str, Any] = self.file.content

    def error(self, part: dict[str, Any], fact: str) -> DocumentError:
        return self.file.location(part).error(fact)

    def reasons(self, part: str) -> list[str]:
        """The names in a part of the file; raises `DocumentError` for one without a reason."""
        found: dict[str, Any] = self.content[part]
        if unclear := [name for name, reason in found.items() if not isinstance(reason, str) or not reason]:
            raise self.error(found, f"{', '.join(map(str, unclear))}: say why it is secret")
        return list(found)


def passwords(document: Mapping[str, Any]) -> Iterator[str]:
    """The names of the fields of a bundled document that are secret.

    One that is not secret everywhere, such as `id`, has the name of its object before it: `token.id`.
    """
    fields = [
        (node.pointer, name, [*parts(document, schema, (*node.pointer, "properties", name))])
        for node in graph(document, *starts(document))
        for name, schema in node.schema.get("properties", {}).items()
    ]
    objects = [(name, {part.pointer for part in (*found, *members(document, found, 0))}) for _, name, found in fields]
    shown = {name for _, name, found in fields if is_text(found) and not is_password(found)}
    for holder, name, found in fields:
        if not is_password(found):
            continue
        holders = {of for of, pointers in objects if holder in pointers}
        yield from {f"{of}.{name}" for of in holders} if name in shown and holders else {name}


def is_password(found: Iterable[Part]) -> bool:
    return any(part.schema.get("format") == "password" for part in found)


def is_text(found: Iterable[Part]) -> bool:
    return any("string" in str(part.schema.get("type")) for part in found)


def error_codes(facts: Facts, exceptions: set[str]) -> dict[str, dict[str, Any]]:
    """The facts of each code as the template takes them."""
    found = {}
    for code, fact in facts.content.items():
        statuses = fact["status"] if isinstance(fact.get("status"), list) else [fact.get("status")]
        if unknown := fact.keys() - CODE_KEYS:
            raise facts.error(fact, f"{code}: these keys are unknown: {', '.join(sorted(unknown))}")
        if not fact.get("meaning") or not all(isinstance(status, int) for status in statuses):
            raise facts.error(fact, f"{code}: it needs a `meaning`, and a `status` that is a number or several")
        if fact.get("exception", min(exceptions)) not in exceptions:
            raise facts.error(fact, f"{code}: `exception` is one of: {', '.join(sorted(exceptions))}")
        texts = {key: fact[key] for key in ("text", "exception", "remedy") if key in fact}
        found[code] = {"statuses": tuple(statuses), "meaning": fact["meaning"], **texts}
    return found


def named_codes(facts: Facts) -> dict[str, tuple[str, str]]:
    """The codes that have a name, by it, each with its meaning."""
    found: dict[str, tuple[str, str]] = {}
    for code, fact in facts.content.items():
        name = fact.get("name")
        if name is None:
            continue
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name) or name in found:
            raise facts.error(fact, f"{code}: `name` is a constant, such as NAME_TAKEN, that no other code has")
        found[name] = code, fact["meaning"]
    return dict(sorted(found.items()))


def check_phases(facts: Facts) -> None:
    """Raise `DocumentError` for a phase that nothing describes, or a status that is read as two phases."""
    phases, names = facts.content["phases"], facts.content["statuses"]
    read: dict[int, str] = {}
    for phase, fact in phases.items():
        if fact.keys() != PHASE_KEYS:
            raise facts.error(fact, f"{phase}: its keys are: {', '.join(sorted(PHASE_KEYS))}")
        if unknown := set(fact["next"]) - phases.keys():
            raise facts.error(fact, f"{phase}: `next` has phases that are not described: {', '.join(sorted(unknown))}")
        for number in fact["statuses"]:
            if str(number) not in names:
                raise facts.error(fact, f"{phase}: the status {number} has no name in `statuses`")
            if number in read:
                raise facts.error(fact, f"{phase}: the status {number} is read as {read[number]} already")
            read[number] = phase
