"""Documents in, bundled documents and clients out: `openapi/` becomes `generated/`.

    python scripts/generate.py            # write generated/
    python scripts/generate.py --check    # compare it with the documents and the templates; exit 1 where it differs

Everything is made in a temporary folder first: where a document or a template is wrong, `generated/` stays as it is.
The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bundle import bundle
from client import write_client, write_template
from facts import write_facts
from modelarts_documents.files import Bundle, DocumentError, shown
from modelarts_documents.keys import without_client_keys
from parsed import ClientError
from validity import faults

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "overlays" / "modelarts_runtime"
# Modules of the runtime whose names users import from `modelarts_api`.
PUBLIC_RUNTIME = ("client", "errors", "types")
LIBRARIES = re.compile(r"(attrs|httpx|typing-extensions)[^\w-]")  # of those of the toolkit, what the client alone needs


@dataclass(frozen=True)
class Document:
    """One row per document: its folder in `openapi/`, and what the client's package says of itself."""

    name: str
    text: str


DOCUMENTS = (
    Document("iam", "The identity service: tokens and projects."),
    Document("v1", "The training service, version 1: training jobs in versions, stored settings, visualization jobs."),
    Document("v2", "The training service, version 2: algorithms, training jobs, their logs and metrics."),
)


def build(
    source: Path,
    target: Path,
    documents: Sequence[Document] = DOCUMENTS,
    *,
    before: Path | None = None,
) -> None:
    """Write everything that is made from the documents in `source` below `target`, an empty folder.

    `before` is what was made earlier: a document that is as it was there was valid.

    Raises `DocumentError` for a document that cannot be bundled, is not valid, or cannot become a client.
    """
    bundles = {document: bundle(source / document.name / "openapi.yaml") for document in documents}
    texts = {document: text_of(document, bundled) for document, bundled in bundles.items()}
    for document, bundled in bundles.items():
        file = before and before / "modelarts_openapi" / f"{document.name}.json"
        is_known = file is not None and file.is_file() and file.read_text(encoding="utf-8") == texts[document]
        reject(bundled, faults(bundled.document, is_known=is_known))
    write_packages(target, source / "shared", {row.name: bundled.document for row, bundled in bundles.items()})
    for document, bundled in bundles.items():
        origin = f"openapi/{document.name}"
        (target / "modelarts_openapi" / f"{document.name}.json").write_text(texts[document], encoding="utf-8")
        package = target / "modelarts_api" / document.name
        try:
            write_client(bundled.document, package, document.text)
        except ClientError as error:
            reject(bundled, error.facts)
        for file in package.rglob("*.py"):
            mark(file, origin)
    run_ruff(target)


def text_of(document: Document, bundled: Bundle) -> str:
    """The bundled document as it is published: of the API, and nothing of its client."""
    content = without_client_keys(bundled.document)
    marked = {"openapi": content["openapi"], "x-generated": notice(f"openapi/{document.name}"), **content}
    return json.dumps(marked, indent=2, ensure_ascii=False) + "\n"


def reject(bundled: Bundle, facts: Iterable[tuple[Sequence[str], str]]) -> None:
    """Raise `DocumentError` if there are any facts; each is a line that starts with its file and line."""
    if errors := [str(bundled.error(path, fact)) for path, fact in facts]:
        raise DocumentError("\n".join(errors))


def notice(origin: str) -> str:
    return f"Generated from {origin} by scripts/generate.py; do not edit."


def mark(file: Path, origin: str) -> None:
    file.write_text(f"# {notice(origin)}\n{file.read_text(encoding='utf-8')}", encoding="utf-8")


def write_packages(target: Path, shared: Path, documents: Mapping[str, dict[str, Any]]) -> None:
    """The packages that hold the documents and the clients, facts, and the names that clients take from elsewhere."""
    bundled, clients = target / "modelarts_openapi", target / "modelarts_api"
    write_template(bundled / "__init__.py", "documents_init", names=tuple(documents))
    write_facts(shared, bundled, clients, set(public_names(RUNTIME / "errors.py")[1]), documents.values())
    write_template(clients / "__init__.py", "clients_init")
    write_template(clients / "error_codes.py", "error_code_meanings")
    for file in (bundled / "phases.py", *(RUNTIME / f"{name}.py" for name in PUBLIC_RUNTIME)):
        text, names = public_names(file)
        module = f"{file.parent.name}.{file.stem}"
        write_template(clients / file.name, "reexports", text=text, module=module, names=names)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    libraries = filter(LIBRARIES.match, project["dependencies"])
    write_template(target / "pyproject.toml", "pyproject", project=project, libraries=libraries)
    for package in (bundled, clients):
        (package / "py.typed").touch()
    for file in target.rglob("*.py"):
        origin = RUNTIME.relative_to(ROOT) / file.name if file.stem in PUBLIC_RUNTIME else "openapi"
        mark(file, str(origin))


def public_names(file: Path) -> tuple[str, list[str]]:
    """The first line of the module's docstring, and the names in its `__all__`."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return (ast.get_docstring(module) or "").partition("\n")[0], list(ast.literal_eval(node.value))
    raise ValueError(f"{file} has no __all__")


def run_ruff(target: Path) -> None:
    style = ["--isolated", "--quiet", "--no-cache", "--config", "line-length=120", "--config", "target-version='py311'"]
    for verb in (["check", "--select", "I,F401,PIE790", "--fix-only", "--unsafe-fixes", "--preview"], ["format"]):
        command = [sys.executable, "-m", "ruff", *verb, *style, str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ClientError(([], f"ruff {verb[0]} rejects the generated code: {done.stderr or done.stdout}"))


def files(folder: Path) -> dict[Path, bytes]:
    return {
        file.relative_to(folder): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }


def replace(target: Path, made: dict[Path, bytes]) -> list[Path]:
    """Make `target` hold exactly what was made; only files that differ are touched. Returns these."""
    present = files(target)
    changed = [name for name, content in made.items() if present.get(name) != content]
    for name in changed:
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            scratch.write_bytes(made[name])
            scratch.replace(file)
        finally:
            scratch.unlink(missing_ok=True)
    stale = [name for name in present if name not in made]
    for name in stale:
        (target / name).unlink()
    for folder in sorted((f for f in target.rglob("*") if f.is_dir()), reverse=True):
        if not any(file.is_file() and "__pycache__" not in file.parts for file in folder.rglob("*")):
            shutil.rmtree(folder)
    return changed + stale


def check(target: Path, made: Path) -> int:
    """Show what is there, and what should be there instead; the exit status of diff, 1 if they differ."""
    command = ["diff", "-ruN", "--exclude=__pycache__", str(target), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr)
        print(f"{shown(target)} is not what the documents and templates make; run `make generate`", file=sys.stderr)
    return done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Make generated/ from openapi/.")
    parser.add_argument("--check", action="store_true", help="write nothing; show what differs and exit 1")
    parser.add_argument("--source", type=Path, default=ROOT / "openapi", help="the folder of the documents")
    parser.add_argument("--target", type=Path, default=ROOT / "generated", help="the folder that is made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="modelarts-generate-") as scratch:
        try:
            build(options.source, Path(scratch), before=options.target)
        except (DocumentError, ClientError) as error:
            sys.exit(str(error))
        if options.check:
            return check(options.target, Path(scratch))
        made = files(Path(scratch))
    changed = replace(options.target, made)
    print(f"{shown(options.target)}: {len(made)} files, {len(changed)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
