"""The XML documents of the S3 dialect: written from plain values, read into plain values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import quote
from xml.etree import ElementTree

from modelarts_emulator.storage.errors import InvalidArgument, MalformedXML

Content = str | int | bool | None | Sequence["tuple[str, Content] | tuple[str, Content, Mapping[str, str] | None]"]
"""A text, or elements by name in order, perhaps with attributes; None leaves the element out."""

CANONICAL_USER = {"xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "xsi:type": "CanonicalUser"}
"""The attributes of a grantee; some clients expect the namespace there, not at the root."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_xml(text: str) -> bool:
    """Whether XML 1.0 can hold the text."""
    return _NOT_XML.search(text) is None


def render(name: str, content: Content, namespace: str | None) -> bytes:
    """A document with this root; characters that XML 1.0 cannot hold become U+FFFD."""
    root = ElementTree.Element(name, {"xmlns": namespace} if namespace else {})
    _fill(root, content)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    # A parser takes a bare carriage return for a line feed.
    return document.replace(b"\r", b"&#13;")


def _fill(element: ElementTree.Element, content: Content) -> None:
    if isinstance(content, bool):
        element.text = "true" if content else "false"
    elif isinstance(content, (str, int)):
        element.text = _NOT_XML.sub("\ufffd", str(content))
    elif content is not None:
        for name, inner, *attributes in content:
            if inner is not None:
                _fill(ElementTree.SubElement(element, name, dict(*filter(None, attributes))), inner)


def parse(document: bytes, root: str) -> ElementTree.Element:
    """The document's root, namespaces removed; raises MalformedXML if it is another one."""
    try:
        found = ElementTree.fromstring(document, ElementTree.XMLParser(target=_Builder()))  # noqa: S314 - no entities
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the latter two for odd encodings
        raise MalformedXML(f"the body is not XML: {error}") from None
    for element in found.iter():
        element.tag = element.tag.rpartition("}")[2]
    if found.tag != root:
        raise MalformedXML(f"the body must be <{root}>, not <{found.tag}>")
    return found


class _Builder(ElementTree.TreeBuilder):
    """Refuses what entities would be declared in; the parser finds it in every encoding."""

    def doctype(self, *_: str | None) -> None:
        """Called at the start of a document type, before anything in it is read."""
        raise MalformedXML("a document type or entity has no place in this call's XML")


def text(element: ElementTree.Element, name: str) -> str:
    """The text of a child; raises MalformedXML if there is none."""
    found = element.find(name)
    if found is None or found.text is None:
        raise MalformedXML(f"<{element.tag}> needs <{name}>")
    return found.text


def timestamp(seconds: float) -> str:
    """A time as S3 writes it in documents."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{int(seconds * 1000) % 1000:03d}Z"


class Encoding:
    """`encoding-type` of a listing: keys as they are, or percent-encoded so that any key survives XML."""

    def __init__(self, kind: str | None) -> None:
        if kind not in (None, "", "url"):
            raise InvalidArgument(f"encoding-type {kind!r} is unknown; leave it out or use 'url'")
        self.kind = kind or None

    def __call__(self, value: str) -> str:
        return quote(value, safe="/") if self.kind else value

    def prefixes(self, values: Iterable[str]) -> list[tuple[str, Content]]:
        """`CommonPrefixes` of a listing."""
        return [("CommonPrefixes", [("Prefix", self(value))]) for value in values]
