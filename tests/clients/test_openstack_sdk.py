"""openstacksdk and otcextensions log in and find projects, regions and services."""

from __future__ import annotations

import pytest
from tests.clients.conftest import checks


@pytest.mark.parametrize("check", checks("openstack_sdk"))
def test_openstack_sdk(run_program, check: str) -> None:
    """Each check of the program holds."""
    assert (problem := run_program("clouds", "openstack_sdk")[check]) is None, problem
