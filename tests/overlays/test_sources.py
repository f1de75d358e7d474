"""Where settings are read, and values that make no sense."""

from pathlib import Path
from typing import Any

import pytest
from tests.overlays.test_config import load

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.config import Config, Settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.touch()
    return file


def test_the_keys_of_the_vendor_s_client_are_understood(file: Path) -> None:
    config = load(file, HUAWEICLOUD_SDK_AK="a", HUAWEICLOUD_SDK_SK="s", HUAWEICLOUD_SDK_SECURITY_TOKEN="t")

    assert (config.access_key, config.secret_key, config.security_token) == ("a", "s", "t")


def test_a_project_name_given_as_argument_leaves_the_id_of_the_environment_out(file: Path) -> None:
    config = load(file, settings={"project_name": "other"}, MODELARTS_PROJECT_ID="id-of-local", OS_PROJECT_NAME="local")

    assert (config.project_name, config.project_id) == ("other", None)


def test_an_endpoint_with_credentials_is_rejected_without_repeating_them(file: Path) -> None:
    with pytest.raises(ConfigError, match="leave out user, password") as caught:
        load(file, MODELARTS_ENDPOINT="https://me:hunter2@example.com")

    assert "hunter2" not in str(caught.value)


def test_secrets_do_not_show(file: Path) -> None:
    settings: Settings = {
        "password": "hunter2",
        "access_key": "AKIA",
        "secret_key": "hunter3",
        "security_token": "hunter4",
    }

    shown = repr(load(file, settings=settings))

    assert not [secret for secret in settings.values() if str(secret) in shown]


def test_a_profile_is_chosen_by_argument_before_variable_before_the_default_of_the_file(file: Path) -> None:
    file.write_text('default_profile = "a"\n' + "".join(f'[profiles.{x}]\nregion = "{x}"\n' for x in "abc"))

    assert load(file).region == "a"
    assert load(file, MODELARTS_PROFILE="b").region == "b"
    assert load(file, "c", MODELARTS_PROFILE="b").region == "c"


def test_the_usual_file_need_not_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    assert str(Config.load(environ={}).file).startswith(str(tmp_path))


def test_numbers_come_from_every_source(file: Path) -> None:
    file.write_text("[profiles.a]\nretries = 0\ntimeout_s = 2.5\n")

    assert (load(file, "a").retries, load(file, "a").timeout_s) == (0, 2.5)
    assert load(file, MODELARTS_MAX_CONNECTIONS="3").max_connections == 3
    assert load(file, "a", {"retries": 0}, MODELARTS_RETRIES="5").retries == 0


def test_the_password_of_a_proxy_does_not_show(file: Path) -> None:
    assert "hunter2" not in repr(load(file, MODELARTS_PROXY="http://me:hunter2@proxy.example.com"))
    with pytest.raises(ConfigError, match="proxy must start with one of http://"):
        load(file, MODELARTS_PROXY="ftp://proxy.example.com")


def test_a_profile_is_used_although_the_variables_contradict_each_other(file: Path) -> None:
    """Variables that are not used are not checked."""
    file.write_text('[profiles.work]\niam_endpoint = "https://iam.c.example.com"\nusername = "u"\npassword = "p"\n')
    named = {"OS_AUTH_URL": "https://iam.a.example.com", "MODELARTS_IAM_ENDPOINT": "https://iam.b.example.com"}

    config = load(file, "work", OS_USERNAME="other", OS_PASSWORD="other", **named)

    assert (config.iam_endpoint, config.password) == ("https://iam.c.example.com", "p")


def test_a_region_as_argument_goes_before_that_of_the_object_storage(file: Path) -> None:
    storage = {"MODELARTS_OBS_ENDPOINT": "https://obs.example.com", "MODELARTS_ACCESS_KEY": "a"}

    assert load(file, **storage, MODELARTS_REGION="eu-de").region == "eu-de"
    assert load(file, settings={"region": "eu-nl"}, **storage, MODELARTS_REGION="eu-de").region == "eu-nl"


@pytest.mark.parametrize(
    ("settings", "login"),
    [({"token": "t"}, "token"), ({"username": "u"}, "password"), ({"access_key": "a", "secret_key": "s"}, "keys")],
)
def test_settings_that_are_given_to_the_config_itself_log_in_likewise(settings: Any, login: str) -> None:
    complete: Any = {"iam_endpoint": "https://iam.example.com", "password": "p", "domain_name": "d"}
    config = Config(
        endpoint="https://x.example.com", project_id="p", **(complete if "username" in settings else {}), **settings
    )

    assert config.require_login() == login


def test_the_domain_of_another_source_does_not_complete_a_region(file: Path) -> None:
    """The password of the environment would go to a host that the default profile names."""
    file.write_text('default_profile = "w"\n[profiles.w]\nendpoint_domain = "elsewhere.example.com"\n')

    config = load(file, settings={"region": "xx-1"}, OS_USERNAME="u", OS_PASSWORD="p", OS_USER_DOMAIN_NAME="d")

    assert (config.endpoint, config.iam_endpoint, config.password) == (None, None, "p")
