"""What a process of schemathesis sends, written down on the way: a line per exchange and per finding.

Loaded by hooks.py into the `st` command. schemathesis's own reports of exchanges hold every header and body, and
writing them takes a sixth of a run.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from schemathesis.cli import EventHandler
from schemathesis.engine import events

from .outcome import without_values

__all__ = ["record_into"]

BODY_LENGTH = 20_000  # characters of a body that a finding keeps


def record_into(file: Path, grounded: Container[str]) -> type[EventHandler[Any]]:
    """Return a handler of schemathesis's events that writes into this file; `grounded` has ids of cases."""

    class Recording(EventHandler[Any]):
        def start(self, ctx: Any) -> None:
            self.lines = file.open("w")

        def handle_event(self, ctx: Any, event: events.EngineEvent) -> None:
            if isinstance(event, events.ScenarioFinished):
                for case_id, node in event.recorder.cases.items():
                    self.exchange(event, case_id, node)
                self.findings(event)

        def exchange(self, event: events.ScenarioFinished, case_id: str, node: Any) -> None:
            """Record responses and checks; a case without a response was not sent."""
            interaction = event.recorder.interactions.get(case_id)
            if interaction is None or interaction.response is None:
                return
            line: dict[str, Any] = {
                "phase": event.phase.value,
                "operation": f"{node.value.method} {node.value.path}",
                "status": interaction.response.status_code,
                "grounded": case_id in grounded,
                "checks": len(event.recorder.checks.get(case_id, ())),
            }
            if line["grounded"] and line["status"] >= 400:
                line["rejected"] = sent_and_received(interaction)
            if node.transition is not None and node.is_transition_applied:
                line["link"] = node.transition.id
            self.write(line)

        def findings(self, event: events.ScenarioFinished) -> None:
            """Record what the checks found, each finding with its exchange."""
            for case_id, nodes in event.recorder.checks.items():
                for node in nodes:
                    if node.failure_info is None:
                        continue
                    failure = node.failure_info.failure
                    sender = failure.case_id if failure.case_id in event.recorder.cases else case_id
                    interaction = event.recorder.interactions.get(sender)
                    case = event.recorder.cases[sender].value
                    kind, label = type(failure).__name__, f"{case.method} {case.path}"
                    kind = node.name if kind == "CustomFailure" else kind
                    first = failure.message.partition("\n\n")[0]
                    found = {
                        "operation": label,
                        "check": node.name,
                        "kind": kind,
                        "identity": [label, node.name, kind, without_values(f"{failure.title} {first}")],
                        "title": failure.title,
                        "message": failure.message,
                        "curl": node.failure_info.code_sample,
                        **(sent_and_received(interaction) if interaction else {}),
                    }
                    self.write({"phase": event.phase.value, "finding": found})

        def write(self, line: dict[str, Any]) -> None:
            self.lines.write(json.dumps(line) + "\n")

        def shutdown(self, ctx: Any) -> None:
            self.lines.close()

    return Recording


def sent_and_received(interaction: Any) -> dict[str, Any]:
    request, response = interaction.request, interaction.response
    sent = {
        "method": request.method,
        "url": request.uri,
        "headers": flat(request.headers),
        "body": text(request.body),
    }
    if response is None:
        return {"request": sent}
    received = {"status": response.status_code, "headers": flat(response.headers), "body": text(response.content)}
    return {"request": sent, "response": received}


def flat(headers: Mapping[str, Any]) -> dict[str, str]:
    return {name: values if isinstance(values, str) else ", ".join(values) for name, values in headers.items()}


def text(body: bytes | None) -> str:
    return (body or b"")[: 4 * BODY_LENGTH].decode("utf-8", "replace")[:BODY_LENGTH]
