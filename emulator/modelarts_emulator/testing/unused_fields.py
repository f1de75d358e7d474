"""Which members of requests no handler reads: nothing that a client asks for is to be ignored without a word.

A request is handed to its handler as mappings that remember which of their members were asked for; whoever copies or
encodes a mapping as a whole has read all of it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from modelarts_emulator.http.call import Call, Handler, Response

__all__ = ["UnusedFields"]

log = logging.getLogger(__name__)


class UnusedFields:
    """The unread members of accepted requests, by operation; each is logged when it is first seen."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}

    def watch(self, operation_id: str, handler: Handler) -> Handler:
        """The handler, with an eye on what it reads of the body and the query."""

        def watched(call: Call) -> Response:
            body, query = _watch(call.body), TrackedObject(call.query)
            response = handler(replace(call, body=body, query=query))
            if response.status < 400:
                self._note(operation_id, [*_unread(body, ""), *_unread(query, "")])
            return response

        return watched

    def report(self) -> dict[str, list[str]]:
        """Operation ids with the paths of members that requests had and nothing read."""
        return {operation_id: sorted(paths) for operation_id, paths in sorted(self._found.items())}

    def _note(self, operation_id: str, paths: list[str]) -> None:
        known = self._found.setdefault(operation_id, set()) if paths else set()
        for path in sorted(set(paths) - known):
            log.warning("%s: nothing reads %s", operation_id, path)
            known.add(path)


class TrackedObject(dict[str, Any]):
    """A JSON object that remembers which of its members were read."""

    def __init__(self, members: Any) -> None:
        super().__init__((name, _watch(value)) for name, value in members.items())
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        # Overridden so that `dict(members)` and `{**members}` go through `__getitem__`.
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)

    def items(self) -> Any:
        self.seen.update(self)
        return super().items()

    def values(self) -> Any:
        self.seen.update(self)
        return super().values()


def _watch(value: Any) -> Any:
    if isinstance(value, dict):
        return TrackedObject(value)
    return [_watch(entry) for entry in value] if isinstance(value, list) else value


def _unread(value: Any, path: str) -> Iterator[str]:
    """The paths of members that were not read, the outermost only."""
    if isinstance(value, TrackedObject):
        for name, member in dict.items(value):
            inner = f"{path}.{name}".lstrip(".")
            if name in value.seen:
                yield from _unread(member, inner)
            else:
                yield inner
    elif isinstance(value, list):
        for entry in value:
            yield from _unread(entry, f"{path}[]")
