"""Algorithms: pages "Creating an Algorithm" and "Deleting an Algorithm"."""

from __future__ import annotations

import uuid

from modelarts_emulator import algorithms, programs
from modelarts_emulator.calls import Answer, Call
from modelarts_emulator.errors import Refusal

__all__ = ["create_algorithm", "delete_algorithm"]


def create_algorithm(call: Call) -> Answer:
    """Check the code and everything declared about it, and store it."""
    services, request = call.services, call.body
    for name in ("metadata", "job_config"):
        if not request.get(name):
            raise Refusal("ModelArts.2788", f"Invalid parameter ({name}): it is required.")
    metadata = request["metadata"]
    if metadata.get("id") is not None:
        raise Refusal("ModelArts.2788", "Invalid parameter (metadata.id): the service gives ids.")
    if (workspace := metadata.get("workspace_id") or "0") != "0":
        raise Refusal("ModelArts.0102", f"Workspace {workspace} not found.")
    with services.engine.begin() as connection:
        if algorithms.name_is_taken(connection, call.project_id, metadata["name"]):
            raise Refusal("ModelArts.2821", f"There is already an algorithm of the name {metadata['name']}.")
        program = programs.resolve(services.catalogue, services.store, request["job_config"])
        document = algorithms.compose(str(uuid.uuid4()), services.now(), call.identity, request, program)
        algorithms.add(connection, call.project_id, document)
    return Answer(201, document)


def delete_algorithm(call: Call) -> Answer:
    """Remove the algorithm; jobs that were made from it keep what they took over."""
    with call.services.engine.begin() as connection:
        algorithms.remove(connection, call.project_id, call.path["algorithm_id"])
    return Answer(202)
