"""Collect what runs show about each operation: `tests/data/evidence.json`, of which the site makes tables.

    python scripts/evidence.py                  # run contract checks, stories and foreign clients, and write
    python scripts/evidence.py --only stories   # run one of them: contract, stories or clients
    python scripts/evidence.py --stale          # run the contract checks of operations whose figures are stale
    python scripts/evidence.py --derive         # run nothing; write which operations the emulator has now

Records of runs lie in `.cache/evidence/`. What a run did not record stays as the file had it. The files are stale if
operations, emulator or stories have come or gone, or a document says something else of an operation to programs
than when its cases were generated; a test finds that.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from modelarts_contract.comparison.shape import is_text
from modelarts_contract.documents import Documents, Operation
from modelarts_contract.run import result
from modelarts_documents.schema import find

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / ".cache" / "evidence"
FILE = ROOT / "tests" / "data" / "evidence.json"
STORIES = ROOT / "tests" / "stories"
STAMP = "run.json"
PARALLEL = ("--numprocesses", "auto", "--dist", "loadfile")
PRODUCT = re.compile(r"([\w.-]+)/")  # in the name that a client sends
# Our own client, what names no client, and libraries for any service.
NO_CLIENTS = {"modelarts-toolkit", "os", "python", "impl", "app", "python-httpx", "python-requests", "python-urllib"}
NAMED = frozenset(["$defs", "dependentRequired", "dependentSchemas", "patternProperties", "properties"])
UNORDERED = frozenset(["allOf", "anyOf", "enum", "oneOf", "required"])
Key = tuple[str, str]


@dataclass(frozen=True)
class Proof:
    """What is known about one operation.

    `clouds` document it. `cases` were generated from its document when it had this `fingerprint`, and `statuses` counts
    their responses. `stories` are tests of use cases that called it successfully, `executed` those whose jobs were real
    processes, `clients` programs of others.
    """

    document: str
    operation: str
    method: str
    path: str
    clouds: Sequence[str] = ()
    emulated: bool = False
    cases: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    fingerprint: str = ""
    stories: Sequence[str] = ()
    executed: Sequence[str] = ()
    clients: Sequence[str] = ()

    @property
    def key(self) -> Key:
        return self.document, self.operation

    def with_runs_of(self, other: Proof) -> Proof:
        """The same, with the part of the other proof that comes from runs."""
        names = ("cases", "statuses", "fingerprint", "stories", "executed", "clients")
        return replace(self, **{name: getattr(other, name) for name in names})


@dataclass(frozen=True)
class Evidence:
    """All operations, and the day (ISO 8601) of the last run by its name: `contract`, `stories`, `clients`."""

    runs: Mapping[str, str]
    operations: Sequence[Proof]


def load() -> Evidence:
    """The evidence as it was written."""
    content = json.loads(FILE.read_text("utf-8"))
    return Evidence(content["runs"], [Proof(**given) for given in content["operations"]])


def run(name: str, operations: Iterable[str] = ()) -> None:
    """Run what makes the records of that name, for these operations only if there are some.

    Raises SystemExit if it cannot be run, or fails.
    """
    folder = RECORDS / name
    folder.mkdir(parents=True, exist_ok=True)
    for earlier in folder.iterdir():
        earlier.unlink()
    if name == "contract":
        command = [str(Path(sys.executable).with_name("modelarts")), "contract", "run", "--report", str(folder)]
        command += [option for operation in operations for option in ("--operation", operation)]
    else:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.access_logs", *PARALLEL]
        command += ["-m", "not soak and not engine", f"tests/{name}"]
    stamp = {"day": datetime.now(UTC).date().isoformat(), "fingerprints": fingerprints()}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "ACCESS_LOGS": str(folder)}, check=False)
    if done.returncode:
        raise SystemExit(f"the run of {name} failed (exit status {done.returncode}): its records are not evidence")
    (folder / STAMP).write_text(json.dumps(stamp), "utf-8")


def collected(before: Evidence | None, *, with_records: bool = True) -> Evidence:
    """What the records show; of runs that have none, or without records, what was known before."""
    known = {proof.key: proof for proof in before.operations} if before else {}
    proofs = [proof.with_runs_of(known.get(proof.key, proof)) for proof in derived()]
    runs = dict(before.runs) if before else {}
    for name, (read, nothing) in READERS.items() if with_records else ():
        if (stamp := RECORDS / name / STAMP).exists():
            runs[name] = json.loads(stamp.read_text("utf-8"))["day"]
            shown = read()
            proofs = [replace(proof, **shown.get(proof.key, nothing)) for proof in proofs]
    return Evidence(runs, proofs)


def derived() -> Iterator[Proof]:
    """The part of the proofs that the documents show without a run.

    The emulator has a handler for each operation that the overlays do not mark, or does not start.
    """
    for each in Documents().operations:
        clouds = each.definition.get("x-availability", [])
        yield Proof(each.name, each.operation_id, each.method, each.path, clouds, each.is_emulated)


def expanded(document: Mapping[str, Any], value: Any, stack: tuple[str, ...] = (), *, named: bool = False) -> Any:
    """The value without texts and with references replaced by what they name; where one repeats, by how far up."""
    if isinstance(value, list):
        return [expanded(document, item, stack) for item in value]
    if not isinstance(value, dict):
        return value
    found = {
        key: expanded(document, item, stack, named=key in NAMED and not named)
        for key, item in value.items()
        if named or (key != "$ref" and not is_text(key))
    }
    for key in UNORDERED & found.keys():
        if isinstance(found[key], list) and not named:
            found[key] = sorted(found[key], key=json.dumps)
    if named or not isinstance(reference := value.get("$ref"), str):
        return found
    if reference in stack:
        return found | {"$ref": len(stack) - stack.index(reference)}
    inner = expanded(document, find(document, reference), (*stack, reference))
    return found | {"$ref": inner} if found else inner


def fingerprint(operation: Operation) -> str:
    """A hash of what the document says to programs about the operation, without texts, examples and extensions."""
    meaning = [operation.method, operation.path, expanded(operation.document, operation.definition)]
    return sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()[:16]


def fingerprints() -> dict[str, str]:
    """The fingerprint of each operation, by `document.operation`."""
    return {f"{each.name}.{each.operation_id}": fingerprint(each) for each in Documents().operations}


def fuzzed() -> dict[Key, dict[str, Any]]:
    """Cases and statuses of each operation that the run of the contract checks tried, as it reports them."""
    documents = result.read(RECORDS / "contract" / "results.json").documents
    marks = json.loads((RECORDS / "contract" / STAMP).read_text("utf-8"))["fingerprints"]
    return {
        (name, id_): {
            "cases": operation.cases,
            "statuses": operation.statuses,
            "fingerprint": marks.get(f"{name}.{id_}", ""),
        }
        for name, document in documents.items()
        for id_, operation in document.operations.items()
        if operation.phases.keys() - {"reading"}  # what was only read was not chosen
    }


def stories() -> dict[Key, dict[str, Any]]:
    """The stories that called each operation successfully, and those in which jobs were processes."""
    called: dict[Key, set[str]] = {}
    executed: dict[Key, set[str]] = {}
    for story, key, line in calls("stories"):
        called.setdefault(key, set()).add(story)
        if line["executor"] == "process":
            executed.setdefault(key, set()).add(story)
    return {key: {"stories": sorted(called[key]), "executed": sorted(executed.get(key, ()))} for key in called}


def clients() -> dict[Key, dict[str, Any]]:
    """The programs of others that called each operation successfully, by the name that they send."""
    called: dict[Key, set[str]] = {}
    for _, key, line in calls("clients"):
        names = [name for name in PRODUCT.findall(line["user_agent"].lower()) if name not in NO_CLIENTS]
        called.setdefault(key, set()).update(names[:1])
    return {key: {"clients": sorted(names)} for key, names in called.items()}


def calls(name: str) -> Iterator[tuple[str, Key, Mapping[str, Any]]]:
    """The successful calls in access logs: the test module, the operation, and the line of the log."""
    documents = Documents()
    for file in sorted((RECORDS / name).glob("*.jsonl")):
        for text in file.read_text("utf-8").splitlines():
            line = json.loads(text)
            found = documents.find(line["method"], line["path"])
            if found is not None and line["status"] < 400:
                yield file.stem.removeprefix("test_"), (found[0].name, found[0].operation_id), line


READERS: dict[str, tuple[Callable[[], dict[Key, dict[str, Any]]], dict[str, Any]]] = {
    "contract": (fuzzed, {}),
    "stories": (stories, {"stories": [], "executed": []}),
    "clients": (clients, {"clients": []}),
}
"""By the name of a run: what its records show by operation, and what stands for an operation that they do not have."""


def written(evidence: Evidence) -> str:
    """The content of the file."""
    return f"{json.dumps(asdict(evidence), indent=1, ensure_ascii=False)}\n"


def problems(evidence: Evidence) -> Iterator[str]:
    """Why the evidence is stale; nothing if it is not."""
    now = {proof.key: proof for proof in derived()}
    then = {proof.key: proof for proof in evidence.operations}
    yield from (f"{'.'.join(key)} is missing" for key in now.keys() - then.keys())
    yield from (f"{'.'.join(key)} does not exist any more" for key in then.keys() - now.keys())
    for key in now.keys() & then.keys():
        if now[key].with_runs_of(then[key]) != then[key]:
            yield f"{'.'.join(key)}: method, path, clouds or emulator have changed"
    yield from (f"{'.'.join(key)}: the document has changed since its cases were generated" for key in stale(evidence))
    known = {file.stem.removeprefix("test_") for file in STORIES.glob("test_*.py")}
    missing = {name for proof in evidence.operations for name in proof.stories} - known
    yield from (f"story {name} does not exist any more" for name in sorted(missing))


def stale(evidence: Evidence) -> list[Key]:
    """The operations of which the document says something else to programs than when their cases were generated.

    Nothing is generated for an operation that is not emulated.
    """
    now = fingerprints()
    marks = {proof.key: proof.fingerprint for proof in evidence.operations if proof.emulated}
    return [key for key, mark in marks.items() if now.get(".".join(key), mark) != mark]


def main() -> int:
    parser = argparse.ArgumentParser(description="Collect what runs show about each operation.")
    parser.add_argument("--only", choices=READERS, action="append", help="run this only; can be repeated")
    parser.add_argument("--stale", action="store_true", help="run the contract checks of stale operations only")
    parser.add_argument("--derive", action="store_true", help="run nothing, and read no records of runs")
    options = parser.parse_args()
    if options.stale:
        if operations := sorted({operation for _, operation in stale(load())}):
            run("contract", operations)
    elif not options.derive:
        for name in options.only or READERS:
            run(name)
    evidence = collected(load() if FILE.exists() else None, with_records=not options.derive)
    if not FILE.exists() or FILE.read_text("utf-8") != written(evidence):
        FILE.write_text(written(evidence), "utf-8")
        print(FILE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
