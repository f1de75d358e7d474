"""Algorithms: made from a request, stored, found, changed and removed, always within one project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.engine.tables import algorithms
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.v2.channels import check_declared
from modelarts_emulator.v2.hyperparameters import check_definitions
from modelarts_emulator.v2.hyperparameters import view as parameter_view
from modelarts_emulator.v2.programs import Program, engine_of_algorithm

__all__ = ["add", "change", "compose", "find", "remove", "replace"]

Document = dict[str, Any]


def compose(
    algorithm_id: str, create_time: int, identity: Identity, request: Mapping[str, Any], program: Program
) -> Document:
    """What the service says about a new algorithm.

    Raises ServiceError if its hyperparameters or channels are not right.
    """
    return {
        "metadata": _metadata(algorithm_id, create_time, identity, request["metadata"], program),
        "share_info": {},
        "job_config": _job_config(request["job_config"], program),
        "resource_requirements": _requirements(request.get("resource_requirements")),
        "advanced_config": request.get("advanced_config") or {},
    }


def change(stored: Document, update_time: int, request: Mapping[str, Any], program: Program | None) -> Document:
    """The algorithm with the parts that the request gives in place of the stored ones.

    Raises ServiceError as `compose`.

    `program` is what the request's `job_config` describes, None if it has none.
    """
    changed = stored | {"metadata": stored["metadata"] | {"update_time": update_time}}
    if "metadata" in request:
        changed["metadata"] |= _naming(request["metadata"])
    if program is not None:
        changed["metadata"]["size"] = _size(program)
        changed["job_config"] = _job_config(request["job_config"], program)
    if "resource_requirements" in request:
        changed["resource_requirements"] = _requirements(request["resource_requirements"])
    if "advanced_config" in request:
        changed["advanced_config"] = request["advanced_config"]
    return changed


def find(connection: Connection, project_id: str, algorithm_id: str) -> Document:
    """The project's algorithm with this id; raises ServiceError (2755) if the project has none."""
    query = select(algorithms.c.document).where(algorithms.c.id == algorithm_id, algorithms.c.project_id == project_id)
    document: Document | None = connection.execute(query).scalar_one_or_none()
    if document is None:
        raise ServiceError("ModelArts.2755", f"Algorithm {algorithm_id} not found.")
    return document


def add(connection: Connection, project_id: str, document: Document) -> None:
    """Store a new algorithm; raises ServiceError (2821) if the project has one of this name."""
    metadata = document["metadata"]
    statement = insert(algorithms).values(
        id=metadata["id"],
        project_id=project_id,
        name=metadata["name"],
        create_time=metadata["create_time"],
        document=document,
    )
    with _unique(metadata["name"]):
        connection.execute(statement)


def replace(connection: Connection, document: Document) -> None:
    """Store what an algorithm has become; raises ServiceError (2821) if the project has another one of its name."""
    metadata = document["metadata"]
    statement = update(algorithms).where(algorithms.c.id == metadata["id"])
    with _unique(metadata["name"]):
        connection.execute(statement.values(name=metadata["name"], document=document))


def remove(connection: Connection, project_id: str, algorithm_id: str) -> None:
    """Remove the project's algorithm; raises ServiceError (2755) if the project has none with this id."""
    find(connection, project_id, algorithm_id)
    connection.execute(delete(algorithms).where(algorithms.c.id == algorithm_id))


@contextmanager
def _unique(name: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise ServiceError("ModelArts.2821", f"There is already an algorithm of the name {name}.") from None


def _metadata(
    algorithm_id: str, create_time: int, identity: Identity, request: Mapping[str, Any], program: Program
) -> Document:
    return {
        "id": algorithm_id,
        **_naming(request),
        "create_time": create_time,
        "workspace_id": "0",
        "user_name": identity.user,
        "domain_id": identity.domain_id,
        "source": "custom",
        "api_version": "",
        "is_valid": True,
        "state": "",
        "size": _size(program),
        "tags": None,
        "attr_list": None,
        "version_num": 0,
        "update_time": 0,
    }


def _naming(request: Mapping[str, Any]) -> Document:
    return {
        "name": request["name"],
        "description": request.get("description") or "",
        "ai_project": request.get("ai_project") or "default-ai-project",
    }


def _size(program: Program) -> int:
    return program.code.size if program.code else 0


def _job_config(config: Mapping[str, Any], program: Program) -> Document:
    parameters, inputs, outputs = ([*(config.get(name) or ())] for name in ("parameters", "inputs", "outputs"))
    check_definitions(parameters)
    check_declared("inputs", inputs)
    check_declared("outputs", outputs)
    job_config = {
        "code_dir": program.code_dir,
        "boot_file": program.boot_file,
        "command": program.command or "",
        "parameters": [parameter_view(parameter) for parameter in parameters],
        "parameters_customization": config.get("parameters_customization"),
        "inputs": inputs,
        "outputs": outputs,
        "engine": engine_of_algorithm(program),
        "code_tree": program.code.tree if program.code else None,
    }
    return {name: value for name, value in job_config.items() if value is not None}


def _requirements(given: Sequence[Mapping[str, Any]] | None) -> list[Document] | None:
    """A request says `values`, a response `value`: so the pages print it."""
    if given is None:
        return None
    return [
        {"value" if name == "values" else name: value for name, value in requirement.items()} for requirement in given
    ]
