"""The files that the documents are written in (`openapi/`), and where in them a part of a document stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

__all__ = ["Part", "Sources", "SourcesError"]


class SourcesError(Exception):
    """The folder does not hold the sources of the documents; the message says what is missing."""


@dataclass(frozen=True)
class Part:
    """A part of a document: its file, and its node there, whose marks count characters."""

    file: Path
    node: yaml.Node

    def child(self, key: str) -> Part | None:
        """What the key leads to, or the index of a list; None if there is no such thing."""
        if isinstance(self.node, yaml.MappingNode):
            found = next((value for name, value in self.node.value if name.value == key), None)
            return None if found is None else Part(self.file, found)
        if isinstance(self.node, yaml.SequenceNode) and key.isdigit() and int(key) < len(self.node.value):
            return Part(self.file, self.node.value[int(key)])
        return None


class Sources:
    """The folder `openapi/` of a clone; raises SourcesError if a document is not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._roots: dict[Path, yaml.Node] = {}

    def find(self, document: str, pointer: Sequence[str]) -> Part | None:
        """The part of the bundled document to which the pointer leads; None if it is not written anywhere."""
        root = self.folder / document / "openapi.yaml"
        if not root.is_file():
            raise SourcesError(f"{root} does not exist: name the folder openapi of a clone")
        if pointer[:1] == ("components",) and len(pointer) > 2:
            _, kind, name, *steps = pointer
            files = [self.folder / owner / kind / f"{name}.yaml" for owner in (document, "shared")]
            found = next((self.root(file) for file in files if file.is_file()), None)
        else:
            found, steps = self.root(root), list(pointer)
        for step in steps:
            found = found and self.followed(found).child(step)
        return found and self.followed(found)

    def root(self, file: Path) -> Part:
        if file not in self._roots:
            try:
                node = yaml.compose(file.read_text("utf-8"), yaml.SafeLoader)
            except (OSError, yaml.YAMLError) as error:
                raise SourcesError(f"{file} cannot be read: {error}") from None
            if node is None:
                raise SourcesError(f"{file} is empty")
            self._roots[file] = node
        return Part(file, self._roots[file])

    def followed(self, part: Part) -> Part:
        """The part that a reference to a file names, else the part itself."""
        reference = part.child("$ref")
        while reference is not None and isinstance(reference.node, yaml.ScalarNode):
            part = self.root((part.file.parent / reference.node.value).resolve())
            reference = part.child("$ref")
        return part
