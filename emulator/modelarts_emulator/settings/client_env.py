"""Addresses of the emulator, and the environment variables that hold them for clients and jobs, with credentials."""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.accounts import REGION, Credentials, Identity
from modelarts_emulator.settings.files import own_table

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


_TABLES = own_table(__file__, "client_env.toml")
FOREIGN: tuple[str, ...] = tuple(_TABLES["foreign"])
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
    values = {
        "api": api,
        "objects": objects,
        "folder": folder.absolute(),
        "control_token": credentials.control_token,
        "region": region,
        "identity": identity or credentials.identities[0],
    }
    return {name: form.format_map(values) for name, form in _TABLES["client"].items()}


def job_environment(api: str, objects: str, identity: Identity | None) -> dict[str, str]:
    """The variables of a job of this identity; without one, none of keys."""
    forms = _TABLES["job"] if identity is None else {**_TABLES["job"], **_TABLES["job_keys"]}
    values = {"api": api, "objects": objects, "identity": identity}
    return {name: form.format_map(values) for name, form in forms.items()}


def shell_lines(removed: Iterable[str], variables: Mapping[str, str]) -> list[str]:
    """The lines for a POSIX shell: remove some variables, and set others."""
    return [f"unset {' '.join(removed)}", *(f"export {name}={shlex.quote(text)}" for name, text in variables.items())]
