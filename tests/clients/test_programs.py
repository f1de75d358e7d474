"""Published clients for Python: Huawei's SDKs for OBS and for the API, openstacksdk, and s3fs."""

from __future__ import annotations

import pytest
from tests.clients.conftest import checks

PROGRAMS = {
    "esdk_obs_objects": "objects",
    "huawei_sdk": "clouds",
    "openstack_sdk": "clouds",
    "s3fs_objects": "objects",
}
"""The environment of each program."""


@pytest.mark.parametrize(("program", "check"), [(program, check) for program in PROGRAMS for check in checks(program)])
def test_a_client_of_another_package_works(run_program, program: str, check: str) -> None:
    """Each check of the program holds."""
    assert (problem := run_program(PROGRAMS[program], program)[check]) is None, problem
