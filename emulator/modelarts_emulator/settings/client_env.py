"""Addresses of the emulator, and the environment variables that hold them for clients and jobs, with credentials."""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.accounts import REGION, Credentials, Identity

HOST = "127.0.0.1"
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - by addresses that stand for all of a machine
PORT = 9180
OBS_PORT = 9181
DATA_DIR = "MODELARTS_EMULATOR_DATA_DIR"


def endpoint(port: int, host: str = HOST) -> str:
    """The URL of a port of the emulator that listens on this host, as programs on the same machine can use it."""
    host = LOOPBACK_OF.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def check_address(host: str) -> None:
    """Raise EmulatorError unless the host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise EmulatorError(
            f"the host to listen on must be an IP address, not {host!r}: use 0.0.0.0 for all addresses of this machine"
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can connect to the address."""
    return ipaddress.ip_address(host).is_loopback


def same_host(host_header: str, port: int) -> str:
    """The URL of another port of the emulator, for a client that sends this Host header."""
    name, _, given = host_header.rpartition(":")
    return f"http://{name if name and given.isdigit() else host_header}:{port}"


FOREIGN = (
    *("MODELARTS_TOKEN", "MODELARTS_USERNAME", "MODELARTS_PASSWORD", "MODELARTS_DOMAIN_NAME", "MODELARTS_PROJECT_NAME"),
    *("MODELARTS_REGION", "MODELARTS_SECURITY_TOKEN", "MODELARTS_PROFILE"),
    *("OS_TOKEN", "OS_AUTH_TYPE", "OS_CLOUD", "OS_PROJECT_ID", "OS_TENANT_ID", "OS_TENANT_NAME", "OS_USER_ID"),
    *("OS_DOMAIN_ID", "OS_DOMAIN_NAME", "OS_USER_DOMAIN_ID", "OS_PROJECT_DOMAIN_ID", "OS_SYSTEM_SCOPE"),
    *("HUAWEICLOUD_SDK_SECURITY_TOKEN", "HUAWEICLOUD_SDK_DOMAIN_ID", "HUAWEICLOUD_SDK_REGION"),
    *("AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL"),
)
"""Variables of another login or service, which clients would mix with those of `environment`."""


def environment(
    api: str,
    objects: str,
    folder: Path,
    credentials: Credentials,
    region: str = REGION,
    identity: Identity | None = None,
) -> dict[str, str]:
    """All variables of an identity (the first unless given), under the names that this toolkit, OpenStack's, the
    vendor's and S3 clients read, the data folder, and the token of the control API."""
    identity = identity or credentials.identities[0]
    return {
        DATA_DIR: str(folder.absolute()),
        "MODELARTS_EMULATOR_TOKEN": credentials.control_token,
        "MODELARTS_ENDPOINT": api,
        "MODELARTS_IAM_ENDPOINT": api,
        "MODELARTS_OBS_ENDPOINT": objects,
        "MODELARTS_PROJECT_ID": identity.project_id,
        "MODELARTS_ACCESS_KEY": identity.access_key,
        "MODELARTS_SECRET_KEY": identity.secret_key,
        "OS_AUTH_URL": f"{api}/v3",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": identity.user,
        "OS_PASSWORD": identity.password,
        "OS_USER_DOMAIN_NAME": identity.account,
        "OS_PROJECT_NAME": identity.project,
        "OS_PROJECT_DOMAIN_NAME": identity.account,
        "OS_REGION_NAME": region,
        "HUAWEICLOUD_SDK_AK": identity.access_key,
        "HUAWEICLOUD_SDK_SK": identity.secret_key,
        "HUAWEICLOUD_SDK_PROJECT_ID": identity.project_id,
        "HUAWEICLOUD_SDK_IAM_ENDPOINT": api,
        "AWS_ACCESS_KEY_ID": identity.access_key,
        "AWS_SECRET_ACCESS_KEY": identity.secret_key,
        "AWS_ENDPOINT_URL_S3": objects,
    }


def job_environment(api: str, objects: str, identity: Identity | None) -> dict[str, str]:
    """The variables of a job of this identity; without one, none of keys.

    The names of the endpoints are those of the page "Viewing Environment Variables of a Training Container". Those of
    the keys are assumptions: the first two are what scripts set for MoXing elsewhere, the others what S3 clients read.
    """
    variables = {"MA_APIGW_ENDPOINT": api, "S3_ENDPOINT": objects, "S3_USE_HTTPS": "0", "S3_VERIFY_SSL": "0"}
    if identity is not None:
        variables |= {
            "ACCESS_KEY_ID": identity.access_key,
            "SECRET_ACCESS_KEY": identity.secret_key,
            "AWS_ACCESS_KEY_ID": identity.access_key,
            "AWS_SECRET_ACCESS_KEY": identity.secret_key,
            "AWS_ENDPOINT_URL_S3": objects,
        }
    return variables


def shell_lines(removed: Iterable[str], variables: Mapping[str, str]) -> list[str]:
    """The lines for a POSIX shell: remove some variables, and set others."""
    return [f"unset {' '.join(removed)}", *(f"export {name}={shlex.quote(text)}" for name, text in variables.items())]
