"""A cloud of OpenStack's `clouds.yaml` as a source of settings.

Source: openstacksdk's "Configuring OpenStack SDK Applications": the places, `secure.yaml`, and the names of settings;
`ak` and `sk` are those of Open Telekom Cloud's extensions.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.sources import Source
from modelarts_toolkit.settings.table import TABLE


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
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
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
