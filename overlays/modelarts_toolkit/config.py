"""Where the settings come from: arguments, a profile named explicitly, the environment, the default profile.

The file of profiles is TOML, `config.toml` in the user's configuration folder (`MODELARTS_CONFIG_FILE` names another):

    default_profile = "work"

    [profiles.work]
    endpoint = "https://modelarts.region.example.com"
    iam_endpoint = "https://iam.region.example.com"
    project_name = "region"
    username = "someone"
    password = "..."
    domain_name = "account"

Settings that belong together come from one source, the first in this order that has any of them:

* the login: endpoint, iam_endpoint, username, password, domain_name;
* object storage: obs_endpoint, access_key, secret_key, security_token, region;
* the project: project_id, project_name.

Object storage and project come from no source below that of the login.
Arguments may add to the source of a group, or replace its user together with the password.
Arguments that name an endpoint must bring the credentials too: those of other sources are not sent there.

`AWS_*` variables are used only if `AWS_ENDPOINT_URL_S3` is on this machine, where the emulator is.
A profile chosen by `MODELARTS_PROFILE` must agree with the other variables: which of them is meant is not guessed.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_args
from urllib.parse import urlsplit

from modelarts_api.types import OffsetUnit

from .errors import ConfigError


class Settings(TypedDict, total=False):
    """What can be set, everywhere under the same names."""

    endpoint: str | None
    iam_endpoint: str | None
    obs_endpoint: str | None
    region: str | None
    project_id: str | None
    project_name: str | None
    username: str | None
    password: str | None
    domain_name: str | None
    access_key: str | None
    secret_key: str | None
    security_token: str | None
    offset_unit: OffsetUnit | None


ENVIRONMENT: Mapping[str, tuple[str, ...]] = {
    "endpoint": ("MODELARTS_ENDPOINT",),
    "iam_endpoint": ("MODELARTS_IAM_ENDPOINT", "OS_AUTH_URL", "HUAWEICLOUD_SDK_IAM_ENDPOINT"),
    "obs_endpoint": ("MODELARTS_OBS_ENDPOINT", "AWS_ENDPOINT_URL_S3"),
    "region": ("MODELARTS_REGION", "OS_REGION_NAME"),
    "project_id": ("MODELARTS_PROJECT_ID", "OS_PROJECT_ID", "HUAWEICLOUD_SDK_PROJECT_ID"),
    "project_name": ("MODELARTS_PROJECT_NAME", "OS_PROJECT_NAME"),
    "username": ("MODELARTS_USERNAME", "OS_USERNAME"),
    "password": ("MODELARTS_PASSWORD", "OS_PASSWORD"),
    "domain_name": ("MODELARTS_DOMAIN_NAME", "OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"),
    "access_key": ("MODELARTS_ACCESS_KEY", "HUAWEICLOUD_SDK_AK", "AWS_ACCESS_KEY_ID"),
    "secret_key": ("MODELARTS_SECRET_KEY", "HUAWEICLOUD_SDK_SK", "AWS_SECRET_ACCESS_KEY"),
    "security_token": ("MODELARTS_SECURITY_TOKEN", "HUAWEICLOUD_SDK_SECURITY_TOKEN", "AWS_SESSION_TOKEN"),
    "offset_unit": ("MODELARTS_OFFSET_UNIT",),
}

_ENDPOINTS = ("endpoint", "iam_endpoint", "obs_endpoint")


@dataclass(frozen=True, slots=True)
class _Group:
    """Settings that come from one source.

    Arguments that name a `decisive` one are that source; `credentials` (the name first) are replaced as a whole.
    """

    what: str
    decisive: tuple[str, ...]
    credentials: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.decisive, *self.credentials, *self.others)


_LOGIN = _Group("the login", ("endpoint", "iam_endpoint"), ("username", "password"), ("domain_name",))
_STORAGE = _Group("object storage", ("obs_endpoint",), ("access_key", "secret_key", "security_token"))
_PROJECT = _Group("the project", ("project_id", "project_name"), ())
_UNMIXED = "settings that belong together come from one source"


@dataclass(frozen=True, slots=True)
class _Source:
    """Settings from one place; `variables` says which variable of the environment each of them was read from."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    def has_any(self, names: Sequence[str]) -> bool:
        return any(self.values.get(name) for name in names)

    def origin(self, settings: Sequence[str]) -> str:
        """The source, with the variable that has the first of these settings."""
        variable = next((self.variables[name] for name in settings if name in self.variables), None)
        return f"{self.name} ({variable})" if variable else self.name


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one connection; the secret ones do not show in its repr.

    `offset_unit` says what the offset of a search of training jobs counts: "page", as documented, or "record".
    `unused` says of settings that are missing here where they are set, and why that source was not used.
    """

    endpoint: str | None = None
    iam_endpoint: str | None = None
    obs_endpoint: str | None = None
    region: str | None = None
    project_id: str | None = None
    project_name: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    domain_name: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    security_token: str | None = field(default=None, repr=False)
    offset_unit: OffsetUnit | None = None
    file: Path | None = None
    unused: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(
        cls, profile: str | None = None, *, environ: Mapping[str, str] | None = None, **settings: Unpack[Settings]
    ) -> "Config":
        """Take the settings from `settings`, the profile, `environ` (the process's own) and the default profile.

        Raises ConfigError for a profile or a file that cannot be used, for settings that contradict each other, for
        an endpoint that is not a URL, and for an unknown unit.
        """
        environ = os.environ if environ is None else environ
        _reject_unknown(settings, "argument")
        arguments = _Source("the arguments", {name: value for name, value in settings.items() if value})
        unused: dict[str, str] = {}
        variables = _environment(environ, unused)
        file = _file(environ)
        chosen_by_variable = environ.get("MODELARTS_PROFILE")
        kept = _profile(file, profile or chosen_by_variable, bool(environ.get("MODELARTS_CONFIG_FILE")))
        if not profile and chosen_by_variable:
            _reject_contradiction(kept, variables)
        sources = [kept, variables] if profile or chosen_by_variable else [variables, kept]
        everything = [arguments, *sources]
        chosen: dict[str, Any] = {name: _first(everything, name) for name in ENVIRONMENT}
        login = _choose(_LOGIN, everything, everything, chosen, unused)
        if login is variables:
            _reject_foreign_password(variables, environ)
        allowed = everything if login is None else everything[: everything.index(login) + 1]
        _choose(_PROJECT, allowed, everything, chosen, unused)
        if storage := _choose(_STORAGE, allowed, everything, chosen, unused):
            chosen["region"] = arguments.values.get("region") or storage.values.get("region")
        for name in _ENDPOINTS:
            chosen[name] = _url(name, chosen[name])
        if chosen["offset_unit"] not in (None, *get_args(OffsetUnit)):
            units = " or ".join(f'"{unit}"' for unit in get_args(OffsetUnit))
            raise ConfigError(f'offset_unit must be {units}, not "{chosen["offset_unit"]}"')
        return cls(**chosen, file=file, unused=unused)

    def require(self, *names: str) -> None:
        """Raises ConfigError unless all of these settings are there."""
        missing = [name for name in names if getattr(self, name) is None]
        if not missing:
            return
        listed = ", ".join(f"{name} ({' or '.join(ENVIRONMENT[name][:2])})" for name in missing)
        notes = "".join(f" {note}." for note in dict.fromkeys(self.unused.get(name) for name in missing) if note)
        raise ConfigError(
            f"not configured: {listed}.{notes} Set the environment variables, pass the names as arguments, "
            f"or write them into a profile in {self.file}. "
            'Without a cloud account: run "modelarts emulator", and set what "modelarts emulator env" prints.'
        )


def is_loopback(host: str) -> bool:
    """Whether the host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _choose(
    group: _Group,
    allowed: Sequence[_Source],
    everything: Sequence[_Source],
    chosen: dict[str, Any],
    unused: dict[str, str],
) -> _Source | None:
    """Put the settings of the group into `chosen`; returns the source that they come from, save for single arguments.

    The first of `everything` are the arguments; what is missing, and set by a source that is not used, is noted.
    """
    arguments, *lower = allowed
    given = {name: arguments.values[name] for name in group.names if name in arguments.values}
    owner = next((source for source in lower if source.has_any(group.names)), arguments if given else None)
    if arguments.has_any(group.decisive):
        owner = arguments
    values, origin = given, "the arguments"
    if owner is not None and owner is not arguments:
        values, origin = {**owner.values, **given}, owner.origin(group.names)
        if group.credentials and given.get(group.credentials[0]) not in (None, owner.values.get(group.credentials[0])):
            values = {name: value for name, value in values.items() if name not in group.credentials or name in given}
            origin = f"{origin} and the arguments"
    for name in group.names:
        chosen[name] = values.get(name) or None
        other = next((other for other in everything if other.values.get(name)), None)
        if chosen[name] is None and other is not None:
            why = f"{group.what} comes from {origin}" if owner is not None else "the login comes from elsewhere"
            unused[name] = f"{name} is set by {other.origin([name])}, but {why}: {_UNMIXED}"
    return owner


def _environment(environ: Mapping[str, str], unused: dict[str, str]) -> _Source:
    """The variables, ours before those of other clients; a user and its secret are those of one client."""
    families: dict[str, dict[str, str]] = {}  # by the prefix of the variables, ours first: setting and variable
    for name, variables in ENVIRONMENT.items():
        for variable in variables:
            if environ.get(variable):
                families.setdefault(variable.split("_")[0], {}).setdefault(name, variable)
    order: list[str] = [family for family in ("MODELARTS", "OS", "HUAWEICLOUD") if family in families]
    if "AWS" in families:
        reason = _reason_against_aws(environ, families)
        if reason is None:
            order.append("AWS")
        else:
            unused |= {name: f"{variable} is not used: {reason}" for name, variable in families["AWS"].items()}
    read = {name: variable for family in reversed(order) for name, variable in families[family].items()}
    for group in (_LOGIN, _STORAGE):
        owner = next((families[family] for family in order if families[family].keys() & set(group.credentials)), {})
        for name in group.credentials:
            if name in read and name not in owner:
                first = next(owner[other] for other in group.credentials if other in owner)
                unused[name] = f"{read.pop(name)} is not used, because {first} is set: {_UNMIXED}"
    return _Source("the environment", {name: environ[variable] for name, variable in read.items()}, read)


def _reject_foreign_password(variables: _Source, environ: Mapping[str, str]) -> None:
    """Raise ConfigError if the password was set for another identity service than the one that would get it."""
    used = variables.variables.get("iam_endpoint", "")
    client = variables.variables.get("password", "").split("_")[0]
    for own in ENVIRONMENT["iam_endpoint"]:
        if own.startswith(f"{client}_") and environ.get(own) and used and _plain(environ[own]) != _plain(environ[used]):
            raise ConfigError(
                f"{used} and {own} name different identity services, and the password is the one for {own}: "
                "unset one of them, or set MODELARTS_USERNAME and MODELARTS_PASSWORD"
            )


def _reason_against_aws(environ: Mapping[str, str], families: Mapping[str, Mapping[str, str]]) -> str | None:
    """Why the AWS_* variables must not be used; None if they are those of the emulator."""
    aws = environ.get("AWS_ENDPOINT_URL_S3", "")
    if not is_loopback(urlsplit(aws).hostname or ""):
        return "AWS_* variables are used only if AWS_ENDPOINT_URL_S3 is on this machine"
    for family in ("MODELARTS", "HUAWEICLOUD"):
        for name, variable in families.get(family, {}).items():
            if name in _STORAGE.credentials or (name == "obs_endpoint" and _plain(environ[variable]) != _plain(aws)):
                return f"{variable} is set, and {_UNMIXED}"
    return None


def _reject_contradiction(profile: _Source, variables: _Source) -> None:
    """Raise ConfigError if the profile that a variable names and the other variables set the same thing differently."""
    for names in (_LOGIN.names, _STORAGE.names, _PROJECT.names):
        if not profile.has_any(names):
            continue
        for name in names:
            value = variables.values.get(name)
            if value and _plain(value) != _plain(profile.values.get(name) or ""):
                variable = variables.variables[name]
                raise ConfigError(
                    f"MODELARTS_PROFILE names {profile.name}, and {variable} sets another {name}: unset one of them, "
                    f"or choose the profile by the argument `profile`, which goes before the environment"
                )


def _file(environ: Mapping[str, str]) -> Path:
    if named := environ.get("MODELARTS_CONFIG_FILE"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("modelarts-toolkit") / "config.toml"


def _profile(file: Path, name: str | None, is_file_named: bool) -> _Source:
    """The named profile, else the file's default one, else nothing; what is asked for by name must be there."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if name is not None:
            raise ConfigError(f'profile "{name}" not found: {file} does not exist; create it') from None
        if is_file_named:
            raise ConfigError(
                f"MODELARTS_CONFIG_FILE is {file}, which does not exist: create it, or unset it"
            ) from None
        return _Source("no profile")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    import tomllib

    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from None
    profiles = content.get("profiles", {})
    wanted = name or content.get("default_profile")
    if wanted is None:
        return _Source("no profile")
    if not isinstance(profiles, dict) or not isinstance(profiles.get(wanted), dict):
        known = ", ".join(profiles) if isinstance(profiles, dict) and profiles else "none"
        raise ConfigError(f'no profile "{wanted}" in {file}; available: {known}. Add a section [profiles.{wanted}]')
    _reject_unknown(profiles[wanted], f"setting of profile {wanted} in {file}:")
    return _Source(f'profile "{wanted}"', dict(profiles[wanted]))


def _reject_unknown(settings: Mapping[str, Any], what: str) -> None:
    for name, value in settings.items():
        if name not in ENVIRONMENT:
            raise ConfigError(f"unknown {what} {name}: the settings are {', '.join(ENVIRONMENT)}")
        if value is not None and not isinstance(value, str):
            raise ConfigError(f"{what} {name} must be a string, not {type(value).__name__}")


def _first(sources: Sequence[_Source], name: str) -> str | None:
    return next((source.values[name] for source in sources if source.values.get(name)), None)


def _plain(url: str) -> str:
    """The URL in the form in which two can be compared; OS_AUTH_URL usually ends in /v3."""
    return url.rstrip("/").removesuffix("/v3").rstrip("/")


def _url(name: str, url: str | None) -> str | None:
    if url is None:
        return None
    if "@" in url or "?" in url or "#" in url:
        raise ConfigError(f"{name} must be scheme, host, port and path only: leave out user, password and query")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f'{name} is not a URL: "{url}" (start it with https://)')
    return _plain(url) if name == "iam_endpoint" else url.rstrip("/")
