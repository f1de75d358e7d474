"""What errors about settings say: the fact with its source, then the remedy."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import PASSWORD, PROJECT, Service, Twin
from tests.overlays.test_config import load

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.config import ENVIRONMENT, Config
from modelarts_toolkit.settings.endpoints import DOMAINS

UNMIXED = "settings that belong together come from one source"
SETTINGS = ", ".join(ENVIRONMENT)
REMEDY = "Set the environment variables, pass the names as arguments, or write them into a profile in {file}."
INSTEAD = "You can use a token, or an access key and secret key, instead of a password."
UNKNOWN_SETTING = f"unknown setting of profile work in {{file}}: reggion: the settings are {SETTINGS}"
USER = {"OS_AUTH_URL": "https://iam.a.example.com/v3", "OS_USERNAME": "u", "OS_PASSWORD": "p"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.touch()
    return file


@pytest.mark.parametrize(
    ("settings", "environ", "message"),
    [
        ({"timeout_s": "soon"}, {}, "timeout_s must be a number of at least 0.001, not 'soon'"),
        ({}, {"MODELARTS_TIMEOUT_S": "0"}, "timeout_s must be a number of at least 0.001, not '0'"),
        ({"retries": -1}, {}, "retries must be an integer of at least 0, not '-1'"),
        ({}, {"MODELARTS_RETRIES": "1.5"}, "retries must be an integer of at least 0, not '1.5'"),
        ({"retries": True}, {}, "argument retries must be a number, not bool"),
        ({"region": 3}, {}, "argument region must be a string, not int"),
        ({"endpiont": "x"}, {}, f"unknown argument endpiont: the settings are {SETTINGS}"),
        (
            {},
            {"MODELARTS_PROXY": "ftp://x"},
            "proxy must start with one of http://, https://, socks5://, socks5h://",
        ),
        ({"offset_unit": "pages"}, {}, 'offset_unit must be "page" or "record", not "pages"'),
        ({"cloud": "y"}, {}, 'profile "work" and cloud "y" are two sources of the same settings: give one'),
        (
            {},
            {**USER, "MODELARTS_IAM_ENDPOINT": "https://iam.b.example.com"},
            "MODELARTS_IAM_ENDPOINT and OS_AUTH_URL name different identity services, and the password is the one for "
            "OS_AUTH_URL: unset one of them, or set MODELARTS_USERNAME and MODELARTS_PASSWORD",
        ),
        (
            {},
            {
                "OS_TOKEN": "t",
                "OS_AUTH_URL": "https://iam.a.example.com/v3",
                "MODELARTS_IAM_ENDPOINT": "https://iam.b.example.com",
            },
            "MODELARTS_IAM_ENDPOINT and OS_AUTH_URL name different identity services, and the token is the one for "
            "OS_AUTH_URL: unset one of them, or set MODELARTS_TOKEN",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_what_is_expected(
    file: Path, settings: dict[str, Any], environ: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(file, "work" if "cloud" in settings else None, settings, **environ)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, 'no profile "work" in {file}; available: none. Add a section [profiles.work]'),
        ("profiles = 3", 'no profile "work" in {file}; available: none. Add a section [profiles.work]'),
        ("", 'no profile "work" in {file}; available: none. Add a section [profiles.work]'),
        ("[profiles.a]\n[profiles.b]", 'no profile "work" in {file}; available: a, b. Add a section [profiles.work]'),
        ("[profiles]\nwork = 3", 'no profile "work" in {file}; available: none. Add a section [profiles.work]'),
        ('[profiles.work]\nreggion = "x"', UNKNOWN_SETTING),
        ("[profiles.work]\nregion = 3", "setting of profile work in {file}: region must be a string, not int"),
    ],
)
def test_a_profile_that_cannot_be_used_is_named_with_its_file(file: Path, text: str | None, message: str) -> None:
    file.unlink() if text is None else file.write_text(text)

    with pytest.raises(ConfigError) as caught:
        load(file, "work", {})

    assert str(caught.value) == message.format(file=file)


def test_a_file_that_cannot_be_read_is_named_with_the_reason(file: Path) -> None:
    file.write_bytes(b'default_profile = "\xff"')
    with pytest.raises(ConfigError, match=rf"^{file} cannot be read: 'utf-8' codec can't decode byte 0xff"):
        load(file, None, {})
    file.write_text("profiles = [")
    with pytest.raises(ConfigError, match=rf"^{file} is not valid TOML: "):
        load(file, None, {})
    file.unlink()
    with pytest.raises(
        ConfigError, match=rf"^MODELARTS_CONFIG_FILE is {file}, which does not exist: create it, or unset it$"
    ):
        load(file, None, {})


@pytest.mark.parametrize(
    ("variable", "name"), [("OS_PROJECT_NAME", "project_name"), ("MODELARTS_USERNAME", "username")]
)
def test_a_contradiction_between_a_profile_and_a_variable_names_both(file: Path, variable: str, name: str) -> None:
    file.write_text('[profiles.work]\nproject_name = "a"\nusername = "u"\n')

    with pytest.raises(ConfigError) as caught:
        load(file, None, {}, MODELARTS_PROFILE="work", **{variable: "other"})

    assert str(caught.value) == (
        f'MODELARTS_PROFILE names profile "work", and {variable} sets another {name}: unset one of them, '
        "or choose the profile by the argument `profile`, which takes precedence over the environment"
    )


@pytest.mark.parametrize(
    ("settings", "environ", "names", "facts"),
    [
        (
            {},
            {"MODELARTS_ENDPOINT": "https://x.example.com"},
            ("username", "password"),
            "username (MODELARTS_USERNAME or OS_USERNAME), password (MODELARTS_PASSWORD or OS_PASSWORD). " + INSTEAD,
        ),
        (
            {},
            {"MODELARTS_TOKEN": "t"},
            ("project_id",),
            "project_id (MODELARTS_PROJECT_ID or OS_PROJECT_ID).",
        ),
        (
            {"endpoint": "https://x.example.com"},
            USER,
            ("username", "password"),
            "username (MODELARTS_USERNAME or OS_USERNAME), password (MODELARTS_PASSWORD or OS_PASSWORD). "
            f"username is set by the environment (OS_USERNAME), but the login comes from the arguments: {UNMIXED}. "
            f"password is set by the environment (OS_PASSWORD), but the login comes from the arguments: {UNMIXED}. "
            + INSTEAD,
        ),
        (
            {"username": "other"},
            USER,
            ("password",),
            "password (MODELARTS_PASSWORD or OS_PASSWORD). password is set by the environment (OS_PASSWORD), but the "
            f"login comes from the environment (OS_AUTH_URL) and the arguments: {UNMIXED}. " + INSTEAD,
        ),
        (
            {"endpoint": "https://x.example.com"},
            {"MODELARTS_PROJECT_ID": "p"},
            ("project_id",),
            "project_id (MODELARTS_PROJECT_ID or OS_PROJECT_ID). project_id is set by the environment "
            f"(MODELARTS_PROJECT_ID), but the login comes from elsewhere: {UNMIXED}.",
        ),
        (
            {},
            {"OS_TOKEN": "t", "MODELARTS_USERNAME": "u"},
            ("token",),
            f"token (MODELARTS_TOKEN or OS_TOKEN). OS_TOKEN is not used, because MODELARTS_USERNAME is set: {UNMIXED}.",
        ),
        (
            {"region": "xx-1"},
            USER,
            ("endpoint",),
            "endpoint (MODELARTS_ENDPOINT). The endpoints of region xx-1 are not known "
            f"(only {', '.join(DOMAINS)}): give them.",
        ),
    ],
)
def test_what_is_missing_is_named_with_where_it_is_set_and_why_that_is_not_used(
    file: Path, settings: dict[str, Any], environ: dict[str, str], names: tuple[str, ...], facts: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(file, None, settings, **environ).require(*names)

    assert str(caught.value) == f"not configured: {facts} {REMEDY.format(file=file)}"


NAMES_OF_USER = {"OS_USERNAME": "u", "OS_PASSWORD": PASSWORD, "OS_USER_DOMAIN_NAME": "d"}
EU_DE = {
    "endpoint": "https://modelarts.eu-de.otc.t-systems.com",
    "iam_endpoint": "https://iam.eu-de.otc.t-systems.com",
    "obs_endpoint": "https://obs.eu-de.otc.t-systems.com",
}


def hosts(config: Config) -> dict[str, str | None]:
    return {name: getattr(config, name) for name in EU_DE}


def test_a_region_alone_is_enough_for_the_user_of_the_environment(
    twin: Twin, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project is the one that is called as the region is."""
    for name, value in NAMES_OF_USER.items():
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


@pytest.mark.parametrize("source", ["arguments", "environment", "profile"])
def test_a_region_with_keys_is_a_login_in_every_source(file: Path, source: str) -> None:
    """It goes before a complete login of a lower source."""
    settings = {"region": "eu-de", "access_key": "a", "secret_key": "s", "project_id": "p"}
    variables = {f"MODELARTS_{name.upper()}": value for name, value in settings.items()}
    profile = "[profiles.work]\n" + "".join(f'{name} = "{value}"\n' for name, value in settings.items())
    emulator = {"MODELARTS_ENDPOINT": "http://127.0.0.1:1", "OS_AUTH_URL": "http://127.0.0.1:1", **NAMES_OF_USER}

    file.write_text(profile)
    config = {
        "arguments": lambda: load(file, None, settings, **emulator),
        "environment": lambda: load(file, None, {}, **variables),
        "profile": lambda: load(file, "work", {}, **emulator),
    }[source]()

    assert hosts(config) == EU_DE
    assert config.require_login() == "keys"


@pytest.mark.parametrize("name", ["MODELARTS_ENDPOINT", "OS_AUTH_URL", "MODELARTS_OBS_ENDPOINT"])
def test_a_region_changes_nothing_where_an_endpoint_of_another_cloud_is_named(file: Path, name: str) -> None:
    """Such as the emulator's: no login of one reaches the other."""
    named = {name: "http://127.0.0.1:9180"}

    by_variable = load(file, None, {}, OS_REGION_NAME="eu-de", **named, **NAMES_OF_USER)
    by_argument = load(file, None, {"region": "eu-de"}, **named, **NAMES_OF_USER)

    assert {*filter(None, hosts(by_variable).values())} == {"http://127.0.0.1:9180"}
    assert {*filter(None, hosts(by_argument).values())} == {"http://127.0.0.1:9180"}


def test_a_stray_region_does_not_make_the_environment_the_source(file: Path) -> None:
    file.write_text('default_profile = "w"\n[profiles.w]\nendpoint = "https://x.example.com"\nusername = "u"\n')

    config = load(file, None, {}, OS_REGION_NAME="eu-de")

    assert (config.endpoint, config.iam_endpoint) == ("https://x.example.com", None)
