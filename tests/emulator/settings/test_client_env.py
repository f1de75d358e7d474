"""The variables: the names that clients read."""

from __future__ import annotations

from typing import Any


def test_every_client_finds_its_names(api: Any) -> None:
    """Each variable has the value that belongs to its name."""
    emulator, user = api.emulator, api.identity

    variables = emulator.environment()

    assert variables == {
        "MODELARTS_EMULATOR_DATA_DIR": str(emulator.data_dir),
        "MODELARTS_EMULATOR_TOKEN": emulator.control_token,
        **dict.fromkeys(("MODELARTS_ENDPOINT", "MODELARTS_IAM_ENDPOINT"), emulator.endpoint),
        "MODELARTS_OBS_ENDPOINT": emulator.obs_endpoint,
        "MODELARTS_PROJECT_ID": user.project_id,
        "MODELARTS_ACCESS_KEY": user.access_key,
        "MODELARTS_SECRET_KEY": user.secret_key,
        "OS_AUTH_URL": f"{emulator.endpoint}/v3",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": user.user,
        "OS_PASSWORD": user.password,
        **dict.fromkeys(("OS_USER_DOMAIN_NAME", "OS_PROJECT_DOMAIN_NAME"), user.account),
        "OS_PROJECT_NAME": user.project,
        "OS_REGION_NAME": "eu-de",
        "HUAWEICLOUD_SDK_AK": user.access_key,
        "HUAWEICLOUD_SDK_SK": user.secret_key,
        "HUAWEICLOUD_SDK_PROJECT_ID": user.project_id,
        "HUAWEICLOUD_SDK_IAM_ENDPOINT": emulator.endpoint,
        "AWS_ACCESS_KEY_ID": user.access_key,
        "AWS_SECRET_ACCESS_KEY": user.secret_key,
        "AWS_ENDPOINT_URL_S3": emulator.obs_endpoint,
    }
