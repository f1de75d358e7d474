"""A project's quota of jobs: how many it may have, ended ones included."""

from __future__ import annotations

from sqlalchemy import Connection

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.jobs import store

__all__ = ["Quota"]


class Quota:
    """Counts as seldom as it can: between two counts it knows how many jobs there are at most."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._bounds: dict[str, int] = {}

    def check(self, connection: Connection, project_id: str) -> None:
        """Raise ServiceError (2815) unless the project may have one more job, which is expected to be added."""
        bound = self._bounds.get(project_id, self.most)
        if bound >= self.most:
            bound = store.count(connection, project_id)
            if bound >= self.most:
                raise ServiceError("ModelArts.2815", f"Exceed quota limit of resource (training jobs): {self.most}.")
        self._bounds[project_id] = bound + 1
