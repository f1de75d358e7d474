"""Who may use the emulator: accounts with users, projects and keys, read from a file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["Identity", "load", "load_control_token"]


@dataclass(frozen=True, slots=True)
class Identity:
    """One user in one project; `account` is IAM's domain, `access_key` and `secret_key` are the AK/SK pair."""

    account: str
    user: str
    password: str = field(repr=False)
    project: str
    project_id: str
    domain_id: str
    user_id: str
    access_key: str
    secret_key: str = field(repr=False)


NAMES = tuple(entry.name for entry in fields(Identity))
_CONTROL_TOKEN = re.compile(r"[\w.~+/=-]{16,200}", re.ASCII)


def load(path: Path) -> tuple[Identity, ...]:
    """Read a TOML file of `[[identity]]` tables; raises EmulatorError naming what is wrong, never a secret."""
    tables = _document(path).get("identity")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise EmulatorError(f"the credentials file {path} has no [[identity]] table; each needs: {', '.join(NAMES)}")
    identities = tuple(_identity(table, f"identity {number} in {path}") for number, table in enumerate(tables, 1))
    for problem in _conflicts(identities):
        raise EmulatorError(f"the credentials file {path} contradicts itself: {problem}")
    return identities


def load_control_token(path: Path) -> str | None:
    """Read the `control_token` of such a file; None if it has none, EmulatorError if it cannot stand in a header."""
    token = _document(path).get("control_token")
    if token is not None and not (isinstance(token, str) and _CONTROL_TOKEN.fullmatch(token)):
        raise EmulatorError(f"control_token in {path} must be a string of 16 to 200 letters, digits or ._~+/=-")
    return token


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise EmulatorError(f"cannot read the credentials file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EmulatorError(f"the credentials file {path} is not valid TOML: {error}") from None


def _identity(table: Mapping[str, Any], where: str) -> Identity:
    missing = [name for name in NAMES if not isinstance(table.get(name), str) or not table[name]]
    if missing:
        raise EmulatorError(f"{where} lacks {', '.join(missing)}: each must be a string that is not empty")
    unknown = sorted(set(table) - set(NAMES))
    if unknown:
        raise EmulatorError(f"{where} has unknown members: {', '.join(unknown)}; known are: {', '.join(NAMES)}")
    if "/" in table["project_id"]:
        raise EmulatorError(f"{where}: project_id stands in paths and must not contain a slash")
    return Identity(**table)


def _conflicts(identities: tuple[Identity, ...]) -> Iterator[str]:
    keys: dict[str, str] = {}
    projects: dict[str, tuple[str, str]] = {}
    logins: dict[tuple[str, str], tuple[str, str]] = {}
    for identity in identities:
        if keys.setdefault(identity.access_key, identity.secret_key) != identity.secret_key:
            yield f"access key {identity.access_key} has two secret keys"
        project = (identity.project, identity.domain_id)
        if projects.setdefault(identity.project_id, project) != project:
            yield f"project id {identity.project_id} stands for two projects"
        login = (identity.password, identity.user_id)
        if logins.setdefault((identity.account, identity.user), login) != login:
            yield f"user {identity.user} of account {identity.account} has two passwords or ids"
