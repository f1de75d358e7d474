"""Settings: arguments, then the environment, then a profile."""

from dataclasses import fields
from pathlib import Path

import pytest

from modelarts_toolkit.config import ENVIRONMENT, Config, Settings
from modelarts_toolkit.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.touch()
    return file


def load(file: Path, profile: str | None = None, /, settings: Settings | None = None, **environ: str) -> Config:
    return Config.load(profile, environ={"MODELARTS_CONFIG_FILE": str(file), **environ}, **(settings or {}))


def test_every_setting_has_a_variable_and_a_place_in_the_config() -> None:
    assert set(ENVIRONMENT) == set(Settings.__annotations__) == {field.name for field in fields(Config)} - {"file"}


def test_an_argument_goes_before_the_environment_and_that_before_the_profile(file: Path) -> None:
    file.write_text('default_profile = "a"\n[profiles.a]\nusername = "file"\nregion = "file"\ndomain_name = "file"\n')

    config = load(file, settings={"username": "argument"}, OS_USERNAME="variable", MODELARTS_REGION="variable")

    assert (config.username, config.region, config.domain_name) == ("argument", "variable", "file")


def test_our_own_variables_go_before_those_of_others(file: Path) -> None:
    config = load(file, OS_USERNAME="theirs", MODELARTS_USERNAME="ours")

    assert config.username == "ours"


def test_an_empty_variable_counts_as_unset(file: Path) -> None:
    assert load(file, MODELARTS_USERNAME="", OS_USERNAME="theirs").username == "theirs"


def test_a_key_never_meets_a_secret_from_another_source(file: Path) -> None:
    """The half pair of MODELARTS_* is reported as incomplete, not completed from AWS_*."""
    config = load(file, MODELARTS_ACCESS_KEY="a", AWS_ACCESS_KEY_ID="b", AWS_SECRET_ACCESS_KEY="c")

    assert (config.access_key, config.secret_key) == ("a", None)


def test_a_session_token_of_another_key_is_left_alone(file: Path) -> None:
    config = load(file, MODELARTS_ACCESS_KEY="a", MODELARTS_SECRET_KEY="s", AWS_SESSION_TOKEN="t")

    assert config.security_token is None


@pytest.mark.parametrize("unit", ["pages", "RECORD", " page"])
def test_an_unknown_unit_of_the_offset_is_refused_from_every_source(file: Path, unit: str) -> None:
    with pytest.raises(ConfigError, match=f'offset_unit is "{unit}", which counts nothing: write page or record'):
        load(file, MODELARTS_OFFSET_UNIT=unit)
    file.write_text(f'[profiles.a]\noffset_unit = "{unit}"\n')
    with pytest.raises(ConfigError, match="page or record"):
        load(file, "a")


def test_the_unit_of_the_offset_comes_from_any_source(file: Path) -> None:
    file.write_text('default_profile = "a"\n[profiles.a]\noffset_unit = "page"\n')

    assert load(file).offset_unit == "page"
    assert load(file, MODELARTS_OFFSET_UNIT="record").offset_unit == "record"
    assert load(file, None, {"offset_unit": "page"}, MODELARTS_OFFSET_UNIT="record").offset_unit == "page"


def test_the_keys_of_other_clients_are_understood(file: Path) -> None:
    sdk = load(file, HUAWEICLOUD_SDK_AK="a", HUAWEICLOUD_SDK_SK="s", HUAWEICLOUD_SDK_PROJECT_ID="p")
    aws = load(file, AWS_ACCESS_KEY_ID="b", AWS_SECRET_ACCESS_KEY="t", AWS_ENDPOINT_URL_S3="http://127.0.0.1:1")

    assert (sdk.access_key, sdk.secret_key, sdk.project_id) == ("a", "s", "p")
    assert (aws.access_key, aws.secret_key, aws.obs_endpoint) == ("b", "t", "http://127.0.0.1:1")


def test_a_project_name_given_as_argument_leaves_the_id_of_the_environment_out(file: Path) -> None:
    config = load(file, settings={"project_name": "other"}, MODELARTS_PROJECT_ID="id-of-local", OS_PROJECT_NAME="local")

    assert (config.project_name, config.project_id) == ("other", None)


def test_project_id_and_name_may_come_from_two_variables(file: Path) -> None:
    config = load(file, MODELARTS_PROJECT_ID="id", OS_PROJECT_NAME="local")

    assert (config.project_id, config.project_name) == ("id", "local")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://iam.example.com/v3", "https://iam.example.com"),
        ("https://iam.example.com/v3/", "https://iam.example.com"),
        ("http://127.0.0.1:9180", "http://127.0.0.1:9180"),
    ],
)
def test_an_auth_url_may_end_in_its_version(file: Path, given: str, expected: str) -> None:
    assert load(file, OS_AUTH_URL=given).iam_endpoint == expected


@pytest.mark.parametrize("url", ["modelarts.example.com", "ftp://example.com", "https://", "localhost:9180"])
def test_an_endpoint_that_is_no_url_is_refused_by_name(file: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="endpoint is no URL"):
        load(file, MODELARTS_ENDPOINT=url)


def test_an_endpoint_with_credentials_is_refused_without_repeating_them(file: Path) -> None:
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


def test_a_file_without_a_default_profile_sets_nothing_by_itself(file: Path) -> None:
    file.write_text('[profiles.a]\nregion = "a"\n')

    assert load(file).region is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no file"),
        ("profiles = [", "is not TOML"),
        ("profiles = 3", 'no profile "work" .* write'),
        ('[profiles.home]\nregion = "x"', r'no profile "work" .*\(there: home\)'),
        ('[profiles.work]\nreggion = "x"', "unknown setting of profile work .* reggion"),
        ("[profiles.work]\nregion = 3", "region must be a string, not int"),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(file: Path, text: str | None, message: str) -> None:
    file.unlink() if text is None else file.write_text(text)

    with pytest.raises(ConfigError, match=message):
        load(file, "work")


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"MODELARTS_CONFIG_FILE names .*nowhere\.toml, which is not there"):
        load(tmp_path / "nowhere.toml")


def test_the_usual_file_need_not_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    assert str(Config.load(environ={}).file).startswith(str(tmp_path))


def test_what_is_missing_is_named_with_its_variables_and_the_file(file: Path) -> None:
    with pytest.raises(ConfigError, match="not configured") as caught:
        load(file, MODELARTS_ENDPOINT="https://example.com").require("endpoint", "username", "password")

    text = str(caught.value)
    assert "username (MODELARTS_USERNAME or OS_USERNAME)" in text
    assert "MODELARTS_PASSWORD" in text
    assert "endpoint (" not in text
    assert str(file) in text


def test_a_misspelt_argument_is_refused(file: Path) -> None:
    with pytest.raises(ConfigError, match="unknown argument endpiont"):
        load(file, settings={"endpiont": "x"})  # type: ignore[typeddict-unknown-key]
