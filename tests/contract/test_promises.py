"""What no schema states and no single call shows holds, too (promises.py); nobody reaches another project's things."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from modelarts_contract.run import authorization
from modelarts_contract.run.promises import READING, WRITING, Project
from modelarts_contract.run.service import Service


@pytest.mark.parametrize("promise", [*READING, *WRITING], ids=lambda promise: promise.__name__)
def test_the_promise_is_kept(service: Service, promise: Callable[[Project], None]) -> None:
    with Project(service) as project:
        promise(project)


@pytest.mark.parametrize("operation_id", authorization.operations())
def test_another_project_is_shut_out(service: Service, operation_id: str) -> None:
    """Whoever belongs to another project neither reads nor changes, through this or any path of his own project."""
    authorization.check(service, operation_id)
