"""Where the settings come from: arguments, then the environment, then a profile in a file.

The file is TOML, `config.toml` in the user's configuration folder (`MODELARTS_CONFIG_FILE` names another one):

    default_profile = "work"

    [profiles.work]
    endpoint = "https://modelarts.region.example.com"
    iam_endpoint = "https://iam.region.example.com"
    project_name = "region"
    username = "someone"
    domain_name = "account"

Two groups are never mixed from several sources, because half of one and half of another fits nothing:
the project (id and name), and the access key with its secret.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack, get_args
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
    "obs_endpoint": ("MODELARTS_OBS_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    "region": ("MODELARTS_REGION", "OS_REGION_NAME", "AWS_REGION", "AWS_DEFAULT_REGION"),
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

Source: TypeAlias = Mapping[str, Any]

_PROJECT = ("project_id", "project_name")
_KEYS = ("access_key", "secret_key", "security_token")
_ENDPOINTS = ("endpoint", "iam_endpoint", "obs_endpoint")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one connection; the secret ones do not show in its repr.

    `offset_unit` says what the offset of a search of training jobs counts: "page", as documented, or "record".
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

    @classmethod
    def load(
        cls, profile: str | None = None, *, environ: Mapping[str, str] | None = None, **settings: Unpack[Settings]
    ) -> "Config":
        """Each setting from the first source that has it: `settings`, `environ` (the process's own), the profile.

        Raises ConfigError for a profile or a file that cannot be used, for an endpoint that is no URL, and for an
        unknown unit.
        """
        environ = os.environ if environ is None else environ
        _refuse_unknown(settings, "argument")
        file = _file(environ)
        given: Source = dict(settings)
        families = list(_environment(environ))
        kept = _profile(file, profile or environ.get("MODELARTS_PROFILE"), bool(environ.get("MODELARTS_CONFIG_FILE")))
        chosen: dict[str, Any] = {name: _first([given, *families, kept], name) for name in ENVIRONMENT}
        chosen |= _group([given, _merged(families), kept], _PROJECT)
        chosen |= _group([given, *families, kept], _KEYS)
        for name in _ENDPOINTS:
            chosen[name] = _url(name, chosen[name])
        if chosen["offset_unit"] not in (None, *get_args(OffsetUnit)):
            units = " or ".join(get_args(OffsetUnit))
            raise ConfigError(f'offset_unit is "{chosen["offset_unit"]}", which counts nothing: write {units}')
        return cls(**chosen, file=file)

    def require(self, *names: str) -> None:
        """Raises ConfigError unless all of these settings are there."""
        missing = [name for name in names if getattr(self, name) is None]
        if not missing:
            return
        listed = ", ".join(f"{name} ({' or '.join(ENVIRONMENT[name][:2])})" for name in missing)
        raise ConfigError(
            f"not configured: {listed}. Set the environment variables, pass the names as arguments, "
            f"or write them into a profile in {self.file}. "
            'Without a cloud account: run "modelarts emulator", and set what "modelarts emulator env" prints.'
        )


def _environment(environ: Mapping[str, str]) -> Iterator[Source]:
    """One source per family of names (MODELARTS_*, then OS_*, ...), so that a key never meets a stranger's secret."""
    families = list(dict.fromkeys(variable.split("_")[0] for names in ENVIRONMENT.values() for variable in names))
    for family in families:
        yield {
            name: environ[variable]
            for name, variables in ENVIRONMENT.items()
            for variable in reversed(variables)
            if variable.split("_")[0] == family and environ.get(variable)
        }


def _file(environ: Mapping[str, str]) -> Path:
    if named := environ.get("MODELARTS_CONFIG_FILE"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("modelarts-toolkit") / "config.toml"


def _profile(file: Path, name: str | None, is_file_named: bool) -> Source:
    """The named profile, else the file's default one, else nothing; what is asked for by name must be there."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if name is not None:
            raise ConfigError(f'profile "{name}" is asked for, but there is no file {file}: write it there') from None
        if is_file_named:
            raise ConfigError(f"MODELARTS_CONFIG_FILE names {file}, which is not there: write it or unset it") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    import tomllib

    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not TOML: {error}") from None
    profiles = content.get("profiles", {})
    wanted = name or content.get("default_profile")
    if wanted is None:
        return {}
    if not isinstance(profiles, dict) or not isinstance(profiles.get(wanted), dict):
        known = ", ".join(profiles) if isinstance(profiles, dict) and profiles else "none"
        raise ConfigError(f'no profile "{wanted}" in {file} (there: {known}): write [profiles.{wanted}]')
    _refuse_unknown(profiles[wanted], f"setting of profile {wanted} in {file}:")
    return dict(profiles[wanted])


def _refuse_unknown(settings: Mapping[str, Any], what: str) -> None:
    for name, value in settings.items():
        if name not in ENVIRONMENT:
            raise ConfigError(f"unknown {what} {name}: the settings are {', '.join(ENVIRONMENT)}")
        if value is not None and not isinstance(value, str):
            raise ConfigError(f"{what} {name} must be a string, not {type(value).__name__}")


def _first(sources: Sequence[Source], name: str) -> str | None:
    return next((source[name] for source in sources if source.get(name)), None)


def _merged(sources: Sequence[Source]) -> Source:
    return {name: value for source in reversed(sources) for name, value in source.items()}


def _group(sources: Sequence[Source], names: tuple[str, ...]) -> dict[str, str | None]:
    """All of a group from the first source that names any of it."""
    source = next((source for source in sources if any(source.get(name) for name in names)), {})
    return {name: source.get(name) or None for name in names}


def _url(name: str, url: str | None) -> str | None:
    if url is None:
        return None
    if "@" in url or "?" in url or "#" in url:
        raise ConfigError(f"{name} must be scheme, host, port and path only: leave out user, password and query")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f'{name} is no URL: "{url}". Write it with its scheme, such as https://host.example.com')
    plain = url.rstrip("/")
    return plain.removesuffix("/v3") if name == "iam_endpoint" else plain  # OS_AUTH_URL usually ends in /v3
