"""The variables: the names that clients read."""

from __future__ import annotations

from modelarts_emulator.environment import environment
from modelarts_emulator.identity import DEFAULT


def test_every_client_finds_its_names() -> None:
    variables = environment("http://127.0.0.1:1", "http://127.0.0.1:2", DEFAULT)

    assert variables == {
        "MODELARTS_ENDPOINT": "http://127.0.0.1:1",
        "MODELARTS_IAM_ENDPOINT": "http://127.0.0.1:1",
        "MODELARTS_OBS_ENDPOINT": "http://127.0.0.1:2",
        "MODELARTS_PROJECT_ID": "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34",
        "MODELARTS_ACCESS_KEY": "EMULATORACCESSKEY001",
        "MODELARTS_SECRET_KEY": "emulator-secret-key-for-local-use-only-01",
        "OS_AUTH_URL": "http://127.0.0.1:1/v3",
        "OS_USERNAME": "developer",
        "OS_PASSWORD": "modelarts-emulator",
        "OS_USER_DOMAIN_NAME": "emulator",
        "OS_PROJECT_NAME": "local",
        "HUAWEICLOUD_SDK_AK": "EMULATORACCESSKEY001",
        "HUAWEICLOUD_SDK_SK": "emulator-secret-key-for-local-use-only-01",
        "HUAWEICLOUD_SDK_PROJECT_ID": "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34",
        "AWS_ACCESS_KEY_ID": "EMULATORACCESSKEY001",
        "AWS_SECRET_ACCESS_KEY": "emulator-secret-key-for-local-use-only-01",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:2",
    }
