"""Huawei's SDK works with access key and secret key."""

from __future__ import annotations

import pytest
from tests.clients.conftest import checks


@pytest.mark.parametrize("check", checks("huawei_sdk"))
def test_huawei_sdk(run_program, check: str) -> None:
    """Each check of the program holds."""
    assert (problem := run_program("clouds", "huawei_sdk")[check]) is None, problem
