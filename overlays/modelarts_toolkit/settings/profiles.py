"""Write profiles into the settings file, without losing other content of the file.

The file also has the secrets, so only its owner can read it.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.sources import EMULATOR, read_profiles

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def write_profile(file: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Write or replace a profile; the first one becomes the default.

    Raises ConfigError for a name or a file that cannot be used.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is not a valid name of a profile: use letters, digits, _ and -")
    known, default = read_profiles(file)
    kept = {each: value for each, value in settings.items() if value not in (None, "")}
    document, profiles = _editable(file)
    profile = profiles.setdefault(name, {})
    for each in set(profile) - set(kept):
        del profile[each]
    profile.update(kept)
    if default is None and not known:
        document["default_profile"] = name
    _replace(file, document)


def set_default(file: Path, name: str) -> None:
    """Make a profile the default one; raises ConfigError for an unknown name."""
    profiles, _ = read_profiles(file)
    if name not in (*profiles, EMULATOR):
        raise ConfigError(f'no profile "{name}" in {file}; available: {", ".join(profiles) or "none"}')
    document, found = _editable(file)
    if not found:
        del document["profiles"]
    document["default_profile"] = name
    _replace(file, document)


def _editable(file: Path) -> "tuple[TOMLDocument, Table]":
    """Return the file and its profiles as documents that keep comments and order."""
    import tomlkit

    document = tomlkit.parse(file.read_text("utf-8") if file.exists() else "")
    profiles: Any = document.setdefault("profiles", tomlkit.table(is_super_table=True))
    return document, profiles


def _replace(file: Path, document: "TOMLDocument") -> None:
    """Write the file for its owner only; raises ConfigError, without a change, if that would alter other content."""
    text = document.as_string()
    if tomllib.loads(text) != document.unwrap():
        raise ConfigError(f"{file} cannot be changed by a program without damage: edit it by hand")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = file.with_name(f".{file.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as target:
        target.write(text)
    new.replace(file)
