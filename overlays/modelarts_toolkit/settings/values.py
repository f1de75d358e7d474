"""Texts of settings: without what files and shells add around them, and fit for requests."""

import re
from collections.abc import Mapping
from typing import Any

from modelarts_runtime.hiding import remember
from modelarts_toolkit.errors import ConfigError

SECRET = ("password", "token", "access_key", "secret_key", "security_token")
_IN_HEADERS = ("token", "access_key", "secret_key", "security_token", "project_id", "region")

# Blanks, line ends, zeros, and byte-order marks, also those that were read with another encoding.
_AROUND = "(?:[\\s\0\ufeff\u200b]|ï»¿|\udcef\udcbb\udcbf|ÿþ|þÿ|\udcff\udcfe|\udcfe\udcff)+"
_STRIPPED = re.compile(rf"\A{_AROUND}|{_AROUND}\Z")


def stripped(value: Any) -> Any:
    """Return a text without line ends, blanks and byte-order marks around it; another value as it is."""
    return _STRIPPED.sub("", value) if isinstance(value, str) else value


def all_stripped(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings stripped; errors show none of their secrets from now on."""
    found = {name: stripped(value) for name, value in settings.items()}
    remember(*(found[name] for name in SECRET if isinstance(found.get(name), str)))
    return found


def checked(name: str, value: str, origin: str | None = None) -> str:
    """Return the value of a setting stripped; raises ConfigError, without the value, if no request can carry it.

    `origin` is where it was set. Errors do not show it from now on, if it is a secret.
    """
    value = all_stripped({name: value})[name]
    of = name if origin is None else f"{name}, set by {origin},"
    if name in _IN_HEADERS and re.search(r"[^\t\x20-\x7e]", value):
        raise ConfigError(f"{of} has characters that no header can carry: copy it again; it is printable ASCII")
    if re.search(r"[\ud800-\udfff]", value):
        raise ConfigError(f"{of} is not UTF-8: copy it again")
    return value
