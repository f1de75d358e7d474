"""A service to check against the documents: an emulator that the run starts (emulated.py), or a real one (real.py)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from modelarts_contract.documents import Operation, overlay
from modelarts_contract.rules.memory import DELETION_S, LAG_S
from modelarts_contract.run.guard import Guard
from modelarts_contract.run.result import Skipped

__all__ = ["NOT_BEGUN", "PLANS", "SUBJECT", "Service", "is_login_enough"]

# What the simulated executor makes of a job: it ends at once, so that there are a log and metrics, or it runs on.
METRICS = {"emulator/metrics": '{"cpuUsage": 12.5, "memUsage": 3.25}', "emulator/log": "hello"}
PLANS = {"short": {"emulator/duration": "0", **METRICS}, "long": {"emulator/duration": "3600", **METRICS}}
EFFECT_S = 3.0
NOT_BEGUN = "the run ended before"
SUBJECT = "X-Subject-Token"  # the token that a request to IAM is about
SECRET = ("OS_PASSWORD", "MODELARTS_ACCESS_KEY", "MODELARTS_SECRET_KEY", "MODELARTS_EMULATOR_TOKEN")


@dataclass(frozen=True)
class Service:
    """A service to check against the documents; a real one has a guard, and the environment leads to that.

    `login_body` is the right login, `prefix` starts the names of everything that the run creates. `found` has
    parameters of paths that exist there, by operation. `ended_tokens` were right once, by what happened to them;
    `tries_other_logins` says whether requests with these and without any are sent. `has_token` is false for a login by
    access key. `left_out` has the kinds of checks that the run leaves out there.
    """

    environment: dict[str, str] = field(repr=False)
    token: str = field(repr=False)
    login_body: dict[str, Any] = field(repr=False)
    prefix: str
    stand_ins: dict[str, Any] = field(default_factory=dict, repr=False)
    guard: Guard | None = None
    found: dict[str, Any] = field(default_factory=dict, repr=False)
    ended_tokens: dict[str, str] = field(default_factory=dict, repr=False)
    tries_other_logins: bool = True
    has_token: bool = True
    left_out: tuple[Skipped, ...] = ()

    @property
    def is_real(self) -> bool:
        return self.guard is not None

    @property
    def endpoint(self) -> str:
        return self.environment["MODELARTS_ENDPOINT"]

    @property
    def patience_s(self) -> float:
        """How long a job may take."""
        return 1800 if self.is_real else 20

    @property
    def deletion_s(self) -> float:
        """How long a thing may be shown after its deletion was accepted."""
        return float(os.environ.get("CONTRACT_DELETION_S") or DELETION_S) if self.is_real else 5

    @property
    def lag_s(self) -> float:
        """How long after a request that changes something the service may show what was there before."""
        return float(os.environ.get("CONTRACT_LAG_S") or LAG_S) if self.is_real else 0.5

    @property
    def effect_s(self) -> float:
        """How long after a request its effect is waited for."""
        return max(self.lag_s, EFFECT_S)

    @property
    def poll_s(self) -> float:
        """How long to wait between two looks at a job."""
        return float(os.environ.get("CONTRACT_POLL_S") or 10) if self.is_real else 0.02

    @property
    def plans(self) -> dict[str, dict[str, str]]:
        return {} if self.is_real else PLANS

    @property
    def shown(self) -> str:
        """The service as reports name it."""
        return self.addresses.get(self.endpoint, "emulator")

    @property
    def trouble(self) -> str | None:
        """Why nothing more can be sent to the service, None if it can."""
        return self.guard.trouble if self.guard is not None else None

    def secrets(self) -> Iterator[str]:
        """Whatever must not reach a report."""
        yield self.token
        yield from self.ended_tokens.values()
        for name in SECRET:
            yield self.environment.get(name, "")
        yield from (value for value in (self.stand_ins.get("neighbour") or {}).values() if isinstance(value, str))

    def reason_to_skip(self, operation: Operation) -> str | None:
        """Why a run sends nothing to an operation, None if it does."""
        if not self.is_real:
            return None if operation.is_emulated else "not emulated"
        if self.trouble is not None:
            return NOT_BEGUN
        if not is_login_enough(operation, has_token=self.has_token):
            return "an access key has no token"
        if operation.kind == "login":
            return "it is about credentials: a run calls it for its own login only"
        if operation.kind != "read":
            return "a run at a real service only reads, save for the stories of --write"
        return None

    def lacks(self, operation: Operation) -> str | None:
        """Why nothing that the operation is about can be made; None if it can."""
        leads = str(operation.contract.get("leads", ""))
        lacking = self.stand_ins.get("unavailable", {}).items()
        return next((reason for group, reason in lacking if f"$known.{group}." in leads), None)

    @property
    def addresses(self) -> dict[str, str]:
        """The guard's addresses, with those of the service behind it."""
        return {} if self.guard is None else self.guard.addresses

    def url_of(self, document: str) -> str:
        """The URL at which a document is served."""
        return self.environment[overlay(document).get("endpoint", "MODELARTS_ENDPOINT")]


def is_login_enough(operation: Operation, *, has_token: bool) -> bool:
    """Whether a login can call the operation: an access key has no token that a request could be about."""
    return has_token or SUBJECT not in operation.parameters("header")
