"""Writes and reads the XML documents of object storage."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from modelarts_emulator.storage.errors import StoreError

if TYPE_CHECKING:
    from xml.etree import ElementTree


class Markup(str):
    """XML that is inserted as it is."""

    __slots__ = ()


Content = str | int | bool | None | Sequence["tuple[str, Content] | tuple[str, Content, Mapping[str, str] | None]"]
"""A text, or elements by name in order, perhaps with attributes; None leaves the element out."""

_SPECIAL = re.compile("[^ !#-%'-;=?-~]")
"""All characters but those of ASCII that are written as they are."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(name: str, content: Content, namespace: str | None) -> bytes:
    """Return a document with this root; characters that XML 1.0 cannot hold become U+FFFD."""
    written = ["<?xml version='1.0' encoding='utf-8'?>\n"]
    _write(written, name, content, {"xmlns": namespace} if namespace else None)
    return "".join(written).encode()


def markup(content: Content) -> Markup:
    """Return elements as text, to be inserted many times."""
    written: list[str] = []
    _write(written, "", content)
    return Markup("".join(written[1:-1]))


def _write(written: list[str], name: str, content: Content, attributes: Mapping[str, str] | None = None) -> None:
    """Append an element; a page of a thousand objects has ten thousand of them."""
    named = "".join(f' {key}="{escaped(value)}"' for key, value in attributes.items()) if attributes else ""
    if isinstance(content, str):
        text = content if type(content) is Markup else escaped(content)
        written.append(f"<{name}{named}>{text}</{name}>")
    elif isinstance(content, bool):
        written.append(f"<{name}{named}>{'true' if content else 'false'}</{name}>")
    elif isinstance(content, int):
        written.append(f"<{name}{named}>{content}</{name}>")
    elif content is not None:
        written.append(f"<{name}{named}>")
        for entry in content:
            if entry[1] is not None:
                _write(written, *entry)
        written.append(f"</{name}>")


def escaped(text: str) -> str:
    """Return the text as it stands in a document."""
    if _SPECIAL.search(text) is None:
        return text
    text = _NOT_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A parser takes a bare carriage return for a line feed.
    return text.replace('"', "&quot;").replace("\r", "&#13;")


def parse(document: bytes, root: str) -> ElementTree.Element:
    """Return the document's root without namespaces; raises MalformedXML if it is another one."""
    from xml.etree import ElementTree  # few calls have a document, and a parser takes memory

    class Builder(ElementTree.TreeBuilder):
        """Rejects a document type, in which entities could be declared; the parser finds it in every encoding."""

        def doctype(self, *_: str | None) -> None:
            """Raise MalformedXML at the start of a document type, before anything in it is read."""
            raise StoreError("MalformedXML", "the body has a document type: leave it out")

    try:
        found = ElementTree.fromstring(document, ElementTree.XMLParser(target=Builder()))  # noqa: S314 - no entities
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the latter two for odd encodings
        raise StoreError("MalformedXML", f"the body is not XML: {error}") from None
    for element in found.iter():
        element.tag = element.tag.rpartition("}")[2]
    if found.tag != root:
        raise StoreError("MalformedXML", f"the body must be <{root}>, not <{found.tag}>")
    return found


def text(element: ElementTree.Element, name: str) -> str:
    """Return the text of a child; raises MalformedXML if it is missing."""
    found = element.find(name)
    if found is None or found.text is None:
        raise StoreError("MalformedXML", f"<{element.tag}> needs <{name}>")
    return found.text


def timestamp(seconds: float) -> str:
    """Return a time as S3 writes it in documents."""
    whole, milliseconds = divmod(round(seconds * 1_000_000) // 1000, 1000)
    return f"{_second(whole)}.{milliseconds:03}Z"


@functools.lru_cache(maxsize=1024)  # the objects of a listing are often of the same seconds
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Encoding:
    """The `encoding-type` of a listing: keys as they are, or percent-encoded so that XML can hold any key."""

    def __init__(self, kind: str | None) -> None:
        if kind not in (None, "", "url"):
            raise StoreError("InvalidArgument", f"encoding-type {kind!r} is unknown; leave it out or use 'url'")
        self.kind = kind or None

    def __call__(self, value: str) -> str:
        return quote(value, safe="/") if self.kind else value
