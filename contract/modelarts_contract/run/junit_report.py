"""The report of a run as JUnit XML: a test suite for each document, a test case for each operation and each promise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from .result import Finding, OperationResult, Result
from .text_report import described

__all__ = ["FILE", "write"]

FILE = "junit.xml"
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(result: Result, folder: Path) -> Path:
    root = ElementTree.Element("testsuites", name="modelarts contract", time=f"{result.duration_s:.3f}")
    for name, document in result.documents.items():
        found = [finding for finding in result.findings if finding.document == name]
        suite = ElementTree.SubElement(root, "testsuite", name=name)
        for id_, operation in document.operations.items():
            mine = [f for f in found if f.operation == id_ or operation_label(operation) in f.also]
            reason = f"{operation.verdict}: {operation.reason}" if operation.verdict not in ("kept", "broken") else None
            case(suite, name, id_, mine, None if any(not f.known for f in mine) else reason)
        for promise in result.promises:
            if promise.document == name:
                told = [f for f in found if f.phase == promise.name]
                case(suite, name, promise.name, told, promise.reason if promise.status == "not available" else None)
        others = [f for f in found if f.operation is None and not str(f.phase).startswith("story")]
        for label in dict.fromkeys(finding.label for finding in others):
            case(suite, name, label or "the whole run", [f for f in others if f.label == label], None)
        count(suite)
    count(root)
    ElementTree.indent(root)
    file = folder / FILE
    ElementTree.ElementTree(root).write(file, "utf-8", xml_declaration=True)
    return file


def operation_label(operation: OperationResult) -> str:
    return f"{operation.method} {operation.path}"


def case(
    suite: ElementTree.Element, document: str, name: str, findings: Iterable[Finding], skipped: str | None
) -> None:
    element = ElementTree.SubElement(suite, "testcase", classname=f"modelarts.contract.{document}", name=clean(name))
    known = []
    for finding in findings:
        if finding.known:
            known.append(described(finding))
        else:
            failure = ElementTree.SubElement(element, "failure", type=finding.check, message=clean(finding.title))
            failure.text = clean(described(finding))
    if known:
        ElementTree.SubElement(element, "system-out").text = clean("known findings:\n\n" + "\n\n".join(known))
    if skipped:
        ElementTree.SubElement(element, "skipped", message=clean(skipped))


def count(element: ElementTree.Element) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for kind, attribute in (("failure", "failures"), ("skipped", "skipped")):
        element.set(attribute, str(sum(one.find(kind) is not None for one in cases)))


def clean(text: str) -> str:
    """The text without characters that XML does not allow."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
