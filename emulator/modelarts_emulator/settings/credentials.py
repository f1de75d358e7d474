"""The credentials of a data folder: made at random when they are first needed, readable by their owner only.

The file has the format of `--credentials`, so that it can be copied and edited for that purpose.
"""

from __future__ import annotations

import contextlib
import json
import logging
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.settings.accounts import (
    MIXED,
    REGION,
    Identity,
    load,
    load_control_token,
    new_identity,
    random_text,
)
from modelarts_emulator.storage.files import create_file

__all__ = ["CREDENTIALS_FILE", "Credentials", "credentials_file", "load_credentials"]

log = logging.getLogger(__name__)

CREDENTIALS_FILE = "credentials.toml"
OTHERS = 0o077  # the permissions of everybody but the owner


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who may use an emulator, and the token of those who may control it."""

    identities: tuple[Identity, ...]
    control_token: str = field(repr=False)


def load_credentials(folder: Path, file: Path | None = None, region: str = REGION) -> Credentials:
    """Read the credentials of a data folder, made if it has none, or those of a file instead; raises EmulatorError.

    `region` names the project of identities that name none.
    A file without a control token leaves the one of the folder in force. A file that others may read causes a warning.
    """
    path = file or credentials_file(folder)
    if file is not None:
        _warn_of_others(file)
    identities = load(path, region)
    token = load_control_token(path) or load_control_token(credentials_file(folder))
    if token is None:
        raise EmulatorError(f"{credentials_file(folder)} has no control_token: delete the file to get new credentials")
    return Credentials(identities, token)


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
        new_identity("developer", "emulator", REGION),
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
