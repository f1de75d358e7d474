"""Sources of settings: the environment, the file of profiles, which is also written here, clouds.yaml, the emulator.

Source of clouds.yaml: openstacksdk's "Configuring OpenStack SDK Applications": the places, `secure.yaml`, and the names
of settings; `ak` and `sk` are those of Open Telekom Cloud's extensions.
"""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from modelarts_api.types import OffsetUnit
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.endpoints import implied_by_region
from modelarts_toolkit.settings.table import TABLE
from modelarts_toolkit.settings.values import all_stripped, stripped
from modelarts_toolkit.urls import plain_url

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table


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
_PROFILE_NAME = re.compile(r"[A-Za-z0-9_-]+")
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

    def __post_init__(self) -> None:
        """Add the endpoints that the region implies, if the source has a login."""
        values = all_stripped(self.values)
        has_login = any(values.get(name) for name in ("username", "token", "access_key"))
        object.__setattr__(self, "values", values | (implied_by_region(values) if has_login else {}))

    def has_any(self, names: Sequence[str]) -> bool:
        return any(self.values.get(name) for name in names)

    def origin(self, settings: Sequence[str]) -> str:
        """Return the source's name, with the variable of the first of these settings."""
        variable = next((self.variables[name] for name in settings if name in self.variables), None)
        return f"{self.name} ({variable})" if variable else self.name


def read_environment(environ: Mapping[str, str]) -> Source:
    """Read the variables, ours before those of other clients; a user and its secret come from the same client."""
    found = {
        name: [each for each in variables if stripped(environ.get(each))] for name, variables in ENVIRONMENT.items()
    }
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
    if named := stripped(environ.get("MODELARTS_CONFIG_FILE")):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("modelarts-toolkit") / "config.toml"


def read_profiles(file: Path) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return the profiles by name, and the name of the default profile; raises ConfigError for an invalid file."""
    try:
        text = file.read_text("utf-8-sig")
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
        raise ConfigError(emulator.not_served())
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


def read_cloud(name: str, environ: Mapping[str, str]) -> Source:
    """Read the settings of the named cloud; raises ConfigError if it cannot be read."""
    from platformdirs import site_config_path, user_config_path

    named = environ.get("OS_CLIENT_CONFIG_FILE")
    folders = (Path(), user_config_path("openstack"), site_config_path("openstack"), Path("/etc/openstack"))
    places = [Path(named).expanduser()] if named else [folder / "clouds.yaml" for folder in folders]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        looked = ", ".join(dict.fromkeys(map(str, places)))
        raise ConfigError(f'cloud "{name}" not found: no file {looked}; create one, or unset OS_CLOUD')
    clouds = _clouds(file)
    cloud = clouds.get(name)
    if not isinstance(cloud, dict):
        raise ConfigError(f'no cloud "{name}" in {file}; available: {", ".join(map(str, clouds)) or "none"}')
    named = environ.get("OS_CLIENT_SECURE_FILE")
    secure = Path(named).expanduser() if named else file.with_name("secure.yaml")
    secrets = _clouds(secure).get(name) if secure.is_file() else None
    known = _flat(cloud) | _flat(secrets if isinstance(secrets, dict) else {})
    found = {setting: [known[each] for each in row.get("cloud", ()) if each in known] for setting, row in TABLE.items()}
    return Source(f'cloud "{name}" in {file}', {setting: values[0] for setting, values in found.items() if values})


def _clouds(file: Path) -> dict[str, Any]:
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ConfigError(f"{file} needs one more library: {install_command('openstack')}") from error
    try:
        content = yaml.safe_load(file.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)  # not the error itself, which shows the lines around it
        raise ConfigError(f"{file} is not valid YAML" + (f" (line {mark.line + 1})" if mark else "")) from None
    clouds = content.get("clouds") if isinstance(content, dict) else None
    return clouds if isinstance(clouds, dict) else {}


def _flat(cloud: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a cloud and of its `auth`, as text."""
    auth = cloud.get("auth")
    merged = {**cloud, **(auth if isinstance(auth, dict) else {})}
    return {name: str(value) for name, value in merged.items() if isinstance(value, str | int) and value != ""}


def write_profile(file: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Write or replace a profile, without losing other content of the file; the first one becomes the default.

    Raises ConfigError for a name or a file that cannot be used.
    """
    if not _PROFILE_NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is not a valid name of a profile: use letters, digits, _ and -")
    known, default = read_profiles(file)
    kept = {each: value for each, value in all_stripped(settings).items() if value not in (None, "")}
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

    document = tomlkit.parse(file.read_text("utf-8-sig") if file.exists() else "")
    profiles: Any = document.setdefault("profiles", tomlkit.table(is_super_table=True))
    return document, profiles


def _replace(file: Path, document: "TOMLDocument") -> None:
    """Write the file for its owner only; raises ConfigError, without a change, if that would alter other content."""
    import tomllib

    text = document.as_string()
    if tomllib.loads(text) != document.unwrap():
        raise ConfigError(f"{file} cannot be changed by a program without damage: edit it by hand")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = file.with_name(f".{file.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as target:
        target.write(text)
    new.replace(file)
