"""Turn one OpenAPI document of many files into one self-contained document.

A reference is a relative file path.
The folder of the file says what it becomes: files in `paths/` are put in place, a file in `examples/` under the key
`value` is put in place as a payload, and a file in `schemas/`, `parameters/`, ... becomes the component of its name.

    python scripts/bundle.py openapi/v2/openapi.yaml    # prints the bundled document as JSON
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

KINDS = frozenset(
    ["callbacks", "examples", "headers", "links", "parameters", "requestBodies", "responses", "schemas"]
)  # fmt: skip
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
COMPONENT_NAME = re.compile(r"[a-zA-Z0-9._-]+")


class DocumentError(Exception):
    """The documents are wrong; every line of the message starts with a file and a line."""


def shown(file: Path) -> str:
    """The path as a person in the working directory would write it."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


class Yaml(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML with the scalars of JSON: `no` is a word and `2024-01-01` a string, as in YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _tag, _pattern, _first in (
    ("null", r"null|~|", [*"n~", ""]),
    ("bool", r"true|false", [*"tf"]),
    ("int", r"-?(0|[1-9][0-9]*)", [*"-0123456789"]),
    ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", [*"-0123456789"]),
):
    Yaml.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), _first)

SCALARS: dict[str, Callable[[str], Any]] = {
    "tag:yaml.org,2002:null": lambda _: None,
    "tag:yaml.org,2002:bool": lambda text: text == "true",
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
    "tag:yaml.org,2002:str": str,
}


@dataclass(frozen=True)
class Place:
    """Where something was written."""

    file: Path
    line: int

    def error(self, fact: str) -> DocumentError:
        return DocumentError(f"{shown(self.file)}:{self.line}: {fact}")


@dataclass
class Bundler:
    """One run over one document, and what it makes."""

    root: Path
    document: dict[str, Any] = field(default_factory=dict)
    components: dict[str, dict[str, Any]] = field(default_factory=dict)
    origins: dict[tuple[str, str], Path] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)  # by id() of a mapping in the result
    inner: list[tuple[Place, str]] = field(default_factory=list)  # references within the root file

    def bundle(self) -> None:
        if not self.root.is_file():
            raise Place(self.root, 1).error("there is no such document")
        document = self.read(self.root)
        if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
            raise Place(self.root, 1).error("this is no OpenAPI document: it has no mapping `paths`")
        self.merge_components(document)
        self.check_inner_references(document)
        self.check_operations(document)
        self.document = document

    def error(self, path: Iterable[str], fact: str) -> DocumentError:
        """The fact about the part of the document that the keys lead to, or as far as they lead."""
        part: Any = self.document
        place = Place(self.root, 1)
        for key in path:
            try:
                part = part[int(key)] if isinstance(part, list) else part[key]
            except (LookupError, TypeError, ValueError):
                break
            place = self.places.get(id(part), place)
        return place.error(fact)

    def read(self, file: Path) -> Any:
        """What the file holds, with every reference in it followed."""
        try:
            with file.open(encoding="utf-8") as stream:
                node = yaml.compose(stream, Loader=Yaml)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            raise Place(file, line).error(f"this is not YAML: {error.problem or error.context}") from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise Place(file, 1).error(f"this is not YAML: {error}") from None
        if node is None:
            raise Place(file, 1).error("the file is empty")
        return self.build(node, file)

    def build(self, node: yaml.Node, file: Path, key: str = "") -> Any:
        place = Place(file, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            if node.tag not in SCALARS:
                raise place.error(f"the tag {node.tag} has no counterpart in JSON")
            return SCALARS[node.tag](node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, file) for item in node.value]
        if isinstance(node, yaml.MappingNode):
            return self.build_mapping(node, place, key)
        raise place.error("only scalars, sequences and mappings have a counterpart in JSON")

    def build_mapping(self, node: yaml.MappingNode, place: Place, key: str) -> Any:
        mapping: dict[str, Any] = {}
        self.places[id(mapping)] = place
        for key_node, value_node in node.value:
            here = Place(place.file, key_node.start_mark.line + 1)
            if not isinstance(key_node, yaml.ScalarNode) or key_node.value == "<<":
                raise here.error("a key is a plain word; merge keys and composed keys are not supported")
            name = key_node.value
            if name in mapping:
                raise here.error(f"the key `{name}` is written twice")
            mapping[name] = self.build(value_node, place.file, name)
            if name == "$ref" and isinstance(mapping[name], str):
                target = self.follow(mapping[name], here, key)
                if not isinstance(target, str):
                    if len(node.value) > 1:
                        raise here.error("a reference that is put in place has no room for other keys beside it")
                    return target
                mapping[name] = target
        return mapping

    def follow(self, reference: str, place: Place, key: str) -> Any:
        """The component's reference in the bundle; or, for what is put in place, its content."""
        name, _, fragment = reference.partition("#")
        if not name and place.file == self.root:
            self.inner.append((place, reference))
            return reference
        if not name or fragment or "://" in name:
            raise place.error(f"`$ref: {reference}` is not a file; write the relative path of the component's file")
        file = (place.file.parent / name).resolve()
        if not file.is_file():
            raise place.error(f"`$ref: {reference}` names no file; {shown(file)} is missing")
        folders = [folder.name for folder in file.parents]
        if folders[0] == "paths":
            return self.read(file)
        if folders[0] == "examples" and key == "value":
            return read_json(file) if file.suffix == ".json" else self.read(file)
        kind = next((folder for folder in folders if folder in KINDS), None)
        if kind is None:
            raise place.error(f"`$ref: {reference}` is in no folder of components: {', '.join(sorted(KINDS))}")
        return self.lift(kind, file, place)

    def lift(self, kind: str, file: Path, place: Place) -> str:
        name = file.stem
        if not COMPONENT_NAME.fullmatch(name):
            raise place.error(f"`{name}` cannot be a component's name: use letters, digits, `.`, `_` and `-`")
        origin = self.origins.setdefault((kind, name), file)
        if origin != file:
            raise place.error(f"two different components are named {kind}/{name}: {shown(origin)} and {shown(file)}")
        section = self.components.setdefault(kind, {})
        if name not in section:
            section[name] = None  # a schema that refers to itself finds its name taken
            section[name] = self.read(file)
        return f"#/components/{kind}/{name}"

    def merge_components(self, document: dict[str, Any]) -> None:
        written = document.setdefault("components", {})
        for kind, lifted in sorted(self.components.items()):
            section = written.setdefault(kind, {})
            for name in sorted(lifted):
                inline = section.get(name)
                if inline is not None and inline != {"$ref": f"#/components/{kind}/{name}"}:
                    place = self.places.get(id(inline), Place(self.root, 1))
                    raise place.error(f"two different components are named {kind}/{name}: here and "
                                      f"{shown(self.origins[kind, name])}")  # fmt: skip
                section[name] = lifted[name]

    def check_inner_references(self, document: dict[str, Any]) -> None:
        for place, reference in self.inner:
            found: Any = document
            for step in reference.removeprefix("#/").split("/"):
                name = step.replace("~1", "/").replace("~0", "~")
                found = found.get(name) if isinstance(found, dict) else None
            if found is None:
                raise place.error(f"`$ref: {reference}` names nothing in this document")

    def check_operations(self, document: dict[str, Any]) -> None:
        seen: dict[str, Place] = {}
        for path, item in document["paths"].items():
            for method in METHODS:
                operation = item.get(method) if isinstance(item, dict) else None
                if not isinstance(operation, dict):
                    continue
                place = self.places[id(operation)]
                name = operation.get("operationId")
                if not name:
                    raise place.error(f"{method.upper()} {path} has no operationId")
                if name in seen:
                    first = seen[name]
                    raise place.error(f"the operationId `{name}` is taken by {shown(first.file)}:{first.line}")
                seen[name] = place
                link_pages(document, operation, place)


def link_pages(document: dict[str, Any], operation: dict[str, Any], place: Place) -> None:
    """Give the operation the addresses of its pages (`x-pages`), the first as `externalDocs`, too."""
    patterns, pages = document.get("x-page-addresses", {}), operation.get("x-pages", {})
    for cloud, page in pages.items():
        if not page.startswith("https://"):
            if cloud not in patterns:
                raise place.error(f"`x-page-addresses` has no address for pages of {cloud}")
            pages[cloud] = patterns[cloud].replace("{page}", page)
        operation.setdefault("externalDocs", {"url": pages[cloud]})


def read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise Place(file, error.lineno).error(f"this is not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise Place(file, 1).error(f"this is not JSON: {error}") from None


def bundle(document: Path) -> Bundler:
    """The document whose root file is named, with every file reference resolved; raises `DocumentError`."""
    bundler = Bundler(document.resolve())
    bundler.bundle()
    return bundler


def main() -> int:
    parser = argparse.ArgumentParser(description="Make one JSON document of an OpenAPI document of many files.")
    parser.add_argument("document", type=Path, help="the root file, such as openapi/v2/openapi.yaml")
    try:
        document = bundle(parser.parse_args().document).document
    except DocumentError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(document, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
