"""Algorithms.

Pages "Creating an Algorithm", "Querying the Algorithm List", "Querying Algorithm Details", "Modifying an Algorithm" and
"Deleting an Algorithm".
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.call import Answer, Call
from modelarts_emulator.http.errors import Refusal
from modelarts_emulator.tuning.request import check_stored
from modelarts_emulator.v2 import algorithms, programs
from modelarts_emulator.v2.algorithm_queries import list_page

__all__ = ["change_algorithm", "create_algorithm", "delete_algorithm", "list_algorithms", "show_algorithm_by_uuid"]


def create_algorithm(call: Call) -> Answer:
    """Check the code and everything declared about it, and store it."""
    services, request = call.services, call.body
    for name in ("metadata", "job_config"):
        if not request.get(name):
            raise Refusal("ModelArts.2788", f"Invalid parameter ({name}): it is required.")
    metadata = request["metadata"]
    _check_metadata(metadata, None)
    with services.writing() as connection:
        if algorithms.name_is_taken(connection, call.project_id, metadata["name"]):
            raise Refusal("ModelArts.2821", f"There is already an algorithm of the name {metadata['name']}.")
        program = programs.resolve(services.catalogue, services.store, request["job_config"])
        check_stored(services.catalogue, request.get("advanced_config"))
        document = algorithms.compose(str(uuid.uuid4()), services.now(), call.identity, request, program)
        algorithms.add(connection, call.project_id, document)
    return Answer(201, document)


def list_algorithms(call: Call) -> Answer:
    """One page of the project's algorithms."""
    _check_workspace(call.query)
    total, found, page = list_page(call.services.reader, call.project_id, call.query)
    return Answer(200, {"total": total, "count": len(found), **page, "items": found})


def show_algorithm_by_uuid(call: Call) -> Answer:
    """The algorithm as it is stored."""
    document = algorithms.find(call.services.reader, call.project_id, call.path["algorithm_id"])
    return Answer(200, document)


def change_algorithm(call: Call) -> Answer:
    """Replace the parts that the request gives, checked like a new algorithm; the answer is 201 nonetheless."""
    services, request, algorithm_id = call.services, call.body, call.path["algorithm_id"]
    metadata = request.get("metadata", {})
    _check_metadata(metadata, algorithm_id)
    with services.writing() as connection:
        stored = algorithms.find(connection, call.project_id, algorithm_id)
        name = metadata.get("name", stored["metadata"]["name"])
        if name != stored["metadata"]["name"] and algorithms.name_is_taken(connection, call.project_id, name):
            raise Refusal("ModelArts.2821", f"There is already an algorithm of the name {name}.")
        config = request.get("job_config")
        program = None if config is None else programs.resolve(services.catalogue, services.store, config)
        check_stored(services.catalogue, request.get("advanced_config"))
        document = algorithms.change(stored, services.now(), request, program)
        algorithms.replace(connection, document)
    return Answer(201, document)


def delete_algorithm(call: Call) -> Answer:
    """Remove the algorithm; jobs that were made from it keep what they took over."""
    with call.services.writing() as connection:
        algorithms.remove(connection, call.project_id, call.path["algorithm_id"])
    return Answer(202)


def _check_metadata(metadata: Mapping[str, Any], algorithm_id: str | None) -> None:
    if metadata.get("id") not in (None, algorithm_id):
        raise Refusal("ModelArts.2788", "Invalid parameter (metadata.id): the service gives ids.")
    _check_workspace(metadata)


def _check_workspace(given: Mapping[str, Any]) -> None:
    if (workspace := given.get("workspace_id") or "0") != "0":
        raise Refusal("ModelArts.0102", f"Workspace {workspace} not found.")
