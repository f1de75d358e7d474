"""What a process of schemathesis sends, written down on the way: a line per exchange and per finding.

Loaded by hooks.py into the `st` command. schemathesis's own reports of exchanges hold every header and body, and
writing them takes a sixth of a run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

from schemathesis.cli import EventHandler
from schemathesis.engine import events

from modelarts_contract.exchange import Exchange
from modelarts_contract.proxy import OWN

from .outcome import sent_and_received, without_values

__all__ = ["record_into"]


def record_into(file: Path, grounded: Container[str]) -> type[EventHandler[Any]]:
    """Return a handler of schemathesis's events that writes into this file; `grounded` has ids of cases."""

    class Recording(EventHandler[Any]):
        def start(self, ctx: Any) -> None:
            self.lines = file.open("w")

        def handle_event(self, ctx: Any, event: events.EngineEvent) -> None:
            if isinstance(event, events.ScenarioFinished):
                for line in (*exchanges(event, grounded), *findings(event)):
                    self.lines.write(json.dumps({"phase": event.phase.value, **line}) + "\n")

        def shutdown(self, ctx: Any) -> None:
            self.lines.write(json.dumps({"processor_s": time.process_time()}) + "\n")
            self.lines.close()

    return Recording


def exchanges(event: events.ScenarioFinished, grounded: Container[str]) -> Iterator[dict[str, Any]]:
    """Yield responses, and how many checks looked at each; a case without a response was not sent."""
    for case_id, node in event.recorder.cases.items():
        interaction = event.recorder.interactions.get(case_id)
        if interaction is None or interaction.response is None or is_own(interaction):
            continue
        line: dict[str, Any] = {
            "operation": f"{node.value.method} {node.value.path}",
            "status": interaction.response.status_code,
            "grounded": case_id in grounded,
            "checks": len(event.recorder.checks.get(case_id, ())),
        }
        if line["grounded"] and line["status"] >= 400:
            line["rejected"] = sent_and_received(exchange(interaction))
        if node.transition is not None and node.is_transition_applied:
            line["link"] = node.transition.id
        yield line


def findings(event: events.ScenarioFinished) -> Iterator[dict[str, Any]]:
    """Yield what the checks found, each finding with its exchange."""
    for case_id, nodes in event.recorder.checks.items():
        for node in nodes:
            if node.failure_info is None:
                continue
            failure = node.failure_info.failure
            sender = failure.case_id if failure.case_id in event.recorder.cases else case_id
            interaction = event.recorder.interactions.get(sender)
            if interaction is not None and is_own(interaction):
                continue
            case = event.recorder.cases[sender].value
            kind, label = type(failure).__name__, f"{case.method} {case.path}"
            kind = node.name if kind == "CustomFailure" else kind
            first = failure.message.partition("\n\n")[0]
            yield {
                "finding": {
                    "operation": label,
                    "check": node.name,
                    "kind": kind,
                    "identity": [label, node.name, kind, without_values(f"{failure.title} {first}")],
                    "title": failure.title,
                    "message": failure.message,
                    "curl": node.failure_info.code_sample,
                    **(sent_and_received(exchange(interaction)) if interaction else {}),
                }
            }


def is_own(interaction: Any) -> bool:
    """Whether the response is that of the guard, and not the service's."""
    return interaction.response is not None and OWN in flat(interaction.response.headers)


def exchange(interaction: Any) -> Exchange:
    """The exchange that schemathesis recorded; status 0 without a response."""
    request, response = interaction.request, interaction.response
    sent = (flat(request.headers), request.body or b"")
    received = (flat(response.headers), response.content or b"") if response is not None else ()
    return Exchange(request.method, request.uri, response.status_code if received else 0, *sent, *received)


def flat(headers: Mapping[str, Any]) -> dict[str, str]:
    return {name.lower(): values if isinstance(values, str) else ", ".join(values) for name, values in headers.items()}
