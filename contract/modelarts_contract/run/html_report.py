"""The report of a run as one HTML page, without scripts and without anything from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape
from pathlib import Path

from .result import DocumentResult, Finding, Message, OperationResult, Result
from .text_report import counted, verdict

__all__ = ["FILE", "page", "write"]

FILE = "report.html"
STYLE = (Path(__file__).with_name("report.css")).read_text("utf-8")


def write(result: Result, folder: Path) -> Path:
    file = folder / FILE
    file.write_text(page(result), "utf-8", "backslashreplace")
    return file


def page(result: Result) -> str:
    """The whole page."""
    state = "kept" if result.exit_status == 0 else "broken"
    heading = verdict(result) + (f": {counted(len(result.new), 'finding')}" if result.new else "")
    known = len(result.findings) - len(result.new)
    facts = {
        "service": result.service,
        "started": f"{datetime.fromisoformat(result.started_at):%Y-%m-%d %H:%M %Z}",
        "duration": f"{result.duration_s:.0f} s",
        "cases": f"{result.cases:,}",
        "cases per second": f"{result.cases / result.duration_s:.0f}" if result.duration_s else "0",
        "known findings": str(known),
        "operations": ", ".join(f"{count} {name}" for name, count in result.verdicts.most_common()),
        **({"ended before its time": result.trouble} if result.trouble else {}),
        "seed": str(result.seed),
        "run": result.run,
    }
    parts = [
        f'<header class="{state}"><h1>{escape(heading)}</h1>{definitions(facts)}</header>',
        section("Findings", map(finding, [*result.new, *(f for f in result.findings if f.known)])),
        section("Stories", [promises(result)] if result.promises else []),
        *(section(f"Operations of {name}", [operations(document)]) for name, document in result.documents.items()),
        f"<footer>{escape(LEGEND)}</footer>",
        section("New in responses", [f"<p>{escape(text)}</p>" for text in result.news]),
        section("Left out", [skipped(result)] if result.skipped else []),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(heading)}</title><style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


# What a reader of the table of operations asks.
LEGEND = (
    "A case is a request whose response was checked. Most are malformed on purpose, or about things that do not exist: "
    "a status of 4xx is right for these. Examples are the documents' own, coverage tries each value and limit of a "
    "schema, fuzzing draws requests at random, and chains follow the documents' links."
)
PHASES = {"stateful": "chains"}


def section(title: str, parts: Iterable[str]) -> str:
    content = "".join(parts)
    return f"<section><h2>{escape(title)}</h2>{content}</section>" if content else ""


def definitions(facts: Mapping[str, str]) -> str:
    return "<dl>" + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts.items()) + "</dl>"


def finding(found: Finding) -> str:
    """What was sent, what was received, which promise broke, and how to repeat it."""
    name = found.operation or found.label or "the whole run"
    mark = ' <span class="tag">known</span>' if found.known else ""
    phase = {"found by": PHASES.get(found.phase, found.phase)} if found.phase else {}
    head = f"<summary><b>{escape(found.title)}</b> <code>{escape(found.document)} {escape(name)}</code>{mark}</summary>"
    body = [
        f'<p class="message">{escape(found.message)}</p>',
        definitions({"also": ", ".join(found.also)}) if found.also else "",
        definitions({"check": found.check, **phase, "id": found.id}),
        message("Sent", found.request),
        message("Received", found.response),
        block("Repeat this finding", found.repeat),
        block("Send this request", found.curl) if found.curl else "",
    ]
    is_open = "" if found.known else " open"
    return f'<details id="{escape(found.id)}"{is_open}>{head}{"".join(body)}</details>'


def message(title: str, shown: Message | None) -> str:
    if shown is None:
        return ""
    first = f"{shown.method} {shown.url}" if shown.method else f"status {shown.status}"
    lines = [first, *(f"{name}: {value}" for name, value in shown.headers.items())]
    return block(title, "\n".join([*lines, "", indented(shown.body)]).rstrip())


def indented(body: str) -> str:
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body


def block(title: str, text: str) -> str:
    return f"<h3>{escape(title)}</h3><pre>{escape(text)}</pre>"


def promises(result: Result) -> str:
    rows = (
        f'<tr><td>{escape(promise.name)}</td><td>{escape(promise.document)}</td><td class="{promise.status}">'
        f"{promise.status}</td><td>{escape(promise.reason)}</td></tr>"
        for promise in result.promises
    )
    return table(("story", "document", "result", "reason"), rows)


def operations(document: DocumentResult) -> str:
    rows = (operation_row(id_, operation) for id_, operation in document.operations.items())
    return table(("operation", "method and path", "verdict", "cases", "statuses", "made by"), rows)


def operation_row(id_: str, operation: OperationResult) -> str:
    statuses = " ".join(
        f'<span class="s{status[0]}">{status}&times;{count}</span>'
        for status, count in sorted(operation.statuses.items())
    )
    phases = ", ".join(f"{count}\u00a0{PHASES.get(phase, phase)}" for phase, count in operation.phases.items())
    place = f"{operation.method} {operation.path}"
    return (
        f"<tr><td><code>{escape(id_)}</code></td><td><code>{escape(place)}</code></td>"
        f'<td class="{operation.verdict.split()[0]}">{operation.verdict}</td>'
        f'<td class="number">{operation.cases}</td><td>{statuses}</td>'
        f"<td>{escape(operation.reason or phases)}</td></tr>"
    )


def skipped(result: Result) -> str:
    rows = (f"<tr><td>{escape(entry.what)}</td><td>{escape(entry.reason)}</td></tr>" for entry in result.skipped)
    return table(("what", "reason"), rows)


def table(heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
