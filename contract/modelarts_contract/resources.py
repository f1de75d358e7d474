"""The kinds of objects that runs create, as the overlays declare them: where an object has its id and its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import modelarts_openapi
from modelarts_contract.documents import Operation, operations, overlay
from modelarts_contract.seen import dig, leaves, values

__all__ = ["RESOURCES", "Resource", "resource_of"]


@dataclass(frozen=True)
class Resource:
    """A kind of objects: where one has its `id`, its `name` and its `phase`, and the operations that are about it.

    `search` has the parameters with which the list has an object of the name `$known.name`. `changed-by` says of
    operations whose path is not below that of `delete` where the ids are: `{parameter}`, or a place in the body.
    """

    kind: str
    document: str
    id: str
    name: str
    listing: str
    search: Mapping[str, Any]
    show: str
    delete: str
    stop: str = ""
    phase: str = ""
    changed_by: Mapping[str, str] = field(default_factory=dict)

    def operation(self, role: str) -> Operation:
        return operations(self.document)[getattr(self, role)]

    def path(self, id_: str) -> dict[str, str]:
        """The parameters of paths to the object."""
        return {self.operation("delete").path_names[0]: id_}

    def ids(self, operation: Operation, parameters: Mapping[str, str], body: Any) -> list[str]:
        """The ids of the objects that a request changes; none if it does not name any."""
        place = self.changed_by.get(operation.operation_id)
        if place is None:
            return [parameters[self.operation("delete").path_names[0]]]
        return [parameters[place.strip("{}")]] if place.startswith("{") else list(map(str, values(body, place)))

    def names(self, operation: Operation, body: Any) -> list[Any]:
        """The names that a body gives to objects; none if it has none."""
        return [value for place, value in leaves(body).items() if operation.shown_at(place) == self.name]

    def created_id(self, shown: Any, name: str) -> str | None:
        """The id in the response to a creation, which paths use; the name where that is the id."""
        found = name if self.id == self.name else dig(shown, self.id)
        return None if found is None else str(found)


RESOURCES = {
    kind: Resource(kind, document, **{name.replace("-", "_"): value for name, value in declared.items()})
    for document in modelarts_openapi.NAMES
    for kind, declared in overlay(document).get("resources", {}).items()
}


def resource_of(operation: Operation) -> Resource | None:
    """What an operation creates or changes; None if no overlay declares how it is found and deleted."""
    for each in RESOURCES.values():
        path = each.operation("delete").path
        is_its = operation.path == path.rpartition("/")[0] or f"{operation.path}/".startswith(f"{path}/")
        if each.document == operation.name and (is_its or operation.operation_id in each.changed_by):
            return each
    return None
