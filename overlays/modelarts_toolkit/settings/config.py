"""Where the settings come from: arguments, a profile named explicitly, the environment, the default profile.

docs/configuration.md has the rules: which settings belong together and come from one source, the first that has any of
them; which arguments add to it; and where a secret is not sent.
"""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, Unpack, get_args

from modelarts_api.types import OffsetUnit
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.endpoints import DOMAINS, implied_by_region
from modelarts_toolkit.settings.sources import (
    EMULATOR,
    ENVIRONMENT,
    LOGIN,
    NUMBERS,
    PROJECT,
    STORAGE,
    UNMIXED,
    Group,
    Settings,
    Source,
    as_text,
    config_file,
    number_of,
    read_cloud,
    read_environment,
    read_profile,
    reject_contradiction,
    reject_foreign_secret,
    reject_unknown,
)
from modelarts_toolkit.settings.values import all_stripped, checked
from modelarts_toolkit.urls import checked_proxy, checked_url

__all__ = ["ENVIRONMENT", "Config", "Login", "Settings"]

# How to log in: a token of the user's own, a password at IAM, or signatures with access key and secret key.
Login: TypeAlias = Literal["token", "password", "keys"]

_LOGIN_SETTINGS: Mapping[Login, tuple[str, ...]] = {
    "token": ("token",),
    "password": ("iam_endpoint", "username", "password", "domain_name"),
    "keys": ("access_key", "secret_key"),
}
_INSTEAD = " You can use a token, or an access key and secret key, instead of a password."
_INSTEAD_OF_ENDPOINTS = " Or set a region (MODELARTS_REGION), such as eu-de, instead of the endpoints."
_CLOUD_LINE = "A cloud: modelarts config init work --region eu-de (all settings: modelarts config show)"
_ENDPOINTS = ("endpoint", "iam_endpoint", "obs_endpoint")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one connection; the secret ones do not show in its repr.

    `login` is the way to log in, by default the first that is there of token, password, and access key.
    `offset_unit` says what the offset of a search of training jobs counts: "page", as documented, or "record".
    `sources` are all sources of the settings, the arguments first; errors name those that were not used.
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
    token: str | None = field(default=None, repr=False)
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    security_token: str | None = field(default=None, repr=False)
    offset_unit: OffsetUnit | None = None
    ca_bundle: str | None = None
    proxy: str | None = field(default=None, repr=False)  # which may have a password in it
    timeout_s: float | None = None
    retries: int | None = None
    login: Login | None = None
    file: Path | None = None
    sources: Sequence[Source] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise ConfigError for an endpoint that is not a URL, an unknown unit, or a text that no request can carry."""
        for name in ENVIRONMENT:
            if isinstance(value := getattr(self, name), str):
                origins = (each.origin([name]) for each in self.sources if each.values.get(name) == value)
                object.__setattr__(self, name, checked(name, value, next(origins, None)) or None)
        for name in _ENDPOINTS:
            object.__setattr__(self, name, checked_url(name, getattr(self, name)))
        if self.proxy:
            object.__setattr__(self, "proxy", checked_proxy("proxy", self.proxy))
        for name in NUMBERS:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number_of(name, getattr(self, name)))
        if self.offset_unit not in (None, *get_args(OffsetUnit)):
            units = " or ".join(f'"{unit}"' for unit in get_args(OffsetUnit))
            raise ConfigError(f'offset_unit must be {units}, not "{self.offset_unit}"')

    @classmethod
    def load(
        cls,
        profile: str | None = None,
        *,
        cloud: str | None = None,
        environ: Mapping[str, str] | None = None,
        **settings: Unpack[Settings],
    ) -> "Config":
        """Take the settings from `settings`, the profile, `environ` (the process's own) and the default profile.

        `cloud` names a cloud of `clouds.yaml` instead of a profile.
        Raises ConfigError for a profile or a file that cannot be used, for settings that contradict each other, and
        for values that make no sense.
        """
        environ = all_stripped(os.environ if environ is None else environ)
        reject_unknown(settings, "argument")
        arguments = Source("the arguments", as_text(settings))
        variables = read_environment(environ)
        file = config_file(environ)
        sources = _sources(profile, cloud, file, environ, variables)
        everything = [arguments, *sources]
        chosen: dict[str, Any] = {
            name: next((each.values[name] for each in everything if each.values.get(name)), None)
            for name in ENVIRONMENT
        }
        login, storage = (_owner(group, everything) for group in (LOGIN, STORAGE))
        for group in (LOGIN, STORAGE, PROJECT):
            chosen |= _values(group, _owner(group, everything), arguments)
        if storage is not None:
            chosen["region"] = arguments.values.get("region") or storage.values.get("region")
        way = _way_to_log_in(chosen, arguments, login, storage)
        if way in ("password", "token") and login is variables:
            reject_foreign_secret(way, variables, environ)
        chosen |= implied_by_region({**chosen, "region": _region(everything)})
        return cls(**chosen, login=way, file=file, sources=everything)

    def require_login(self) -> Login:
        """Return the way to log in; raise ConfigError unless all of its settings are there, and a project."""
        login = self.login or _first_way(lambda name: getattr(self, name)) or "password"
        project = ("iam_endpoint", "project_name") if self.project_id is None else ()
        self.require(*dict.fromkeys(("endpoint", *_LOGIN_SETTINGS[login], *project)))
        return login

    def require(self, *names: str) -> None:
        """Raises ConfigError unless all of these settings are there."""
        missing = [name for name in names if getattr(self, name) is None]
        if not missing:
            return
        reasons = list(dict.fromkeys(filter(None, map(self._why_unused, missing))))
        if not reasons and not any(getattr(self, name) for group in (LOGIN, STORAGE, PROJECT) for name in group.names):
            raise ConfigError(f"no service is configured\n  {_emulator_line()}\n  {_CLOUD_LINE}")
        listed = ", ".join(f"{name} ({variables_of(name)})" for name in missing)
        instead = _INSTEAD if "password" in missing else ""
        instead += _INSTEAD_OF_ENDPOINTS if "endpoint" in missing and self.region is None else ""
        notes = "".join(f" {reason}." for reason in reasons)
        raise ConfigError(
            f"not configured: {listed}.{notes}{instead} Set the environment variables, pass the names as arguments, "
            f"or write them into a profile in {self.file}."
        )

    def _why_unused(self, name: str) -> str | None:
        """Say where a missing setting is set, and why that source is not used."""
        group = next((group for group in (LOGIN, STORAGE, PROJECT) if name in group.names), None)
        if group is None or not self.sources:
            return None
        region = _region(self.sources)
        if name == "endpoint" and region and region not in DOMAINS:
            return f"The endpoints of region {region} are not known (only {', '.join(DOMAINS)}): give them"
        owner = _owner(group, self.sources)
        if name == "password" and self.login == "password" and _first_way(lambda each: getattr(self, each)) == "keys":
            keys = _owner(STORAGE, self.sources)
            origin = None if keys is None else keys.origin(["access_key"])
            return f"access_key is set by {origin}, but it is not the source of the endpoint: {UNMIXED}"
        other = next((source for source in self.sources if source.values.get(name)), None)
        if other is None:
            return next((source.unused[name] for source in self.sources if name in source.unused), None)
        origin = "the login comes from elsewhere"
        if owner is not None:
            is_mixed = other is owner
            origin = f"{group.what} comes from {owner.origin(group.names)}" + " and the arguments" * is_mixed
        return f"{name} is set by {other.origin([name])}, but {origin}: {UNMIXED}"


def variables_of(name: str) -> str:
    """The variables of a setting, the first two of them."""
    return " or ".join(ENVIRONMENT[name][:2])


def _emulator_line() -> str:
    """How to use the emulator of this machine."""
    from modelarts_toolkit.local_emulator import local_emulator

    environment: Mapping[str, str] | None = None
    if emulator := local_emulator():
        with contextlib.suppress(Exception):  # it is only a hint
            environment = emulator.running_environment()
    use = f'the profile "{EMULATOR}" (--profile {EMULATOR}, or MODELARTS_PROFILE={EMULATOR})'
    if environment is None:
        return f"An emulator on this machine: modelarts emulator start, then {use}"
    return f"An emulator runs on this machine, at {environment['MODELARTS_ENDPOINT']}: use {use}"


def _sources(
    profile: str | None, cloud: str | None, file: Path, environ: Mapping[str, str], variables: Source
) -> list[Source]:
    """The sources besides the arguments, the first takes precedence: a named one comes before the environment."""
    if profile and cloud:
        raise ConfigError(f'profile "{profile}" and cloud "{cloud}" are two sources of the same settings: give one')
    if cloud:
        return [read_cloud(cloud, environ), variables]
    chosen_by_variable = environ.get("MODELARTS_PROFILE")
    is_named = bool(environ.get("MODELARTS_CONFIG_FILE"))
    kept = read_profile(file, profile or chosen_by_variable, is_named)
    if chosen_by_variable and not profile:
        reject_contradiction(kept, variables)
    if chosen_by_variable or profile:
        return [kept, variables]
    # OS_CLOUD is set for other clients: it fills in where our own variables and profiles say nothing.
    if (named := environ.get("OS_CLOUD")) and not any(source.has_any(LOGIN.names) for source in (variables, kept)):
        return [variables, read_cloud(named, environ), kept]
    return [variables, kept]


def _region(sources: Sequence[Source]) -> str | None:
    """Return the region that stands for missing endpoints: that of the arguments or of the login."""
    arguments, login = sources[0], _owner(LOGIN, sources) or sources[0]
    return arguments.values.get("region") or login.values.get("region")


def _owner(group: Group, sources: Sequence[Source]) -> Source | None:
    """Return the source that the settings of the group come from; the first of `sources` are the arguments.

    Arguments that are not decisive only add to it. Nothing comes from a source below that of the login.
    """
    arguments, *lower = sources
    if arguments.has_any(group.decisive):
        return arguments
    if group is not LOGIN and (login := _owner(LOGIN, sources)) is not None:
        lower = lower[: sources.index(login)]
    found = next((source for source in lower if source.has_any(group.names)), None)
    return found or (arguments if arguments.has_any(group.names) else None)


def _values(group: Group, owner: Source | None, arguments: Source) -> dict[str, str | None]:
    """Return the settings of the group: those of its source, and arguments beside or in place of them."""
    given = {name: arguments.values[name] for name in group.names if name in arguments.values}
    kept = {} if owner is None else {name: owner.values.get(name) or None for name in group.names}
    if any(given.get(user) not in (None, kept.get(user)) for user in group.credentials[:1]):
        kept |= dict.fromkeys(group.credentials)
    return dict.fromkeys(group.names) | kept | given


def _way_to_log_in(
    chosen: Mapping[str, Any],
    arguments: Source,
    login: Source | None,
    storage: Source | None,
) -> Login | None:
    """How to log in with the chosen settings: as the arguments say, else as the source of the login does.

    Keys log in only where they come from: from the source of the endpoint, or as arguments.
    """
    if chosen["obs_endpoint"] and arguments.has_any(("obs_endpoint",)):
        way = _first_way(lambda name: name != "access_key" and arguments.values.get(name))
    else:
        way = _first_way(arguments.values.get)
    way = way or _first_way(chosen.get)
    is_foreign = way == "keys" and not arguments.has_any(("access_key",)) and storage is not login
    return "password" if is_foreign else way


def _first_way(value: Callable[[str], Any]) -> Login | None:
    """The first way to log in that has a setting of its own."""
    if value("token"):
        return "token"
    if value("username") or value("password"):
        return "password"
    return "keys" if value("access_key") else None
