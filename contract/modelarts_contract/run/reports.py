"""The reports of a run: text for a terminal and `report.txt`, and `junit.xml`.

JUnit has a test suite for each document, and a test case for each operation and each story.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from modelarts_contract.documents import operations
from modelarts_contract.finding import Finding, Kind, Message
from modelarts_contract.run.result import Result
from modelarts_toolkit.cli.escapes import LINES, escaped

__all__ = ["TEXT", "counted", "described", "summary", "text", "write"]

TEXT, JUNIT = "report.txt", "junit.xml"
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MESSAGE_LINES = 8  # at the beginning and at the end of a long message
SHOWN = 6  # findings on the first screen
WIDTH = 160  # characters of a line there
BODY_LENGTH = 2000  # characters of a body; results.json has all of it


def write(result: Result, folder: Path) -> None:
    """Write both files into the folder."""
    (folder / TEXT).write_text(text(result) + "\n", "utf-8", "backslashreplace")
    root = junit(result)
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(folder / JUNIT, "utf-8", xml_declaration=True)


def text(result: Result) -> str:
    """The verdict with the findings in short, then every finding, then the table of operations."""
    known = [f"known: {place(finding)}: {finding.title}" for finding in result.findings if finding.known]
    parts = [
        *map(described, result.new),
        "\n".join(known),
        "\n".join(operation_lines(result)),
        left_out(result),
        numbers(result),
    ]
    return "\n\n".join([screen(result), *filter(None, parts), verdict(result)])


def summary(result: Result, folder: Path | None = None) -> str:
    """One screen that begins and ends with the verdict; `folder` has the reports, if there are any.

    What a run at a service does not try has been said before it.
    """
    left = left_out(result) if result.is_emulator else ""
    where = f"All of it: {folder / TEXT}" if folder is not None else ""
    return "\n".join(filter(None, [screen(result), numbers(result), left, where, verdict(result)]))


def verdict(result: Result) -> str:
    """Whether the contract is kept, in one line."""
    known = len(result.findings) - len(result.new)
    found = counted(len(result.new), "finding") + (f", and {known} known" if known else "")
    held = "The contract is kept" if not result.trouble else "The run ended early, and what it checked is kept"
    if not (result.findings or result.verdicts["kept"]):
        held = "Nothing could be checked"
    unchecked = sum(promise.status == "not checked" for promise in result.promises)
    rest = f"; not checked: {counted(unchecked, 'promise')}" if unchecked else ""
    return f"{'The contract is broken' if result.new else held}: {found}{rest}"


def screen(result: Result) -> str:
    """The first screen: the verdict, what broke for whom, how to repeat it, then new fields and values."""
    lines = [f"{verdict(result)} ({result.service}, {', '.join(result.documents)})"]
    if result.trouble:
        lines.append(f"The run ended before its time: {result.trouble}")
    for number, finding in enumerate(result.new[:SHOWN], 1):
        lines += [f"{number}. {line}" if is_first else f"   {line}" for is_first, line in lines_of(finding)]
    if rest := result.new[SHOWN:]:
        others = dict.fromkeys(place(each) for each in rest)
        lines.append(cut(f"   and {len(rest)} more, of {', '.join(others)}"))
    unchecked = [promise for promise in result.promises if promise.status == "not checked"]
    lines += [cut(f"not checked: {promise.name}: {promise.reason}") for promise in unchecked]
    against = [each for each in result.assumptions if each.outcome == "contradicted"]
    lines += [cut(f"assumption contradicted: {each.document} {each.place}: {each.text}") for each in against]
    fresh = result.new_notes
    lines += [cut(f"new in the service: {text}") for text in fresh[:SHOWN]]
    further = len(result.notes) - len(fresh[:SHOWN])
    if further:
        lines.append(f"{further} more are new; they break nothing: report.txt and results.json have them")
    return escaped("\n".join(lines), kept=LINES)


def lines_of(finding: Finding) -> Iterator[tuple[bool, str]]:
    """The lines of a finding on the first screen, and whether each is the first."""
    others = {place(each) for each in finding.also} - {place(finding)}
    elsewhere = f" and {counted(len(others), 'other operation')}" if others else ""
    yield True, f"{place(finding)}{elsewhere}: {finding.title}"
    said = [line.strip() for line in finding.message.splitlines() if line.strip()]
    if said:
        yield False, cut(said[0])
    more = [each for each in finding.also if (each.field, each.form) != (finding.field, finding.form)]
    if about := dict.fromkeys(each.place for each in more if each.place):
        yield False, cut(f"and {len(more)} more that may have the same cause: {', '.join(about)}")
    yield False, f"for {concerned(finding)}; repeat: {finding.repeat}"


def cut(line: str) -> str:
    """The line as far as it fits on the screen."""
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 4]} ..."


def place(finding: Finding) -> str:
    """The document and the operation of a finding."""
    return f"{finding.document} {finding.operation or finding.label}".rstrip()


def concerned(finding: Finding) -> str:
    """Whom a finding concerns."""
    if finding.kind in (Kind.SECURITY, Kind.LEAK):
        return "everybody who has data there"
    operation = operations(finding.document).get(finding.operation)
    is_reading = operation is None or operation.kind == "read"
    return "clients that read responses" if is_reading else "clients that change things"


def numbers(result: Result) -> str:
    """What was sent, what is not checked and why."""
    lines = [row("document", "operations", "succeeded", "cases")]
    for name, document in result.documents.items():
        operations = document.operations.values()
        succeeded, cases = sum(each.succeeded for each in operations), sum(each.cases for each in operations)
        lines.append(row(name, len(operations), succeeded, cases))
    rate = result.cases / result.duration_s if result.duration_s else 0
    lines.append(
        f"{counted(result.cases, 'case')} in {result.duration_s:.1f} s, {rate:.0f} per second, seed {result.seed}"
    )
    lines += [f"{promise.name}: {promise.status}: {promise.reason}" for promise in result.promises if promise.reason]
    if outcomes := Counter(each.outcome for each in result.assumptions):
        lines.append("assumptions of the documents: " + listed(outcomes))
    lines.append("operations: " + listed(result.verdicts))
    return "\n".join(lines)


def left_out(result: Result) -> str:
    """What was not tried, and why."""
    return "\n".join(f"left out: {entry.what}: {entry.reason}" for entry in result.skipped)


def listed(counts: Counter[Any]) -> str:
    """The numbers of each, largest first."""
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def row(first: str, *cells: object) -> str:
    return f"{first:<10}" + "".join(f"{cell:>12}" for cell in cells)


def operation_lines(result: Result) -> Iterator[str]:
    """A line for each operation: how many cases, the verdict, and the statuses."""
    for name, document in result.documents.items():
        for id_, operation in document.operations.items():
            came = " ".join(f"{status}x{count}" for status, count in sorted(operation.statuses.items()))
            why = f": {operation.reason}" if operation.reason else ""
            yield f"{name:<4} {id_:<34} {operation.cases:>6}  {operation.verdict}{why}  {came}".rstrip()


def described(finding: Finding) -> str:
    """A finding: which promise broke, where, what was sent, what was received, and how to repeat it."""
    lines = [
        f"{finding.title} ({finding.check or finding.kind}, id {finding.id})",
        f"  operation: {finding.document} {finding.operation} {finding.label}".rstrip(),
        *(f"  {line}" for line in shorter(finding.message)),
        *(f"  also: {place(each)}: {' '.join(each.message.split())[:WIDTH]} (id {each.id})" for each in finding.also),
    ]
    if finding.request is not None:
        lines.append(f"  sent: {finding.request.method} {finding.request.url}{shortened(finding.request)}")
    if finding.response is not None:
        lines.append(f"  received: status {finding.response.status}{shortened(finding.response)}")
    if finding.curl:
        lines.append(f"  send it: {finding.curl}")
    # The control characters of a response could change the terminal.
    return escaped("\n".join([*lines, f"  repeat: {finding.repeat}"]), kept=LINES)


def shorter(message: str) -> list[str]:
    """The lines of a message without the middle of a long one, which is a schema."""
    lines = [line for line in message.splitlines() if line.strip()]
    return lines if len(lines) <= 2 * MESSAGE_LINES else [*lines[:MESSAGE_LINES], "...", *lines[-MESSAGE_LINES:]]


def shortened(message: Message) -> str:
    body = message.body if len(message.body) <= BODY_LENGTH else f"{message.body[:BODY_LENGTH]} ..."
    return f" {body}" if body else ""


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def junit(result: Result) -> ElementTree.Element:
    """The run as JUnit XML; what was not checked is skipped, and known findings are output."""
    root = ElementTree.Element("testsuites", name="modelarts contract", time=f"{result.duration_s:.3f}")
    for name, document in result.documents.items():
        found = [each for finding in result.findings for each in (finding, *finding.also) if each.document == name]
        suite = ElementTree.SubElement(root, "testsuite", name=name)
        for id_, operation in document.operations.items():
            mine = [each for each in found if each.operation == id_]
            reason = f"{operation.verdict}: {operation.reason}" if operation.verdict not in ("kept", "broken") else None
            case(suite, name, id_, mine, None if any(not each.known for each in mine) else reason)
        for promise in result.promises:
            if promise.document == name:
                reported = [each for each in found if each.phase == promise.name]
                case(suite, name, promise.name, reported, promise.reason if promise.status.startswith("not ") else None)
        others = [each for each in found if not each.operation and not each.phase.startswith("story")]
        for label in dict.fromkeys(finding.label for finding in others):
            case(suite, name, label or "the whole run", [each for each in others if each.label == label], None)
        count(suite)
    count(root)
    return root


def case(
    suite: ElementTree.Element, document: str, name: str, findings: Iterable[Finding], skipped: str | None
) -> None:
    element = ElementTree.SubElement(suite, "testcase", classname=f"modelarts.contract.{document}", name=clean(name))
    known = []
    for finding in findings:
        if finding.known:
            known.append(described(finding))
        else:
            failure = ElementTree.SubElement(
                element,
                "failure",
                type=finding.check or finding.kind.value,
                message=clean(f"{finding.title}: {finding.message}"[:300]),
            )
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
