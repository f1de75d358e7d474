"""s3fs, the file system of dask and pandas, works with buckets and objects."""

from __future__ import annotations

import pytest
from tests.clients.conftest import checks


@pytest.mark.parametrize("check", checks("s3fs_objects"))
def test_s3fs(run_program, check: str) -> None:
    """Each check of the program holds."""
    assert (problem := run_program("objects", "s3fs_objects")[check]) is None, problem
