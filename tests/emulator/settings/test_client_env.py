"""The variables: the names that clients read."""

from __future__ import annotations

from pathlib import Path

from modelarts_emulator.settings.accounts import Credentials, Identity
from modelarts_emulator.settings.client_env import environment

USER = Identity(
    account="acme",
    user="ann",
    password="correct horse",
    project="research",
    project_id="project-id",
    domain_id="domain-id",
    user_id="user-id",
    access_key="access-key",
    secret_key="secret-key",
)


def test_every_client_finds_its_names() -> None:
    """Each variable has the value that belongs to its name."""
    variables = environment(
        "http://127.0.0.1:1", "http://127.0.0.1:2", Path("/data"), Credentials((USER,), "control-token")
    )

    assert variables == {
        "MODELARTS_EMULATOR_DATA_DIR": "/data",
        "MODELARTS_EMULATOR_TOKEN": "control-token",
        "MODELARTS_ENDPOINT": "http://127.0.0.1:1",
        "MODELARTS_IAM_ENDPOINT": "http://127.0.0.1:1",
        "MODELARTS_OBS_ENDPOINT": "http://127.0.0.1:2",
        "MODELARTS_PROJECT_ID": "project-id",
        "MODELARTS_ACCESS_KEY": "access-key",
        "MODELARTS_SECRET_KEY": "secret-key",
        "OS_AUTH_URL": "http://127.0.0.1:1/v3",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "correct horse",
        "OS_USER_DOMAIN_NAME": "acme",
        "OS_PROJECT_NAME": "research",
        "OS_PROJECT_DOMAIN_NAME": "acme",
        "OS_REGION_NAME": "eu-de",
        "HUAWEICLOUD_SDK_AK": "access-key",
        "HUAWEICLOUD_SDK_SK": "secret-key",
        "HUAWEICLOUD_SDK_PROJECT_ID": "project-id",
        "HUAWEICLOUD_SDK_IAM_ENDPOINT": "http://127.0.0.1:1",
        "AWS_ACCESS_KEY_ID": "access-key",
        "AWS_SECRET_ACCESS_KEY": "secret-key",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:2",
    }
