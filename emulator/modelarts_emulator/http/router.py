"""The router: paths of the documents, such as `/v2/{project_id}/algorithms`, and which of them a request means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Router"]

Target = TypeVar("Target")


@dataclass(slots=True)
class _Node(Generic[Target]):
    literals: dict[str, _Node[Target]] = field(default_factory=dict)
    parameter: _Node[Target] | None = None
    end: tuple[Target, tuple[str, ...]] | None = None


class Router(Generic[Target]):
    """Path templates and what each leads to; a literal segment wins over a parameter in its place."""

    def __init__(self) -> None:
        self._root: _Node[Target] = _Node()

    def add(self, template: str, target: Target) -> None:
        """Let a template lead to the target; raises ValueError if it does already lead somewhere."""
        node, names = self._root, []
        for segment in template.split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                if node.parameter is None:
                    node.parameter = _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment, _Node())
        if node.end is not None:
            raise ValueError(f"{template} is there already")
        node.end = target, tuple(names)

    def find(self, path: str) -> tuple[Target, dict[str, str]] | None:
        """Where the path leads, and the values of the parameters; None if no operation has it."""
        values: list[str] = []
        end = _find(self._root, path.split("/"), 0, values)
        return None if end is None else (end[0], dict(zip(end[1], values, strict=True)))


def _find(
    node: _Node[Target], segments: list[str], place: int, values: list[str]
) -> tuple[Target, tuple[str, ...]] | None:
    if place == len(segments):
        return node.end
    segment = segments[place]
    literal = node.literals.get(segment)
    if literal is not None and (found := _find(literal, segments, place + 1, values)) is not None:
        return found
    if node.parameter is None or not segment:
        return None
    values.append(segment)
    found = _find(node.parameter, segments, place + 1, values)
    if found is None:
        values.pop()
    return found
