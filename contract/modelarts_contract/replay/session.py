"""A recording on an emulator of its own: what its requests need is made there, then it is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from modelarts_contract import temporary
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.rules import Session
from modelarts_contract.run.emulated import login_of, objects_of
from modelarts_contract.run.emulator import Identity, serving

from .comparison import Comparison, compare
from .player import Player, Service
from .preparation import job_plans, object_paths

__all__ = ["replayed"]


def replayed(exchanges: Sequence[Exchange], documents: Documents) -> Iterator[Comparison]:
    """Play the exchanges on an emulator that is started for them; raises EmulatorError, httpx.HTTPError."""
    with playing(exchanges, documents) as player:
        session = Session(documents)
        for exchange in exchanges:
            yield compare(player.play(exchange), session)


@contextmanager
def playing(exchanges: Sequence[Exchange], documents: Documents) -> Iterator[Player]:
    with (
        temporary.folder() as folder,
        serving(folder, Identity("replay")) as emulator,
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
