"""Identifiers of runs and jobs."""

from __future__ import annotations

import uuid

from modelarts_emulator.engine.runs import new_id


def test_identifiers_are_uuids_that_sort_in_the_order_of_their_making() -> None:
    made = [new_id() for _ in range(10_000)]

    assert made == sorted(set(made))
    assert {(uuid.UUID(text).version, uuid.UUID(text).variant) for text in made} == {(8, uuid.RFC_4122)}
