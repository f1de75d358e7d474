"""Documents in files: loading them, and making one document of many files.

A reference to another file becomes one to a component: of the kind that stands at the place of the reference, and named
as the last step of its pointer, or as its file. What cannot be a component (paths, operations, texts) is put in place.
"""

from __future__ import annotations

import json
import math
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

import yaml

from modelarts_documents.keys import DATA, OBJECTS, Pointer, inner, objects
from modelarts_documents.schema import part_at, pointer_of

MAX_DEPTH = 200  # of mappings and lists in each other: programs that read documents recurse
MAX_NODES = 5_000_000  # of a file whose aliases are written out
MAX_HOPS = 50  # of references through references
COMPONENTS = OBJECTS["components"]
COMPONENT, PATH = 3, 2  # keys down to one
SAFE = "!$&'()*+,;=:@?"  # in the fragment of a URI
FORBIDDEN = re.compile(r"[^a-zA-Z0-9._-]")  # in the name of a component
TEXT = "text"
"""The kind of what OpenAPI does not allow to be a reference, although many documents have it in files of its own."""
TEXT_KEYS = frozenset({"contact", "description", "externalDocs", "info", "license", "servers", "summary", "tags"})
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:str")
JSON_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}\n]')


class DocumentError(Exception):
    """The documents are wrong; every line of the message starts with a file and a line."""


class Location(NamedTuple):
    """Where something was written."""

    place: str
    line: int = 1

    def __str__(self) -> str:
        return f"{shown(self.place)}:{self.line}"

    def error(self, fact: str) -> DocumentError:
        return DocumentError(f"{self}: {' '.join(fact.splitlines())}")


def is_url(place: str) -> bool:
    return place.partition(":")[0].lower() in ("http", "https")


def shown(place: Path | str) -> str:
    """The place as a person would write it: a file from the working directory, a URL without what can be secret."""
    place = str(place)
    if not is_url(place):
        return str(Path(place).relative_to(Path.cwd())) if Path(place).is_relative_to(Path.cwd()) else place
    try:
        parts = urlsplit(place)
        _ = parts.port
    except ValueError:  # a slash in a password ends the host too early
        return f"{place.partition(':')[0]}://..."
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def read_file(place: str) -> bytes:
    """The bytes of a file; raises OSError."""
    if is_url(place):
        raise OSError("it is a URL; save it as a file")
    return Path(place).read_bytes()


def _finite(text: str) -> float:
    value = float(text.replace(".inf", "inf").replace(".nan", "nan"))
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is written twice")
    return found


SCALARS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (  # the core schema of YAML 1.2
    (re.compile(r"null|Null|NULL|~|"), lambda _: None),
    (re.compile(r"true|True|TRUE|false|False|FALSE"), lambda text: text[0] in "tT"),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+"), lambda text: int(text, 0)),
    (re.compile(r"(?i)[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)(e[-+]?[0-9]+)?|[-+]?\.inf|\.nan"), _finite),
)


@dataclass
class _Collection:
    """A mapping or list that is being read."""

    content: Any
    anchor: str | None = None
    nodes: int = 0  # that begin before it
    key: str | None = None  # whose value comes next


class File:
    """What a file holds in YAML 1.2 or JSON, and where its mappings are written; raises DocumentError."""

    def __init__(self, place: str, data: bytes) -> None:
        self.place, self.lines = place, dict[int, int]()  # by id() of a mapping
        try:
            text = data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
            self.content = json.loads(text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
            self._find_lines(text)
        except UnicodeDecodeError as error:
            raise Location(place).error(f"this is neither JSON nor YAML: {error}") from None
        except (ValueError, RecursionError):  # it is YAML, or has a fault whose line is found so
            self.content = self._from_yaml(text)

    def location(self, part: Any) -> Location:
        """Where the mapping begins; the first line for what is not a mapping of this file."""
        return Location(self.place, self.lines.get(id(part), 1))

    def _find_lines(self, text: str) -> None:
        """Where the mappings of JSON begin: they are in the order of their braces."""
        line, depth, lines, ahead = 1, 0, [], [self.content]
        for token in JSON_TOKENS.finditer(text):
            line += token[0] == "\n"
            depth += (token[0] in "[{") - (token[0] in "]}")
            if depth > MAX_DEPTH:
                raise RecursionError
            if token[0] == "{":
                lines.append(line)
        while ahead:
            part = ahead.pop()
            if isinstance(part, dict):
                self.lines[id(part)] = lines[len(self.lines)]
            if isinstance(part, dict | list):
                ahead += reversed(part.values() if isinstance(part, dict) else part)

    def _from_yaml(self, text: str) -> Any:
        try:
            return self._built(yaml.parse(text, Loader=LOADER))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
            fact = getattr(error, "problem", None) or str(error).partition("\n")[0]
            location = Location(self.place, mark.line + 1 if mark else 1)
            raise location.error(f"this is neither JSON nor YAML: {fact}") from None

    def _built(self, events: Iterable[yaml.Event]) -> Any:
        opened = [_Collection([])]  # around the document
        anchors: dict[str | None, tuple[Any, int]] = {}  # with the number of their nodes
        nodes = 0
        for event in events:
            here, within = Location(self.place, event.start_mark.line + 1), opened[-1]  # type: ignore[union-attr]
            if isinstance(event, yaml.CollectionEndEvent):
                anchors[within.anchor] = within.content, nodes - within.nodes
                opened.pop()
            if not isinstance(event, yaml.NodeEvent):
                continue
            nodes += 1
            if isinstance(event, yaml.AliasEvent):
                if event.anchor not in anchors:
                    raise here.error(f"the alias *{event.anchor} names nothing that ends before it")
                value, size = anchors[event.anchor]
                nodes += size
                if nodes > MAX_NODES:
                    raise here.error(f"aliases make more than {MAX_NODES} values of this file: write fewer")
            elif (tag := getattr(event, "tag", None)) not in TAGS:
                raise here.error(f"the tag {tag} has no counterpart in JSON: leave it out")
            elif isinstance(event, yaml.ScalarEvent):
                value = _scalar(event, here)
                anchors[event.anchor] = value, 1
            else:
                value = {} if isinstance(event, yaml.MappingStartEvent) else []
                self.lines[id(value)] = here.line
                opened.append(_Collection(value, event.anchor, nodes))
            if len(opened) > MAX_DEPTH or (within is opened[0] and within.content):
                fact = (
                    "a second document begins here"
                    if within is opened[0]
                    else f"nested more than {MAX_DEPTH} levels deep"
                )
                raise here.error(f"{fact}: divide the file")
            if isinstance(within.content, list):
                within.content.append(value)
            elif within.key is not None:
                within.content[within.key], within.key = value, None
            elif not isinstance(event, yaml.ScalarEvent) or (event.value == "<<" and event.implicit[0]):
                raise here.error("a key is a plain word: merge keys and composed keys are not supported")
            elif event.value in within.content:
                raise here.error(f"the key `{event.value}` is written twice: remove one")
            else:
                within.key = event.value
        if not opened[0].content:
            raise Location(self.place).error("the file is empty")
        return opened[0].content[0]


def _scalar(event: yaml.ScalarEvent, here: Location) -> Any:
    known = (read for form, read in SCALARS if event.implicit[0] and form.fullmatch(event.value))
    try:
        return next(known, str)(event.value)
    except ValueError:
        raise here.error(f"{event.value[:20]} is not a number of JSON: put it in quotes") from None


class Target(NamedTuple):
    """A part of a file, and the keys that lead to it."""

    file: File
    pointer: Pointer = ()

    def part(self) -> Any:
        """What stands there; raises LookupError."""
        return part_at(self.file.content, self.pointer)

    def has(self, step: str) -> bool:
        """Whether there is something by this key."""
        try:
            return bool(self.below(step).part() is not None)
        except LookupError:
            return False

    def below(self, step: str) -> Target:
        return Target(self.file, (*self.pointer, step))


class _Reference(NamedTuple):
    """A place in the bundle that gets a reference to the target."""

    holder: dict[str, Any]
    key: str
    target: Target
    kind: str
    location: Location


@dataclass
class Bundle:
    """A document in one piece, and where its parts were written."""

    root: File
    document: dict[str, Any] = field(default_factory=dict)
    origins: dict[int, tuple[Any, File, Any]] = field(default_factory=dict)
    """By id() of a mapping of the document: itself, so that the id stays its own, and what it was made of."""

    def error(self, path: Iterable[str], fact: str) -> DocumentError:
        return self.location(path).error(fact)

    def location(self, path: Iterable[str]) -> Location:
        """Where the part of the document was written that the keys lead to, or as far as they lead."""
        part: Any = self.document
        file, location = self.root, Location(self.root.place)
        for key in path:
            try:
                part = part[int(key)] if isinstance(part, list) else part[key]
            except (LookupError, TypeError, ValueError):
                break
            _, file, origin = self.origins.get(id(part), (part, file, part))
            location = file.location(origin) if id(origin) in file.lines else location
        return location


def bundle(root: Path | str, read: Callable[[str], bytes] = read_file, *, rename: bool = True) -> Bundle:
    """The document whose root is a file or URL, with what it refers to; raises DocumentError.

    `read` gets the bytes of a place, an absolute path or a URL, and raises OSError. Different components of one name
    get longer names, of the folders and files that they come from, or are an error without `rename`.
    """
    place = str(root) if is_url(str(root)) else posixpath.normpath(Path(root).absolute())
    try:
        return _Bundler(read, rename).bundle(place)
    except RecursionError:
        raise Location(place).error("the files are too deep in each other: write components") from None


@dataclass
class _Bundler:
    made: Bundle = field(init=False)
    read: Callable[[str], bytes]
    rename: bool
    files: dict[str, File] = field(default_factory=dict)
    addresses: dict[Target, str] = field(default_factory=dict)  # of files and of schemas with `$id`
    named: dict[str, Target] = field(default_factory=dict)  # by `$id`, and by `$anchor` after an address and `#`
    references: list[_Reference] = field(default_factory=list)
    homes: dict[Target, dict[str, Pointer]] = field(default_factory=lambda: defaultdict(dict))
    """Where the parts of files stand in the bundle, by their kinds; what is within them stands within these."""
    ending: set[Target] = field(default_factory=set)  # references that do not lead back to themselves
    in_place: list[Target] = field(default_factory=list)  # that is just being put in place

    def bundle(self, place: str) -> Bundle:
        root = self.open(place, Location(place))
        content, location = root.file.content, root.file.location(root.file.content)
        if not isinstance(content, dict) or not content.keys() & {"paths", "webhooks", "components"}:
            raise location.error("this is not an OpenAPI document: it has no paths, webhooks or components")
        if "swagger" in content:
            raise location.error("this is Swagger 2.0: convert it to OpenAPI 3")
        self.made = Bundle(root.file)
        self.homes[root]["document"] = ()
        document = self.made.document = self.copy(root, content, "document", ())
        for key in ("paths", "webhooks", "components"):
            if not isinstance(document.get(key, {}), dict):
                raise location.error(f"`{key}` is not a mapping: write {{}} if there are none")
        lifted: dict[tuple[Target, str], Any] = {}
        for _, _, target, kind, _ in self.references:  # copies add more of them
            if (target, kind) not in lifted and self.home(target, kind) is None:
                lifted[target, kind] = None
                lifted[target, kind] = self.copy(target, target.part(), kind)
        outermost: dict[str, dict[Target, Any]] = defaultdict(dict)
        for target, kind in sorted(lifted, key=lambda each: len(each[0].pointer)):
            if self.home(target, kind) is None:
                self.homes[target][kind] = ()
                outermost[kind][target] = lifted[target, kind]
        for kind in sorted(outermost):
            sections = document.setdefault("components", {})
            sections[kind] = sections.get(kind) or {}
            for name, target in sorted(self.names(kind, [*outermost[kind]], sections[kind]).items()):
                self.homes[target][kind] = ("components", kind, name)
                sections[kind][name] = outermost[kind][target]
        for holder, key, target, kind, _ in self.references:
            pointer = self.home(target, kind) or ()
            if not (holder[key].startswith("#/") and pointer_of(holder[key]) == pointer):
                steps = (quote(step.replace("~", "~0").replace("/", "~1"), safe=SAFE) for step in pointer)
                holder[key] = "".join(["#", *(f"/{step}" for step in steps)])
        return self.made

    def names(self, kind: str, targets: list[Target], written: dict[str, Any]) -> dict[str, Target]:
        """The components' names: those of several targets are made of all folders and keys that lead to them."""
        same, found, others = defaultdict(list), dict[str, Target](), list[tuple[str, str, Target]]()
        for target in targets:
            name = target.pointer[-1] if target.pointer else PurePosixPath(urlsplit(target.file.place).path).stem
            same[name if not self.rename else FORBIDDEN.sub("_", name)].append(target)
        for name, of in same.items():
            if not self.rename and (len(of) > 1 or name in written or FORBIDDEN.search(name)):
                raise self.name_error(kind, name, of, written)
            if len(of) == 1 and name not in written:
                found[name] = of[0]
            else:
                others += ((self.long_name(target), target.file.place, target) for target in of)
        for name, _, target in sorted(others, key=lambda each: each[:2]):
            while name in found or name in written:
                name += "_"
            found[name] = target
        return found

    def long_name(self, target: Target) -> str:
        root, place = (urlsplit(place) for place in (self.made.root.place, target.file.place))
        path = (
            posixpath.relpath(place.path, posixpath.dirname(root.path)) if root.netloc == place.netloc else place.path
        )
        steps = [place.netloc if root.netloc != place.netloc else "", *posixpath.splitext(path)[0].split("/")]
        return FORBIDDEN.sub("_", "_".join(step for step in (*steps, *target.pointer) if step.strip(".")))

    def name_error(self, kind: str, name: str, targets: list[Target], written: dict[str, Any]) -> DocumentError:
        """For a name that no component can have, or that is another component's, too."""
        location = next(each.location for each in self.references if (each.target, each.kind) == (targets[-1], kind))
        places = [shown(target.file.place) for target in targets]
        if name in written:
            location, places = self.made.location(("components", kind, name)), ["here", *places]
        if len(places) > 1:
            return location.error(f"two different components are named {kind}/{name}: {' and '.join(places)}")
        return location.error(f"`{name}` cannot be a component's name: use letters, digits, `.`, `_` and `-`")

    def home(self, target: Target, kind: str) -> Pointer | None:
        """Where the target stands in the bundle, by itself or as a part of something that is there as a whole."""
        for length in range(len(target.pointer), -1, -1):
            rest = target.pointer[length:]
            for within, pointer in self.homes.get(Target(target.file, target.pointer[:length]), {}).items():
                if reduce(inner, rest, within) == kind:
                    return (*pointer, *rest)
        return None

    def copy(self, at: Target, node: Any, kind: str, to: Pointer | None = None) -> Any:
        """What becomes of a part in the bundle; `to` is where it will stand, if that is known."""
        if kind == DATA or not isinstance(node, dict | list):
            return node
        if isinstance(node, list):
            within = kind[1:-1] if kind[0] == "[" else kind
            return [
                self.copy(at.below(str(index)), each, within, to and (*to, str(index)))
                for index, each in enumerate(node)
            ]
        location, made = at.file.location(node), dict[str, Any]()
        self.made.origins[id(made)] = made, at.file, node
        if isinstance(reference := node.get("$ref"), str):
            target = self.target(reference, at, location)
            if self.is_put_in_place(target, node, kind, to):
                return self.put_in_place(target, at, node, kind, to)
            self.references.append(_Reference(made, "$ref", target, kind, location))
        for key, value in node.items():
            if kind == "schemas" and key in ("$id", "$anchor") and isinstance(value, str):
                continue  # no reference needs them any more
            if kind == "schemas" and key == "discriminator":
                made[key] = self.discriminator(value, at, location)
            elif kind == "examples" and key == "value":
                made[key] = self.payload(value, at, location)
            else:
                within = inner(kind, key)
                if within == DATA and (kind == TEXT or key in TEXT_KEYS) and not key.startswith("x-"):
                    within = TEXT
                made[key] = self.copy(at.below(key), value, within, None if to is None else (*to, key))
        return made

    def is_put_in_place(self, target: Target, node: dict[str, Any], kind: str, to: Pointer | None) -> bool:
        if kind not in COMPONENTS or not isinstance(target.part(), dict | bool):
            return True
        if to is None or target.file is self.made.root:
            return False
        if to[0] == "components":  # the document says the name
            return len(to) == COMPONENT and len(node) == 1 and kind not in self.homes.get(target, ())
        return len(to) == PATH and to[0] in ("paths", "webhooks")

    def put_in_place(self, target: Target, at: Target, node: dict[str, Any], kind: str, to: Pointer | None) -> Any:
        location = at.file.location(node)
        if target in self.in_place or len(self.in_place) > MAX_HOPS:
            raise location.error("this reference is a part of what it names: write a component")
        if to is not None and target.file is not self.made.root:
            self.homes[target].setdefault(kind, to)
        self.in_place.append(target)
        made = self.copy(target, target.part(), kind, to)
        self.in_place.pop()
        if len(node) > 1:
            if not isinstance(made, dict):
                raise location.error("there is no room for other keys beside this reference: remove them")
            made = made | self.copy(at, {key: value for key, value in node.items() if key != "$ref"}, kind, to)
            self.made.origins[id(made)] = made, target.file, target.part()
        return made

    def payload(self, value: Any, at: Target, location: Location) -> Any:
        """The value of an example, which can be a file in a folder `examples`."""
        if isinstance(value, dict) and [*value] == ["$ref"] and isinstance(value["$ref"], str):
            place = _joined(at.file.place, value["$ref"])
            if posixpath.basename(posixpath.dirname(place)) == "examples" and "#" not in place:
                value = self.open(place, location, value["$ref"]).part()
                self.made.origins[id(value)] = value, self.files[place], value
        return value

    def discriminator(self, value: Any, at: Target, location: Location) -> Any:
        """With references in its mapping to components; names of components of the root stay."""
        if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
            return value
        mapping = dict(value["mapping"])
        root, own = (Target(file, ("components", "schemas")) for file in (self.made.root, at.file))
        for key, text in mapping.items():
            if not isinstance(text, str) or root.has(text):
                continue
            if own.has(text):
                text = f"#/components/schemas/{text}"
            if "/" in text or "#" in text or posixpath.splitext(text)[1] in (".json", ".yaml", ".yml"):
                target = self.target(text, at, location)
                self.references.append(_Reference(mapping, key, target, "schemas", location))
        return {**value, "mapping": mapping}

    def target(self, text: str, at: Target, location: Location) -> Target:
        """What a reference names; if that is only a reference in another file, what this one names."""
        found = ahead = self.locate(text, at, location)
        seen = set[Target]()
        while isinstance(part := ahead.part(), dict) and isinstance(part.get("$ref"), str):
            is_only_that = ahead == found and len(part) == 1 and found.file is not self.made.root
            if ahead in self.ending and not is_only_that:
                break
            if ahead in seen:
                raise location.error(
                    f"`$ref: {_without_query(text)}` leads back to itself: describe what it stands for"
                )
            seen.add(ahead)
            ahead = self.locate(part["$ref"], ahead, ahead.file.location(part))
            found = ahead if is_only_that else found
        self.ending |= seen
        return found

    def locate(self, text: str, at: Target, location: Location, hops: int = 0) -> Target:
        """What a reference in a part of a file names; raises DocumentError for nothing."""
        uri, _, fragment = text.partition("#")
        found = self.resource(at)
        try:
            if uri:
                named = self.named.get(_joined(self.addresses[found], uri))
                found = named or self.open(_joined(at.file.place, uri), location, text)
            if fragment and not unquote(fragment).startswith("/"):
                return self.named[f"{self.addresses[self.resource(found)]}#{unquote(fragment)}"]
            for step in pointer_of(f"#{fragment}"):
                while isinstance(part := found.part(), dict) and step not in part and isinstance(part.get("$ref"), str):
                    if (hops := hops + 1) > MAX_HOPS:
                        raise LookupError(step)
                    found = self.locate(part["$ref"], found, location, hops)
                found = found.below(step)
            found.part()
        except (LookupError, ValueError):  # a URL that is none
            raise location.error(f"`$ref: {_without_query(text)}` names nothing in {shown(found.file.place)}") from None
        return found

    def resource(self, at: Target) -> Target:
        """The file, or the schema with an `$id`, that a part belongs to."""
        ways = (Target(at.file, at.pointer[:length]) for length in range(len(at.pointer), -1, -1))
        return next(way for way in ways if way in self.addresses)

    def open(self, place: str, asker: Location, text: str = "") -> Target:
        if place not in self.files:
            try:
                if is_url(asker.place) and not is_url(place):
                    raise OSError("a document of a URL cannot refer to files of this machine")
                data = self.read(place)
            except (OSError, ValueError) as error:
                fact = getattr(error, "strerror", None) or error
                reference = f"`$ref: {_without_query(text)}` names no file: " if text else ""
                raise asker.error(f"{reference}{shown(place)} cannot be read: {fact}") from None
            self.files[place] = file = File(place, data)
            self.index(Target(file))
        return Target(self.files[place])

    def index(self, whole: Target) -> None:
        """Find the schemas that have a name of their own."""
        self.addresses[whole] = whole.file.place
        schemas = {
            Target(whole.file, pointer): node
            for within in ("document", "components", "schemas", "{schemas}")  # a file does not say what it holds
            for pointer, kind, node in objects(whole.file.content, within)
            if kind == "schemas"
        }
        for at, schema in schemas.items():
            address = self.addresses[self.resource(at)]
            if isinstance(schema.get("$id"), str) and not schema["$id"].startswith("#"):
                address = self.addresses[at] = _joined(address, schema["$id"].removesuffix("#"))
                self.named.setdefault(address, at)
            for anchor in (schema.get("$anchor"), schema.get("$dynamicAnchor")):
                self.named.setdefault(f"{address}#{anchor}", at)


def _without_query(reference: str) -> str:
    """The reference without what can be secret."""
    return shown(reference.partition("?")[0])


def _joined(base: str, uri: str) -> str:
    """The absolute place of what a file or URL refers to."""
    parts = urlsplit(uri)
    if is_url(base) or parts.scheme not in ("", "file"):
        return urljoin(base, uri)
    path = parts.path if parts.scheme else uri
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(path)))
