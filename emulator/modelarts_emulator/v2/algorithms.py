"""Algorithms: code with its engine, hyperparameters and channels, stored under a name for jobs.

Pages "Creating an Algorithm", "Querying the Algorithm List", "Querying Algorithm Details", "Modifying an Algorithm" and
"Deleting an Algorithm". Of the list's condition `key:text` one example is documented, `name`, which a part of the name
meets; `offset` counts algorithms, where the search for jobs counts pages.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, BigInteger, ColumnElement, Connection, Index, Table, select

from modelarts_emulator.engine.database import contains
from modelarts_emulator.engine.tables import TEXT, columns, metadata
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.resources import Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.tuning.policy import check_stored
from modelarts_emulator.v2.channels import check_declared
from modelarts_emulator.v2.conventions import invalid, page_of, reject_workspace
from modelarts_emulator.v2.hyperparameters import check_definitions, view
from modelarts_emulator.v2.specifications import Program, resolve_program

algorithms = Table(
    "algorithms",
    metadata,
    *columns({"id": TEXT}, project_id=TEXT, name=TEXT, create_time=BigInteger, document=JSON),
    Index("algorithm_names", "project_id", "name", unique=True),
    Index("algorithm_times", "project_id", "create_time", "id"),
)


Document = dict[str, Any]

NEW: Document = json.loads(Path(__file__).with_name("algorithm.json").read_text("utf-8"))
"""What every new algorithm has."""

ALGORITHMS: Resource[Document] = Resource(
    key=algorithms.c.id,
    scope=algorithms.c.project_id,
    rows=select(algorithms.c.document),
    read=lambda row: row.document,
    missing=lambda key: ServiceError("ModelArts.2755", f"Algorithm {key} not found."),
    in_use=lambda name: ServiceError("ModelArts.2821", f"There is already an algorithm of the name {name}."),
    sorts={"create_time": algorithms.c.create_time, "name": algorithms.c.name},
)
CONDITIONS = {"name": algorithms.c.name}


def create_algorithm(service: ModelArts, call: Call) -> Response:
    """Check the code and everything declared about it, and store it."""
    request = call.body
    reject_workspace(request["metadata"])
    program = _program(service, call, request["job_config"])
    check_stored(service.catalogue.search_algorithms, request.get("advanced_config"))
    document = _changed(_empty(call.identity, service.now()), request, program)
    columns = {name: document["metadata"][name] for name in ("id", "name", "create_time")}
    with service.database.writing() as connection:
        ALGORITHMS.add(connection, columns | {"project_id": call.project_id, "document": document})
    return Response(201, document)


def list_algorithms(service: ModelArts, call: Call) -> Response:
    """One page of the project's algorithms."""
    reject_workspace(call.query)
    page, described = page_of(ALGORITHMS, call.query)
    with service.database.reading() as connection:
        conditions = _conditions(connection, call.query.get("searches") or "")
        total, found = ALGORITHMS.page(connection, call.project_id, page, conditions)
    return Response(200, {"total": total, "count": len(found), **described, "items": found})


def show_algorithm_by_uuid(service: ModelArts, call: Call) -> Response:
    """The algorithm as it is stored."""
    return Response(200, ALGORITHMS.of_path(service.database, call, "algorithm_id"))


def change_algorithm(service: ModelArts, call: Call) -> Response:
    """Replace the parts that the request gives, checked like a new algorithm; the response is 201 nonetheless."""
    request, algorithm_id = call.body, call.path["algorithm_id"]
    given = request.get("metadata", {})
    if given.get("id") not in (None, algorithm_id):
        raise invalid("metadata.id", "the service gives ids")
    reject_workspace(given)
    ALGORITHMS.of_path(service.database, call, "algorithm_id")
    # Before anything is written: object storage may be slow.
    config = request.get("job_config")
    program = None if config is None else _program(service, call, config)
    check_stored(service.catalogue.search_algorithms, request.get("advanced_config"))
    with service.database.writing() as connection:
        stored = ALGORITHMS.find(connection, call.project_id, algorithm_id)
        stored["metadata"]["update_time"] = service.now()
        document = _changed(stored, request, program)
        name = document["metadata"]["name"]
        ALGORITHMS.change(connection, call.project_id, algorithm_id, name=name, document=document)
    return Response(201, document)


def delete_algorithm(service: ModelArts, call: Call) -> Response:
    """Remove the algorithm; jobs that were made from it keep what they took over."""
    with service.database.writing() as connection:
        ALGORITHMS.remove(connection, call.project_id, call.path["algorithm_id"])
    return Response(202)


def _program(service: ModelArts, call: Call, config: Mapping[str, Any]) -> Program:
    """As `resolve_program`; a missing code directory has a code of its own here, as was seen at the service."""
    try:
        return resolve_program(service.catalogue, service.store_of(call.project_id), config)
    except ServiceError as error:
        if error.code == Problem.CODE_NOT_FOUND:
            raise ServiceError("ModelArts.2773", error.message) from None
        raise


def _conditions(connection: Connection, searches: str) -> list[ColumnElement[bool]]:
    key, _, text = searches.partition(":")
    if not searches:
        return []
    if key not in CONDITIONS:
        raise ServiceError("ModelArts.2807", f"Search key {key!r} is not supported: use {', '.join(CONDITIONS)}.")
    return [contains(connection, CONDITIONS[key], text)]


def _changed(stored: Document, request: Mapping[str, Any], program: Program | None) -> Document:
    """The algorithm with the parts that the request gives in place of the stored ones.

    `program` is what the request's `job_config` describes, None if it has none.
    Raises ServiceError if hyperparameters or channels are not right.
    """
    changed = dict(stored)
    if given := request.get("metadata"):
        naming = {
            "name": given["name"],
            "description": given.get("description") or "",
            "ai_project": given.get("ai_project") or "default-ai-project",
        }
        changed["metadata"] = changed["metadata"] | naming
    if program is not None:
        size = program.code.size if program.code else 0
        changed["metadata"] = changed["metadata"] | {"size": size}
        changed["job_config"] = _job_config(request["job_config"], program)
    if "resource_requirements" in request:
        changed["resource_requirements"] = _requirements(request["resource_requirements"])
    if "advanced_config" in request:
        changed["advanced_config"] = request["advanced_config"]
    return changed


def _empty(identity: Identity, create_time: int) -> Document:
    """A new algorithm, without what its request gives."""
    made = {"id": str(uuid.uuid4()), "create_time": create_time}
    owner = {"user_name": identity.user, "domain_id": identity.domain_id}
    return NEW | {"metadata": NEW["metadata"] | made | owner}


def _job_config(config: Mapping[str, Any], program: Program) -> Document:
    parameters, inputs, outputs = ([*(config.get(name) or ())] for name in ("parameters", "inputs", "outputs"))
    check_definitions(parameters)
    check_declared("inputs", inputs)
    check_declared("outputs", outputs)
    job_config = {
        "code_dir": program.code_dir,
        "boot_file": program.boot_file,
        "command": program.command or "",
        "parameters": [view(parameter) for parameter in parameters],
        "parameters_customization": config.get("parameters_customization"),
        "inputs": inputs,
        "outputs": outputs,
        "engine": dict(program.engine),
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
