"""Huawei's SDK for OBS, in each of its signatures and addresses, works with buckets and objects."""

from __future__ import annotations

import pytest
from tests.clients.conftest import checks


@pytest.mark.parametrize("check", checks("esdk_obs_objects"))
def test_esdk_obs(run_program, check: str) -> None:
    """Each check of the program holds."""
    assert (problem := run_program("objects", "esdk_obs_objects")[check]) is None, problem
