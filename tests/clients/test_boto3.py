"""boto3, the client of AWS for Python, works with buckets and objects."""

from __future__ import annotations

import pytest
from tests.clients.conftest import checks


@pytest.mark.parametrize("check", checks("boto3_objects"))
def test_boto3(run_program, check: str) -> None:
    """Each check of the program holds."""
    assert (problem := run_program("objects", "boto3_objects")[check]) is None, problem
