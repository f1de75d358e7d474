"""A recording on an emulator of its own: what its requests need is made there, then it is played and compared."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.run.emulated import login_of, objects_of
from modelarts_contract.run.emulator import Identity, serving
from modelarts_contract.shapes import Difference, Kind, differences
from modelarts_contract.validation import Finding, findings

from .player import Played, Player, Service
from .preparation import job_plans, object_paths
from .values import json_of

__all__ = ["Comparison", "compare", "replayed"]


@dataclass(frozen=True)
class Comparison:
    """What the emulator responded with: by the documents (`findings`) and beside the recording (`differences`).

    `skipped` says why a request was not played; then `status` is None.
    """

    status: int | None
    skipped: str
    findings: Sequence[Finding]
    differences: Sequence[Difference]

    @property
    def fails(self) -> bool:
        """Whether the emulator breaks the documents, or differs from the recording in a status or a type."""
        broken = any(finding.breaks_contract for finding in self.findings)
        return broken or any(difference.fails for difference in self.differences)


def replayed(exchanges: Sequence[Exchange], documents: Documents) -> Iterator[Comparison]:
    """Play the exchanges on an emulator that is started for them; raises EmulatorError, httpx.HTTPError."""
    with playing(exchanges, documents) as player:
        for exchange in exchanges:
            yield compare(player.play(exchange), documents)


@contextmanager
def playing(exchanges: Sequence[Exchange], documents: Documents) -> Iterator[Player]:
    with (
        tempfile.TemporaryDirectory(prefix="modelarts-replay-") as folder,
        serving(Path(folder), Identity("replay")) as emulator,
    ):
        put_objects(emulator.environment, exchanges)
        for plan in job_plans(exchanges):
            emulator.plan(**plan)
        emulator.freeze()
        project_id = emulator.environment["MODELARTS_PROJECT_ID"]
        service = Service(emulator.endpoint, project_id, login_of(emulator.environment), emulator.advance)
        with Player(service, documents) as player:
            yield player


def put_objects(environment: dict[str, str], exchanges: Sequence[Exchange]) -> None:
    objects = objects_of(environment)
    keys: dict[str, list[str]] = {}
    for bucket, key in sorted(object_paths(exchanges)):
        keys.setdefault(bucket, []).append(key)
    for bucket, named in keys.items():
        objects.make_bucket(bucket)
        objects.put(bucket, *named)


def compare(played: Played, documents: Documents) -> Comparison:
    """The emulator's response beside the recorded one and the documents."""
    recorded, emulated = played.recorded, played.emulated
    if emulated is None:
        return Comparison(None, played.skipped, (), ())
    found = list(findings(emulated, documents))
    if recorded.status != emulated.status:
        text = f"the recording has {recorded.status}, the emulator {emulated.status}: {emulated.response_body.decode()}"
        return Comparison(emulated.status, "", found, [Difference(Kind.OTHER_STATUS, text[:300])])
    bodies = json_of(recorded.response_body), json_of(emulated.response_body)
    return Comparison(emulated.status, "", found, list(differences(*bodies)))
