"""The environment variables with the address of the emulator and the credentials for it."""

from __future__ import annotations

from modelarts_emulator.settings.credentials import Credentials

__all__ = ["HOST", "OBS_PORT", "PORT", "endpoint", "environment", "same_host"]

HOST = "127.0.0.1"
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - by addresses that stand for all of a machine
PORT = 9180
OBS_PORT = 9181


def endpoint(port: int, host: str = HOST) -> str:
    """The URL of a port of the emulator that listens on this host, as programs on the same machine can use it."""
    host = LOOPBACK_OF.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def same_host(host_header: str, port: int) -> str:
    """The URL of another port of the emulator, for a client that sends this Host header."""
    name, _, given = host_header.rpartition(":")
    return f"http://{name if name and given.isdigit() else host_header}:{port}"


def environment(api: str, objects: str, credentials: Credentials) -> dict[str, str]:
    """All variables of the first identity, under the names that this toolkit, OpenStack's, the vendor's and S3 clients
    read, and the token of the control API."""
    identity = credentials.identities[0]
    return {
        "MODELARTS_EMULATOR_TOKEN": credentials.control_token,
        "MODELARTS_ENDPOINT": api,
        "MODELARTS_IAM_ENDPOINT": api,
        "MODELARTS_OBS_ENDPOINT": objects,
        "MODELARTS_PROJECT_ID": identity.project_id,
        "MODELARTS_ACCESS_KEY": identity.access_key,
        "MODELARTS_SECRET_KEY": identity.secret_key,
        "OS_AUTH_URL": f"{api}/v3",
        "OS_USERNAME": identity.user,
        "OS_PASSWORD": identity.password,
        "OS_USER_DOMAIN_NAME": identity.account,
        "OS_PROJECT_NAME": identity.project,
        "HUAWEICLOUD_SDK_AK": identity.access_key,
        "HUAWEICLOUD_SDK_SK": identity.secret_key,
        "HUAWEICLOUD_SDK_PROJECT_ID": identity.project_id,
        "AWS_ACCESS_KEY_ID": identity.access_key,
        "AWS_SECRET_ACCESS_KEY": identity.secret_key,
        "AWS_ENDPOINT_URL_S3": objects,
    }
