"""Collect what runs show about each operation: `contract/modelarts_contract/evidence.json`, `docs/coverage.md`.

    python scripts/evidence.py                  # run contract checks, stories and foreign clients, and write
    python scripts/evidence.py --only stories   # run one of them: contract, stories or clients
    python scripts/evidence.py --stale          # run the contract checks of operations whose figures are stale
    python scripts/evidence.py --merge          # run nothing; write what the records of earlier runs show
    python scripts/evidence.py --derive         # read no records; write which operations client and emulator have now
    python scripts/evidence.py --real FILE ...  # add what a real service responded (HAR, or results.json of a run)
    python scripts/evidence.py --check          # write nothing; exit 1 if the files are stale

Records of runs lie in `.cache/evidence/`. What a run did not record stays as the file had it. What real services
responded is kept, too, with its day. The files are stale if operations, client, emulator or stories have come or gone,
or a document says something else of an operation to programs than when its cases were generated.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import modelarts_api
from modelarts_contract import har
from modelarts_contract.documents import Documents
from modelarts_contract.evidence import Evidence, Proof, Seen, fingerprint, load, proof_of, seen_in
from modelarts_contract.evidence_table import as_markdown
from modelarts_contract.run import result

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / ".cache" / "evidence"
FILE = ROOT / "contract" / "modelarts_contract" / "evidence.json"
PAGE = ROOT / "docs" / "coverage.md"
STORIES = ROOT / "tests" / "stories"
GENERATED = Path(modelarts_api.__path__[0])
STAMP = "run.json"
PARALLEL = ("--numprocesses", "auto", "--dist", "loadfile")
PRODUCT = re.compile(r"([\w.-]+)/")  # in the name that a client sends
# Our own client, what names no client, and libraries for any service.
NO_CLIENTS = {"modelarts-toolkit", "os", "python", "impl", "app", "python-httpx", "python-requests", "python-urllib"}
Key = tuple[str, str]


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
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.access_logs", *PARALLEL, f"tests/{name}"]
    stamp = {"day": datetime.now(UTC).date().isoformat(), "fingerprints": fingerprints()}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "ACCESS_LOGS": str(folder)}, check=False)
    if done.returncode:
        raise SystemExit(f"the run of {name} failed (exit status {done.returncode}): its records are not evidence")
    (folder / STAMP).write_text(json.dumps(stamp), "utf-8")


def collected(before: Evidence | None, *, with_records: bool = True) -> Evidence:
    """What the records show; of runs that have none, or without records, what was known before."""
    known = {proof.key: proof for proof in before.operations} if before else {}
    found = {proof.key: proof for proof in derived()}
    proofs = [replace(proof, **recorded_of(known[key])) if key in known else proof for key, proof in found.items()]
    runs = dict(before.runs) if before else {}
    for name, (read, nothing) in READERS.items() if with_records else ():
        if (stamp := RECORDS / name / STAMP).exists():
            runs[name] = json.loads(stamp.read_text("utf-8"))["day"]
            shown = read()
            proofs = [replace(proof, **shown.get(proof.key, nothing)) for proof in proofs]
    return Evidence(runs, proofs)


def recorded_of(proof: Proof) -> dict[str, Any]:
    """The part of a proof that comes from runs."""
    names = ("cases", "statuses", "fingerprint", "stories", "executed", "clients", "real")
    return {name: getattr(proof, name) for name in names}


def derived() -> Iterator[Proof]:
    """The part of the proofs that documents and client show without a run.

    The emulator has a handler for each operation without `x-emulated: false`, or does not start.
    """
    for operation in Documents().operations:
        proof = proof_of(operation)
        modules = GENERATED.glob(f"{operation.name}/api/*/{snake(operation.operation_id)}.py")
        texts = [module.read_text("utf-8") for module in modules]
        generated = any("def sync(" in text and "async def asyncio(" in text for text in texts)
        yield replace(proof, generated=generated, emulated=operation.definition.get("x-emulated", True))


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


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
        if operation.cases
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


def real(files: list[Path]) -> Iterator[dict[Key, Seen]]:
    """What real services responded, by a recording or by the result of a run."""
    for file in files:
        if file.suffix == ".har":
            yield seen_in(har.read(file), Documents())
            continue
        found = result.read(file)
        if found.is_emulator:
            raise SystemExit(f"{file} is the result of a run against the emulator: name one of a real service")
        yield {
            (name, id_): Seen(found.service.split("/")[2], found.started_at[:10], operation.statuses)
            for name, document in found.documents.items()
            for id_, operation in document.operations.items()
            if operation.statuses
        }


def written(evidence: Evidence) -> dict[Path, str]:
    """The files with their content."""
    content = json.dumps(evidence.as_json(), indent=1, ensure_ascii=False)
    return {FILE: f"{content}\n", PAGE: "\n".join(as_markdown(evidence)) + "\n"}


def problems(evidence: Evidence) -> Iterator[str]:
    """Why the evidence is stale; nothing if it is not."""
    now = {proof.key: proof for proof in derived()}
    then = {proof.key: proof for proof in evidence.operations}
    yield from (f"{'.'.join(key)} is missing" for key in now.keys() - then.keys())
    yield from (f"{'.'.join(key)} does not exist any more" for key in then.keys() - now.keys())
    for key in now.keys() & then.keys():
        if replace(now[key], **recorded_of(then[key])) != then[key]:
            yield f"{'.'.join(key)}: method, path, clouds, client or emulator have changed"
    yield from (f"{'.'.join(key)}: the document has changed since its cases were generated" for key in stale(evidence))
    known = {file.stem.removeprefix("test_") for file in STORIES.glob("test_*.py")}
    missing = {name for proof in evidence.operations for name in proof.stories} - known
    yield from (f"story {name} does not exist any more" for name in sorted(missing))
    if PAGE.read_text("utf-8") != written(evidence)[PAGE]:
        yield f"{PAGE.relative_to(ROOT)} is not what {FILE.relative_to(ROOT)} says"


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
    parser.add_argument("--merge", action="store_true", help="run nothing")
    parser.add_argument("--derive", action="store_true", help="run nothing, and read no records of runs")
    parser.add_argument("--real", type=Path, nargs="+", default=[], metavar="FILE", help="recordings of real services")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the files are stale")
    options = parser.parse_args()
    if options.check:
        found = sorted(problems(load()))
        print("\n".join([*found, *(["The evidence is stale: run `make evidence`."] if found else [])]))
        return int(bool(found))
    if options.stale:
        if operations := sorted({operation for _, operation in stale(load())}):
            run("contract", operations)
    elif not (options.merge or options.derive or options.real):
        for name in options.only or READERS:
            run(name)
    evidence = collected(load() if FILE.exists() else None, with_records=not options.derive)
    for added in real(options.real):
        evidence = evidence.and_seen(added)
    for file, text in written(evidence).items():
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
            print(file.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
