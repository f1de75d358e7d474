"""OpenStack's clouds.yaml as a source of settings."""

import re
import sys
from pathlib import Path

import pytest

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.config import Config

CLOUDS = """
clouds:
  otc:
    auth:
      auth_url: https://iam.eu-de.otc.t-systems.com/v3
      username: someone
      user_domain_name: account
      project_name: eu-de_team
    region_name: eu-de
  keys:
    auth: {ak: AK, sk: SK, project_id: 42}
    region_name: eu-de
    cacert: /etc/ca.pem
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "clouds.yaml"
    file.write_text(CLOUDS)
    (tmp_path / "secure.yaml").write_text("clouds: {otc: {auth: {password: hunter2}}}")
    return file


def load(cloud: str | None = None, profile: str | None = None, **environ: str) -> Config:
    return Config.load(profile, cloud=cloud, environ=environ)


def test_a_cloud_is_a_complete_login_with_the_secrets_of_the_file_beside_it(file: Path) -> None:
    config = load("otc")

    assert config.require_login() == "password"
    assert (config.username, config.password, config.domain_name) == ("someone", "hunter2", "account")
    assert (config.project_name, config.region) == ("eu-de_team", "eu-de")
    assert config.iam_endpoint == "https://iam.eu-de.otc.t-systems.com"
    assert config.endpoint == "https://modelarts.eu-de.otc.t-systems.com"


def test_a_cloud_may_have_keys(file: Path) -> None:
    config = load("keys")

    assert config.require_login() == "keys"
    assert (config.access_key, config.secret_key, config.project_id, config.ca_bundle) == (
        "AK",
        "SK",
        "42",
        "/etc/ca.pem",
    )


def test_a_cloud_named_as_argument_goes_before_the_environment(file: Path) -> None:
    """Nothing of the environment reaches its hosts."""
    config = load("otc", OS_USERNAME="other", OS_PASSWORD="other", OS_AUTH_URL="https://other.example.com")

    assert (config.username, config.password) == ("someone", "hunter2")


def test_the_cloud_of_the_environment_fills_in_where_nothing_else_is_set(file: Path) -> None:
    other = {"MODELARTS_ENDPOINT": "https://x.example.com", "OS_USERNAME": "other"}

    assert load(OS_CLOUD="otc").username == "someone"
    assert load(OS_CLOUD="otc", **other).username == "other"
    assert load(OS_CLOUD="nowhere", **other).username == "other"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, 'cloud "otc" not found: no file clouds.yaml, '),
        ("clouds: {a: {}, b: {}}", 'no cloud "otc" in clouds.yaml; available: a, b'),
        ("- 1", 'no cloud "otc" in clouds.yaml; available: none'),
        ("clouds:\n  otc: {auth: {password: hunter2", r"clouds.yaml is not valid YAML \(line \d\)$"),
    ],
)
def test_a_cloud_that_cannot_be_used_says_why(file: Path, text: str | None, message: str) -> None:
    """Without a word of the file, which has secrets in it."""
    file.unlink() if text is None else file.write_text(text)

    with pytest.raises(ConfigError, match=message) as caught:
        load("otc")

    assert "hunter2" not in str(caught.value)


def test_without_the_library_the_error_says_what_to_install(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)

    with pytest.raises(ConfigError, match=re.escape(install_command("openstack"))):
        load("otc")
