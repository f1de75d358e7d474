"""What schemathesis must know about a document: what exists, what becomes of calls, what is to be sent instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import schemathesis

from modelarts_contract.run.hints.cases import is_positive, is_stateful, operation_of
from modelarts_contract.run.made_up import fingerprint

__all__ = ["Hints"]


class Hints:
    """The hints of a document without any peculiarity.

    `ground` has, by operation, what points a well-formed body at things that exist. Things are named by the
    path to them: `training-jobs/1`. `created` and `deleted` are those that this run has created and deleted.
    """

    ground: ClassVar[Mapping[str, Callable[[dict[str, Any]], None]]] = {}

    def __init__(self) -> None:
        self.created: set[str] = set()
        self.deleted: set[str] = set()

    def exists(self, thing: str) -> bool:
        """Whether the thing exists, unless it was deleted."""
        return thing in self.created

    def name_in(self, body: Any) -> str | None:
        """The name that a body gives to what it creates; None if it gives none."""
        return None

    def things_in(self, case: schemathesis.Case, body: dict[str, Any]) -> set[str]:
        """The things that a body names."""
        return set()

    def created_by(self, case: schemathesis.Case, response: Any) -> set[str]:
        """The things that a call has created, from its response."""
        return set()

    def is_ready(self, case: schemathesis.Case, things: set[str]) -> bool:
        """Whether the call can succeed with the things, which exist."""
        return True

    def is_right_login(self, case: schemathesis.Case, body: dict[str, Any]) -> bool:
        """Whether a call about credentials has those that are right."""
        return False

    def is_absent(self, case: schemathesis.Case, error: dict[str, Any], things: set[str]) -> bool:
        """Whether the body of an error says that one of these things, which the path names, does not exist."""
        return False

    def is_private(self, case: schemathesis.Case) -> bool:
        """Whether the path names something that other projects do not have."""
        return False

    def before_call(self, case: schemathesis.Case) -> None:
        """Wait until things are ready, or make them so."""

    def after_call(self, case: schemathesis.Case, response: schemathesis.Response) -> None:
        """Remember what has become of things."""

    def aim(self, case: schemathesis.Case) -> None:
        """Lead the path to things that exist, and away from those that other calls need."""

    def prepared_body(self, case: schemathesis.Case, body: dict[str, Any]) -> dict[str, Any] | None:
        """The body of a well-formed case as it is to be grounded, None for one that is to be left alone.

        Three of four bodies are grounded: a schema cannot say which things exist.
        """
        return dict(body) if is_stateful(case) or fingerprint(body) % 4 else None

    def ground_body(self, case: schemathesis.Case) -> None:
        """Point a well-formed body at things that exist."""
        ground = self.ground.get(operation_of(case).operation_id)
        if ground is None or not is_positive(case) or not isinstance(case.body, dict):
            return
        body = self.prepared_body(case, case.body)
        if body is not None:
            ground(body)
            case.body = body
