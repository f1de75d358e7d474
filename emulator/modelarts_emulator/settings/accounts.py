"""Who may use the emulator: accounts with users, projects and keys, and the credentials of a data folder.

A file of credentials has a table for every user in every project that the user may enter. That of a data folder is
made at random when it is first needed, readable by its owner only; it can be copied and edited for `--credentials`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import secrets
import string
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.files import read_toml
from modelarts_emulator.storage.files import create_file

log = logging.getLogger(__name__)

CREDENTIALS_FILE = "credentials.toml"
SCHEMA = Path(__file__).with_name("credentials.schema.json")
OTHERS = 0o077  # the permissions of everybody but the owner
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

    def projects_of(self, account_id: str) -> list[str]:
        """The ids of the account's projects."""
        return [entry.project_id for entry in self._identities if entry.domain_id == account_id]

    def of_access_key(self, access_key: str) -> tuple[Identity, ...]:
        """The user that has this key, in each of its projects; empty if nobody has it."""
        return next((self.of_user(entry.user_id) for entry in self if entry.access_key == access_key), ())

    def add(self, user: str, account: str, project: str | None = None) -> Identity:
        """Add a user with random secrets, or another project of a user; without a project, that of the region.

        Returns the identity that there is already, if any.
        """
        project = project or self.region
        neighbours = [entry for entry in self if entry.account == account]
        for entry in neighbours:
            if (entry.user, entry.project) == (user, project):
                return entry
        added = _new_identity(user, account, project)
        for entry in neighbours:
            added = replace(added, domain_id=entry.domain_id)
            if entry.project == project:
                added = replace(added, project_id=entry.project_id)
            if entry.user == user:
                added = replace(entry, project=project, project_id=added.project_id)
        self._identities = _with_projects_of_region((*self._identities, added), self.region)
        return added


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who may use an emulator, and the token of those who may control it."""

    identities: tuple[Identity, ...]
    control_token: str = field(repr=False)


_REGION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_NAMESPACE = uuid.UUID("b1f0c6de-6f0b-4c55-8a44-5a0f6c3d9a11")


def check_region(region: str) -> None:
    """Raise EmulatorError for a region whose name cannot stand in paths, catalogues and signatures."""
    if not _REGION.fullmatch(region):
        raise EmulatorError(f"the region {region!r} must be 1 to 64 letters, digits, _ or -, such as {REGION}")


def _id_of(*names: str) -> str:
    """The id, of 32 hexadecimal digits, of what has these names: an account, a user or project in it."""
    return uuid.uuid5(_NAMESPACE, "/".join(names)).hex


def load(path: Path, region: str = REGION) -> Credentials:
    """Read a TOML file of `[[identity]]` tables; raises EmulatorError naming what is wrong, never a secret.

    Without a project, the user is in that of the region; ids that are left out are made of the names.
    A control token that is left out is empty.
    """
    content = read_toml(path, "credentials file", json.loads(SCHEMA.read_text("utf-8")))
    identities = (_identity({"project": region, **table}) for table in content["identity"])
    return Credentials(tuple(identities), content.get("control_token", ""))


def load_credentials(folder: Path, file: Path | None = None, region: str = REGION) -> Credentials:
    """Read the credentials of a data folder, made if it has none, or those of a file instead; raises EmulatorError.

    `region` names the project of identities that name none.
    A file without a control token leaves the one of the folder in force. A file that others may read causes a warning.
    """
    if file is not None:
        _warn_of_others(file)
    found = load(file or credentials_file(folder), region)
    if file is not None and not found.control_token:
        found = replace(found, control_token=load(credentials_file(folder)).control_token)
    if not found.control_token:
        raise EmulatorError(f"{credentials_file(folder)} has no control_token: delete the file to get new credentials")
    return found


def credentials_file(folder: Path) -> Path:
    """Return the folder's credentials file; create it, and the folder, if it does not exist.

    Raises EmulatorError if it cannot be created, or if other users have access to it.
    """
    path = folder / CREDENTIALS_FILE
    try:
        if not path.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_file(path, _text(_random_identity(), random_text(MIXED, 40)).encode())
        mode = path.stat().st_mode
    except OSError as error:
        raise EmulatorError(
            f"the data folder {folder} cannot be written ({error.strerror}): choose another with --data-dir"
        ) from error
    if mode & OTHERS:
        raise EmulatorError(
            f"other users may have read the secrets in {path} (mode {mode & 0o777:o}):"
            " delete the file to get new credentials, or set its mode to 600"
        )
    return path


def _warn_of_others(file: Path) -> None:
    with contextlib.suppress(OSError):  # reported when the file is read
        if (mode := file.stat().st_mode) & OTHERS:
            log.warning(
                "other users of this machine may read the secrets in %s (mode %o): set its mode to 600, unless they are"
                " known anyway",
                file,
                mode & 0o777,
            )


def _random_identity() -> Identity:
    """A user whose names and ids are the same everywhere, and whose secrets nobody knows."""
    return replace(
        _new_identity("developer", "emulator", REGION),
        project_id="6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34",
        domain_id="3f9b1c7d5e2a4f60b8d3a9c4e7f10256",
        user_id="9d8e7f6a5b4c4d3e8f2a1b0c9d8e7f6a",
    )


def _text(identity: Identity, control_token: str) -> str:
    """The file of a new folder; its user is in the project of whatever region the emulator is started with."""
    members = asdict(identity)
    del members["project"]
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in members.items())
    head = "# The credentials of this emulator: keep them secret."
    return f'{head}\n\ncontrol_token = "{control_token}"\n\n[[identity]]\n{lines}'


def _new_identity(user: str, account: str, project: str) -> Identity:
    """Return a user with random secrets and with ids that are made of the names."""
    random = {"password": random_text(MIXED, 32), "access_key": random_text(UPPER, 20)}
    names = {"account": account, "user": user, "project": project}
    return _identity({**names, **random, "secret_key": random_text(MIXED, 40)})


def random_text(alphabet: str, length: int) -> str:
    """Return a secret of these characters."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def _identity(given: Mapping[str, str]) -> Identity:
    account, user, project = given["account"], given["user"], given["project"]
    made = {
        "project_id": _id_of("project", account, project),
        "domain_id": _id_of("domain", account),
        "user_id": _id_of("user", account, user),
    }
    return Identity(**{**made, **given})


def _with_projects_of_region(identities: tuple[Identity, ...], region: str) -> tuple[Identity, ...]:
    """The identities, and for each account without a project of the region, one for each of its users."""
    complete = {entry.domain_id for entry in identities if entry.project == region}
    added = {
        entry.user_id: replace(entry, project=region, project_id=_id_of("project", entry.account, region))
        for entry in identities
        if entry.domain_id not in complete
    }
    return (*identities, *added.values())
