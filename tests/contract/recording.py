"""What a run of schemathesis sends, written down on the way: a line per exchange, and one per phase.

Loaded by hooks.py into the `st` command. schemathesis's own reports of exchanges hold every header and body, and
writing them takes a sixth of a run.
"""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

from schemathesis.cli import EventHandler
from schemathesis.core.result import Ok
from schemathesis.engine import events

__all__ = ["record_into"]


def record_into(file: Path, grounded: Container[str]) -> type[EventHandler[Any]]:
    """Return a handler of schemathesis's events that writes into this file; `grounded` has ids of cases."""

    class Recording(EventHandler[Any]):
        def start(self, ctx: Any) -> None:
            self.lines = file.open("w")
            self.started: dict[str, float] = {}

        def handle_event(self, ctx: Any, event: events.EngineEvent) -> None:
            if isinstance(event, events.PhaseStarted):
                self.started[event.phase.name] = event.timestamp
            elif isinstance(event, events.PhaseFinished) and event.phase.name in self.started:
                seconds = event.timestamp - self.started.pop(event.phase.name)
                self.write({"phase": event.phase.name.value, "seconds": seconds})
            elif isinstance(event, events.ScenarioFinished):
                for case_id, node in event.recorder.cases.items():
                    self.exchange(event, case_id, node)

        def exchange(self, event: events.ScenarioFinished, case_id: str, node: Any) -> None:
            """Record responses and checks; a case without a response was not sent."""
            interaction = event.recorder.interactions.get(case_id)
            if interaction is None or interaction.response is None:
                return
            line = {
                "phase": event.phase.value,
                "operation": f"{node.value.method} {node.value.path}",
                "status": interaction.response.status_code,
                "grounded": case_id in grounded,
                "checks": len(event.recorder.checks.get(case_id, ())),
            }
            if node.transition is not None and node.is_transition_applied and is_whole(node.transition):
                line["link"] = node.transition.id
            self.write(line)

        def write(self, line: dict[str, Any]) -> None:
            self.lines.write(json.dumps(line) + "\n")

        def shutdown(self, ctx: Any) -> None:
            self.lines.close()

    return Recording


def is_whole(transition: Any) -> bool:
    """Whether the response had everything that the link takes from it."""
    values = [given.value for place in transition.parameters.values() for given in place.values()]
    return all(isinstance(value, Ok) for value in values)
