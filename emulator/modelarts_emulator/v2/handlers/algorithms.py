"""Algorithms.

Pages "Creating an Algorithm", "Querying the Algorithm List", "Querying Algorithm Details", "Modifying an Algorithm" and
"Deleting an Algorithm".
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.tuning.request import check_stored
from modelarts_emulator.v2 import algorithms, programs
from modelarts_emulator.v2.algorithm_queries import list_page
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.unsupported import reject_workspace

__all__ = ["change_algorithm", "create_algorithm", "delete_algorithm", "list_algorithms", "show_algorithm_by_uuid"]


def create_algorithm(v2: V2, call: Call) -> Response:
    """Check the code and everything declared about it, and store it."""
    request = call.body
    for name in ("metadata", "job_config"):
        if not request.get(name):
            raise ServiceError("ModelArts.2788", f"Invalid parameter ({name}): it is required.")
    metadata = request["metadata"]
    _check_metadata(metadata, None)
    program = programs.resolve(v2.catalogue, v2.store, call.identity.domain_id, request["job_config"])
    check_stored(v2.catalogue, request.get("advanced_config"))
    document = algorithms.compose(str(uuid.uuid4()), v2.now(), call.identity, request, program)
    with v2.database.writing() as connection:
        algorithms.add(connection, call.project_id, document)
    return Response(201, document)


def list_algorithms(v2: V2, call: Call) -> Response:
    """One page of the project's algorithms."""
    reject_workspace(call.query)
    with v2.database.reading() as connection:
        total, found, page = list_page(connection, call.project_id, call.query)
    return Response(200, {"total": total, "count": len(found), **page, "items": found})


def show_algorithm_by_uuid(v2: V2, call: Call) -> Response:
    """The algorithm as it is stored."""
    with v2.database.reading() as connection:
        document = algorithms.find(connection, call.project_id, call.path["algorithm_id"])
    return Response(200, document)


def change_algorithm(v2: V2, call: Call) -> Response:
    """Replace the parts that the request gives, checked like a new algorithm; the response is 201 nonetheless."""
    request, algorithm_id = call.body, call.path["algorithm_id"]
    metadata = request.get("metadata", {})
    _check_metadata(metadata, algorithm_id)
    with v2.database.reading() as connection:
        algorithms.find(connection, call.project_id, algorithm_id)
    # Before anything is written: object storage may be slow.
    config = request.get("job_config")
    program = None
    if config is not None:
        program = programs.resolve(v2.catalogue, v2.store, call.identity.domain_id, config)
    check_stored(v2.catalogue, request.get("advanced_config"))
    with v2.database.writing() as connection:
        stored = algorithms.find(connection, call.project_id, algorithm_id)
        document = algorithms.change(stored, v2.now(), request, program)
        algorithms.replace(connection, document)
    return Response(201, document)


def delete_algorithm(v2: V2, call: Call) -> Response:
    """Remove the algorithm; jobs that were made from it keep what they took over."""
    with v2.database.writing() as connection:
        algorithms.remove(connection, call.project_id, call.path["algorithm_id"])
    return Response(202)


def _check_metadata(metadata: Mapping[str, Any], algorithm_id: str | None) -> None:
    if metadata.get("id") not in (None, algorithm_id):
        raise ServiceError("ModelArts.2788", "Invalid parameter (metadata.id): the service gives ids.")
    reject_workspace(metadata)
