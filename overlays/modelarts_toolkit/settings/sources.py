"""Sources of settings: the environment, the file of profiles, and the emulator."""

import math
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict

from modelarts_api.types import OffsetUnit
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.endpoints import implied_by_region
from modelarts_toolkit.settings.table import TABLE
from modelarts_toolkit.urls import plain_url


class Settings(TypedDict, total=False):
    """All settings; arguments, profiles and the environment use the same names."""

    endpoint: str | None
    iam_endpoint: str | None
    obs_endpoint: str | None
    region: str | None
    project_id: str | None
    project_name: str | None
    username: str | None
    password: str | None
    domain_name: str | None
    token: str | None
    access_key: str | None
    secret_key: str | None
    security_token: str | None
    offset_unit: OffsetUnit | None
    ca_bundle: str | None
    proxy: str | None
    timeout_s: float | None
    retries: int | None


EMULATOR = "emulator"  # the profile that stands for the emulator of this machine, unless the file has one of this name
ENVIRONMENT = {
    name: (f"MODELARTS_{name.upper()}", *TABLE[name].get("variables", ())) for name in Settings.__annotations__
}
NUMBERS: Mapping[str, float] = {name: each["at_least"] for name, each in TABLE.items() if "at_least" in each}


def number_of(name: str, value: str | float) -> float:
    """Convert the value of a numeric setting; raises ConfigError if it is not a number or too small."""
    smallest = NUMBERS[name]
    kind = type(smallest)
    try:
        number = kind(value)
        if number >= smallest and number == float(value) and math.isfinite(number):
            return number
    except (ValueError, OverflowError):
        pass
    noun = "an integer" if kind is int else "a number"
    raise ConfigError(f"{name} must be {noun} of at least {smallest:g}, not {value!r}")


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that come from one source.

    If arguments set a `decisive` one, they are that source; `credentials` (the name first) are replaced as a whole.
    """

    what: str
    decisive: tuple[str, ...]
    credentials: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.decisive, *self.credentials, *self.others)


LOGIN = Group("the login", ("endpoint", "iam_endpoint"), ("username", "password", "token"), ("domain_name",))
STORAGE = Group("object storage", ("obs_endpoint",), ("access_key", "secret_key", "security_token"))
PROJECT = Group("the project", ("project_id", "project_name"), ())
UNMIXED = "settings that belong together come from one source"


@dataclass(frozen=True, slots=True)
class Source:
    """Settings from one place; `variables` has the environment variable of each setting.

    `unused` says why settings that are set there are not among the values.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, str] = field(default_factory=dict)

    def with_endpoints(self) -> "Source":
        """Add the endpoints that the region implies, if the source has a login."""
        if not self.has_any(("username", "token", "access_key")):
            return self
        return replace(self, values={**self.values, **implied_by_region(self.values)})

    def has_any(self, names: Sequence[str]) -> bool:
        return any(self.values.get(name) for name in names)

    def origin(self, settings: Sequence[str]) -> str:
        """Return the source's name, with the variable of the first of these settings."""
        variable = next((self.variables[name] for name in settings if name in self.variables), None)
        return f"{self.name} ({variable})" if variable else self.name


def read_environment(environ: Mapping[str, str]) -> Source:
    """Read the variables, ours before those of other clients; a user and its secret come from the same client."""
    found = {name: [each for each in variables if environ.get(each)] for name, variables in ENVIRONMENT.items()}
    read = {name: variables[0] for name, variables in found.items() if variables}
    unused = {}
    for group in (LOGIN, STORAGE):
        credentials = [name for name in group.credentials if name in read]
        ours = [read[name] for name in credentials if read[name].startswith("MODELARTS_")]
        for name in credentials:
            if ours and read[name] not in ours:
                unused[name] = f"{read.pop(name)} is not used, because {ours[0]} is set: {UNMIXED}"
    return Source("the environment", {name: environ[variable] for name, variable in read.items()}, read, unused)


def reject_foreign_secret(secret: str, variables: Source, environ: Mapping[str, str]) -> None:
    """Raise ConfigError if `secret` (password or token) was set for a different identity service."""
    used = variables.variables.get("iam_endpoint", "")
    client = variables.variables.get(secret, "").split("_")[0]
    for own in ENVIRONMENT["iam_endpoint"]:
        is_set = own.startswith(f"{client}_") and environ.get(own) and used
        if is_set and plain_url(environ[own]) != plain_url(environ[used]):
            ours = "MODELARTS_TOKEN" if secret == "token" else "MODELARTS_USERNAME and MODELARTS_PASSWORD"  # noqa: S105
            raise ConfigError(
                f"{used} and {own} name different identity services, and the {secret} is the one for {own}: "
                f"unset one of them, or set {ours}"
            )


def reject_contradiction(profile: Source, variables: Source) -> None:
    """Raise ConfigError if MODELARTS_PROFILE's profile and other variables set different values."""
    for names in (LOGIN.names, STORAGE.names, PROJECT.names):
        if not profile.has_any(names):
            continue
        for name in names:
            value = variables.values.get(name)
            if value and plain_url(value) != plain_url(profile.values.get(name) or ""):
                variable = variables.variables[name]
                raise ConfigError(
                    f"MODELARTS_PROFILE names {profile.name}, and {variable} sets another {name}: unset one of them, "
                    f"or choose the profile by the argument `profile`, which takes precedence over the environment"
                )


def config_file(environ: Mapping[str, str]) -> Path:
    if named := environ.get("MODELARTS_CONFIG_FILE"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("modelarts-toolkit") / "config.toml"


def read_profiles(file: Path) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return the profiles by name, and the name of the default profile; raises ConfigError for an invalid file."""
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return {}, None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from None
    profiles = document.get("profiles")
    found = profiles if isinstance(profiles, dict) else {}
    return {name: each for name, each in found.items() if isinstance(each, dict)}, document.get("default_profile")


def read_profile(file: Path, name: str | None, is_file_named: bool) -> Source:
    """Read the named profile, or the default one, if any; raises ConfigError if a named one does not exist."""
    profiles, default = read_profiles(file)
    wanted = name or default
    if wanted == EMULATOR and EMULATOR not in profiles:
        return read_emulator(is_named=name is not None)
    if wanted is None and is_file_named and not file.exists():
        raise ConfigError(f"MODELARTS_CONFIG_FILE is {file}, which does not exist: create it, or unset it")
    if wanted is None:
        return Source("no profile")
    if wanted not in profiles:
        known = ", ".join(profiles) or "none"
        raise ConfigError(f'no profile "{wanted}" in {file}; available: {known}. Add a section [profiles.{wanted}]')
    settings = dict(profiles[wanted])
    reject_unknown(settings, f"setting of profile {wanted} in {file}:")
    return Source(f'profile "{wanted}"', as_text(settings))


def read_emulator(*, is_named: bool) -> Source:
    """Read the settings of the running emulator; without one, empty, or ConfigError if it `is_named`."""
    from modelarts_toolkit.local_emulator import local_emulator, settings_of

    emulator = local_emulator()
    if emulator is None:
        raise ConfigError(f'the profile "{EMULATOR}" needs the emulator: {install_command("local")}')
    try:
        environment = emulator.running_environment()
    except Exception as error:  # its class is the emulator's own
        raise ConfigError(str(error)) from error
    if environment is None and not is_named:
        return Source("no profile")
    if environment is None:
        named = os.environ.get("MODELARTS_EMULATOR_DATA_DIR")
        where = f"serves {named} (MODELARTS_EMULATOR_DATA_DIR)" if named else "runs on this machine"
        option = f" --data-dir {shlex.quote(named)}" if named else ""
        raise ConfigError(f"no emulator {where}: start one with modelarts emulator start{option}")
    return Source(f'profile "{EMULATOR}"', settings_of(environment))


def as_text(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that are not empty, numbers as text."""
    return {name: str(value) for name, value in settings.items() if value not in (None, "")}


def reject_unknown(settings: Mapping[str, Any], what: str) -> None:
    for name, value in settings.items():
        if name not in ENVIRONMENT:
            raise ConfigError(f"unknown {what} {name}: the settings are {', '.join(ENVIRONMENT)}")
        expected = (str, int, float) if name in NUMBERS else str
        if value is not None and (not isinstance(value, expected) or isinstance(value, bool)):
            kind = "a number" if name in NUMBERS else "a string"
            raise ConfigError(f"{what} {name} must be {kind}, not {type(value).__name__}")
