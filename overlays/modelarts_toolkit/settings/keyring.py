"""Secrets of profiles in the keyring of the system, which the library `keyring` reaches."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from modelarts_toolkit.errors import ConfigError

SECRETS = ("password", "secret_key", "security_token", "token")
SERVICE = "modelarts-toolkit"


def secrets_of(profile: str) -> dict[str, str]:
    """The secrets of a profile that the keyring has; raises ConfigError if there is no keyring, or it is locked."""
    lead, remedy = f'profile "{profile}" keeps its secrets in the keyring', f"modelarts config login {profile}"
    keyring = _keyring()
    if keyring is None:
        missing = "pip install keyring, with a backend for this system"
        raise ConfigError(f'{lead}, and there is none here: {missing}, or run "{remedy} --no-keyring"')
    try:
        found = {name: keyring.get_password(SERVICE, f"{profile}/{name}") for name in SECRETS}
    except Exception as error:  # of whatever backend: locked, not available, rejected by the user
        reason = f"{type(error).__name__} {error}".strip()
        raise ConfigError(
            f'{lead}, which cannot be read ({reason}): unlock it, or run "{remedy} --no-keyring"'
        ) from error
    return {name: str(value) for name, value in found.items() if value}


def store(profile: str, secrets: Mapping[str, str]) -> bool:
    """Put the secrets into the keyring; False if there is none that works."""
    keyring = _keyring()
    if keyring is None:
        return False
    try:
        for name, value in secrets.items():
            keyring.set_password(SERVICE, f"{profile}/{name}", value)
    except Exception:  # of whatever backend: locked, not available, rejected by the user
        return False
    return True


def _keyring() -> Any:
    """The library `keyring`, if it is installed and has a backend that keeps something."""
    try:
        keyring: Any = import_module("keyring")
    except ModuleNotFoundError:
        return None
    return keyring if keyring.get_keyring().priority > 0 else None
