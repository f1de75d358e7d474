"""Endpoints by region: enough to connect, and never a reason to mix clouds."""

import tempfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.conftest import PASSWORD, PROJECT, Service, Twin

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.config import Config

USER = {"OS_USERNAME": "u", "OS_PASSWORD": PASSWORD, "OS_USER_DOMAIN_NAME": "d"}
EU_DE = {
    "endpoint": "https://modelarts.eu-de.otc.t-systems.com",
    "iam_endpoint": "https://iam.eu-de.otc.t-systems.com",
    "obs_endpoint": "https://obs.eu-de.otc.t-systems.com",
}


def load(tmp_path: Path, settings: Any = None, profile: str = "", **environ: str) -> Config:
    file = tmp_path / "config.toml"
    file.write_text(profile)
    name = "work" if profile else None
    return Config.load(name, environ={"MODELARTS_CONFIG_FILE": str(file), **environ}, **(settings or {}))


def hosts(config: Config) -> dict[str, str | None]:
    return {name: getattr(config, name) for name in EU_DE}


def test_a_region_alone_is_enough_for_the_user_of_the_environment(
    twin: Twin, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project is the one that is called as the region is."""
    for name, value in USER.items():
        monkeypatch.setenv(name, value)
    projects = {"projects": [{"id": PROJECT, "name": "eu-de"}]}
    service.responses = lambda request: httpx.Response(200, json=projects if "projects" in request.url.path else {})

    twin.do(
        lambda ma: ma.v2.training_jobs.show_training_job_details("j"),
        region="eu-de",
        transport=twin.transport(service),
    )

    assert [str(request.url) for request in service.requests] == [
        "https://iam.eu-de.otc.t-systems.com/v3/auth/tokens",
        "https://iam.eu-de.otc.t-systems.com/v3/projects?name=eu-de",
        f"https://modelarts.eu-de.otc.t-systems.com/v2/{PROJECT}/training-jobs/j",
    ]


def test_another_region_needs_its_domain(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"region xx-1 are not known .*give endpoint_domain"):
        load(tmp_path, {"region": "xx-1"}, **USER).require_login()

    config = load(tmp_path, {"region": "xx-1", "endpoint_domain": "cloud.example.com"}, **USER)

    assert config.endpoint == "https://modelarts.xx-1.cloud.example.com"


@pytest.mark.parametrize("source", ["arguments", "environment", "profile"])
def test_a_region_with_keys_is_a_login_in_every_source(tmp_path: Path, source: str) -> None:
    """It goes before a complete login of a lower source."""
    settings = {"region": "eu-de", "access_key": "a", "secret_key": "s", "project_id": "p"}
    variables = {f"MODELARTS_{name.upper()}": value for name, value in settings.items()}
    profile = "[profiles.work]\n" + "".join(f'{name} = "{value}"\n' for name, value in settings.items())
    emulator = {"MODELARTS_ENDPOINT": "http://127.0.0.1:1", "OS_AUTH_URL": "http://127.0.0.1:1", **USER}

    config = {
        "arguments": lambda: load(tmp_path, settings, **emulator),
        "environment": lambda: load(tmp_path, None, **variables),
        "profile": lambda: load(tmp_path, None, profile, **emulator),
    }[source]()

    assert hosts(config) == EU_DE
    assert config.require_login() == "keys"


@pytest.mark.parametrize("name", ["MODELARTS_ENDPOINT", "OS_AUTH_URL", "MODELARTS_OBS_ENDPOINT"])
def test_a_region_changes_nothing_where_an_endpoint_of_another_cloud_is_named(tmp_path: Path, name: str) -> None:
    """Such as the emulator's: no login of one reaches the other."""
    named = {name: "http://127.0.0.1:9180"}

    for config in (
        load(tmp_path, None, OS_REGION_NAME="eu-de", **named, **USER),
        load(tmp_path, {"region": "eu-de"}, **named, **USER),
    ):
        assert [host for host in hosts(config).values() if host] == ["http://127.0.0.1:9180"]


def test_a_stray_region_does_not_make_the_environment_the_source(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        'default_profile = "w"\n[profiles.w]\nendpoint = "https://x.example.com"\nusername = "u"\n'
    )

    config = Config.load(environ={"MODELARTS_CONFIG_FILE": str(tmp_path / "c.toml"), "OS_REGION_NAME": "eu-de"})

    assert config.endpoint == "https://x.example.com"
    assert config.iam_endpoint is None


REGIONS = {"arguments": "eu-de", "profile": "cn-north-1", "environment": "cn-north-4"}
NAMES = ("username", "password", "token", "region", "endpoint", "iam_endpoint")
SOME = st.sets(st.sampled_from(NAMES))


def named_after(source: str, names: set[str]) -> dict[str, str]:
    """Settings whose values name their source."""
    values = {name: f"https://{name}.{source}.example.com" if "endpoint" in name else f"{source}'s" for name in NAMES}
    return {name: value for name, value in (values | {"region": REGIONS[source]}).items() if name in names}


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.tuples(SOME, SOME, SOME), st.booleans())
def test_no_secret_reaches_a_host_that_the_region_of_another_source_implies(
    present: tuple[set[str], ...], is_named: bool
) -> None:
    """Save for a region given as an argument, where the source of the secret names no host at all."""
    found = {source: named_after(source, names) for source, names in zip(REGIONS, present, strict=True)}
    lines = [f'{name} = "{value}"' for name, value in found["profile"].items()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config.toml")
        file.write_text("\n".join(['default_profile = "p"', "[profiles.p]", *lines]))
        environ = {f"MODELARTS_{name.upper()}": value for name, value in found["environment"].items()}
        environ["MODELARTS_CONFIG_FILE"] = str(file)
        config = Config.load("p" if is_named else None, environ=environ, **found["arguments"])  # type: ignore[arg-type]

    secret = {"password": config.password, "token": config.token}.get(config.login or "")
    origin = (secret or "arguments'").removesuffix("'s").removesuffix("'")
    for host in filter(None, (config.endpoint, config.iam_endpoint)):
        owner = next(source for source, region in REGIONS.items() if source in host or region in host)
        is_completed = owner == "arguments" and not {"endpoint", "iam_endpoint"} & found[origin].keys()
        assert origin == "arguments" or owner == origin or is_completed
