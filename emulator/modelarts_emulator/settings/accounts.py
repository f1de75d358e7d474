"""Who may use the emulator: accounts with users, projects and keys, read from a file.

A file has a table for every user in every project that the user may enter.
"""

from __future__ import annotations

import re
import secrets
import string
import tomllib
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from modelarts_emulator.http.errors import EmulatorError

__all__ = [
    "MIXED",
    "REGION",
    "Accounts",
    "Identity",
    "check_region",
    "load",
    "load_control_token",
    "new_identity",
    "random_text",
]

REGION = "eu-de"  # the default, which is the one of the documents' examples
UPPER = string.ascii_uppercase + string.digits
MIXED = string.ascii_letters + string.digits


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


class Accounts:
    """The identities that there are; every account has a project that is named after the region, as on the clouds.

    Identities can be added while the emulator serves, from any thread.
    """

    def __init__(self, identities: Iterable[Identity], region: str = REGION) -> None:
        self.region = region
        self._identities = _with_projects_of_region(tuple(identities), region)

    def __iter__(self) -> Iterator[Identity]:
        return iter(self._identities)

    def of_user(self, user_id: str) -> tuple[Identity, ...]:
        """The user in each of its projects; empty if there is no such user."""
        return tuple(entry for entry in self._identities if entry.user_id == user_id)

    def account_of(self, project_id: str) -> str:
        """The id of the project's account (its domain); empty if there is no such project."""
        return next((entry.domain_id for entry in self._identities if entry.project_id == project_id), "")

    def of_access_key(self, access_key: str) -> tuple[Identity, ...]:
        """The user that has this key, in each of its projects; empty if nobody has it."""
        for entry in self._identities:
            if entry.access_key == access_key:
                return self.of_user(entry.user_id)
        return ()

    def add(self, user: str, account: str, project: str | None = None) -> Identity:
        """Add a user with random secrets, or another project of a user; without a project, that of the region.

        Returns the identity that there is already, if any.
        """
        project = project or self.region
        neighbours = [entry for entry in self if entry.account == account]
        for entry in neighbours:
            if (entry.user, entry.project) == (user, project):
                return entry
        added = new_identity(user, account, project)
        for entry in neighbours:
            added = replace(added, domain_id=entry.domain_id)
            if entry.project == project:
                added = replace(added, project_id=entry.project_id)
            if entry.user == user:
                added = replace(entry, project=project, project_id=added.project_id)
        self._identities = _with_projects_of_region((*self._identities, added), self.region)
        return added


NAMES = tuple(entry.name for entry in fields(Identity))
OPTIONAL = ("project", "project_id", "domain_id", "user_id")
_REGION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_NAMESPACE = uuid.UUID("b1f0c6de-6f0b-4c55-8a44-5a0f6c3d9a11")
_CONTROL_TOKEN = re.compile(r"[\w.~+/=-]{16,200}", re.ASCII)


def check_region(region: str) -> None:
    """Raise EmulatorError for a region whose name cannot stand in paths, catalogues and signatures."""
    if not _REGION.fullmatch(region):
        raise EmulatorError(f"the region {region!r} must be 1 to 64 letters, digits, _ or -, such as {REGION}")


def id_of(*names: str) -> str:
    """The id, of 32 hexadecimal digits, of what has these names: an account, a user or project in it."""
    return uuid.uuid5(_NAMESPACE, "/".join(names)).hex


def load(path: Path, region: str = REGION) -> tuple[Identity, ...]:
    """Read a TOML file of `[[identity]]` tables; raises EmulatorError naming what is wrong, never a secret.

    Without a project, the user is in that of the region; ids that are left out are made of the names.
    """
    tables = _document(path).get("identity")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        needed = ", ".join(name for name in NAMES if name not in OPTIONAL)
        raise EmulatorError(f"the credentials file {path} has no [[identity]] table; each needs: {needed}")
    identities = tuple(
        _identity(table, region, f"identity {number} in {path}") for number, table in enumerate(tables, 1)
    )
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


def new_identity(user: str, account: str, project: str) -> Identity:
    """Return a user with random secrets and with ids that are made of the names."""
    return Identity(
        account=account,
        user=user,
        password=random_text(MIXED, 32),
        project=project,
        project_id=id_of("project", account, project),
        domain_id=id_of("domain", account),
        user_id=id_of("user", account, user),
        access_key=random_text(UPPER, 20),
        secret_key=random_text(MIXED, 40),
    )


def random_text(alphabet: str, length: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))


def _identity(table: Mapping[str, Any], region: str, where: str) -> Identity:
    given = {"project": region, **table}
    account, user, project = (given.get(name) for name in ("account", "user", "project"))
    made = {
        "project_id": id_of("project", str(account), str(project)),
        "domain_id": id_of("domain", str(account)),
        "user_id": id_of("user", str(account), str(user)),
    }
    given = made | given
    missing = [name for name in NAMES if not isinstance(given.get(name), str) or not given[name]]
    if missing:
        raise EmulatorError(f"{where} lacks {', '.join(missing)}: each must be a string that is not empty")
    unknown = sorted(set(given) - set(NAMES))
    if unknown:
        raise EmulatorError(f"{where} has unknown members: {', '.join(unknown)}; known are: {', '.join(NAMES)}")
    if "/" in given["project_id"]:
        raise EmulatorError(f"{where}: project_id stands in paths and must not contain a slash")
    return Identity(**given)


def _with_projects_of_region(identities: tuple[Identity, ...], region: str) -> tuple[Identity, ...]:
    """The identities, and those of the projects that the region has in accounts without one of its name."""
    complete = {entry.domain_id for entry in identities if entry.project == region}
    added = {
        entry.user_id: replace(entry, project=region, project_id=id_of("project", entry.account, region))
        for entry in identities
        if entry.domain_id not in complete
    }
    return (*identities, *added.values())


def _conflicts(identities: Iterable[Identity]) -> Iterator[str]:
    """What contradicts itself: each of these ids and names stands for one thing in all identities."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    for entry in identities:
        facts: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {
            ("key", entry.access_key): ((entry.secret_key,), f"access key {entry.access_key} has two secret keys"),
            ("owner", entry.access_key): ((entry.user_id,), f"access key {entry.access_key} belongs to two users"),
            ("project", entry.project_id): (
                (entry.project, entry.domain_id),
                f"project id {entry.project_id} stands for two projects",
            ),
            ("name", entry.domain_id, entry.project): (
                (entry.project_id,),
                f"project {entry.project} of account {entry.account} has two ids",
            ),
            ("login", entry.account, entry.user): (
                (entry.password, entry.user_id),
                f"user {entry.user} of account {entry.account} has two passwords or ids",
            ),
            ("user", entry.user_id): ((entry.account, entry.user), f"user id {entry.user_id} stands for two users"),
            ("account", entry.account): ((entry.domain_id,), f"account {entry.account} has two domain ids"),
            ("domain", entry.domain_id): ((entry.account,), f"domain id {entry.domain_id} stands for two accounts"),
        }
        for key, (value, problem) in facts.items():
            if known.setdefault(key, value) != value:
                yield problem
