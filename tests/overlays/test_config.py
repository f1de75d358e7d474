"""Settings: where they come from, and what is never mixed."""

import re
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.conftest import PASSWORD, PROJECT, Service, Twin

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.config import ENVIRONMENT, Config, Settings
from modelarts_toolkit.urls import is_same_service


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.touch()
    return file


def load(file: Path, profile: str | None = None, /, settings: Any = None, **environ: str) -> Config:
    return Config.load(profile, environ={"MODELARTS_CONFIG_FILE": str(file), **environ}, **(settings or {}))


def test_every_setting_has_a_variable_and_a_place_in_the_config() -> None:
    """Arguments, variables and the config know the same settings."""
    own = {field.name for field in fields(Config)} - {"file", "login", "sources"}

    assert set(ENVIRONMENT) == set(Settings.__annotations__) == own


def login(source: str) -> Settings:
    """A complete login whose values name the source that it is in."""
    return {
        "endpoint": f"https://{source}.example.com",
        "iam_endpoint": f"https://iam.{source}.example.com",
        "project_name": f"project of {source}",
        "username": f"user of {source}",
        "password": f"password of {source}",
        "domain_name": f"domain of {source}",
    }


def storage(source: str) -> Settings:
    """Complete settings of object storage, likewise."""
    return {
        "obs_endpoint": f"https://obs.{source}.example.com",
        "access_key": f"key of {source}",
        "secret_key": f"secret of {source}",
    }


def as_variables(settings: Settings) -> dict[str, str]:
    return {f"MODELARTS_{name.upper()}": str(value) for name, value in settings.items()}


def write(file: Path, head: str = "", **profiles: Settings) -> None:
    sections = (
        f"[profiles.{name}]\n" + "".join(f'{key} = "{value}"\n' for key, value in settings.items())
        for name, settings in profiles.items()
    )
    file.write_text(f"{head}\n{''.join(sections)}")


def used(config: Config, like: Settings) -> Settings:
    return {name: getattr(config, name) for name in like}  # type: ignore[return-value]


def test_the_sources_go_in_order_of_how_explicit_they_are(file: Path) -> None:
    """Arguments, then a profile named explicitly, then the environment, then the default profile."""
    write(file, 'default_profile = "usual"', usual=login("usual"), named=login("named"))
    variables = as_variables(login("environment"))

    assert used(load(file), login("usual")) == login("usual")
    assert used(load(file, **variables), login("usual")) == login("environment")
    assert used(load(file, "named", **variables), login("usual")) == login("named")
    assert used(load(file, "named", login("arguments"), **variables), login("usual")) == login("arguments")


def test_the_password_of_a_named_profile_is_never_sent_to_a_host_of_the_environment(
    file: Path, twin: Twin, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen on the wire: every request goes to a host of the profile, whatever the environment names."""
    write(file, prod=login("prod") | {"password": PASSWORD, "project_id": PROJECT})
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(file))
    for name in ("OS_AUTH_URL", "MODELARTS_ENDPOINT", "MODELARTS_IAM_ENDPOINT"):
        monkeypatch.setenv(name, "https://other.example.org/v3")

    twin.do(
        lambda ma: ma.v2.training_jobs.show_training_job_details("j"),
        profile="prod",
        transport=twin.transport(service),
    )

    assert [request.url.host for request in service.requests] == ["iam.prod.example.com", "prod.example.com"]
    assert b"user of prod" in service.requests[0].content


PROFILES = 'default_profile = "a"\n' + "".join(f'[profiles.{x}]\nregion = "{x}"\n' for x in "abc")
WORK = '[profiles.work]\niam_endpoint = "https://iam.c.example.com"\nusername = "u"\npassword = "p"\n'
IDENTITY_SERVICES = {"OS_AUTH_URL": "https://a.example.com/v3", "MODELARTS_IAM_ENDPOINT": "https://b.example.com"}
USER = {"OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_USER_DOMAIN_NAME": "d"}
OF_STORAGE = {"MODELARTS_OBS_ENDPOINT": "https://obs.example.com", "MODELARTS_ACCESS_KEY": "a"}
VENDOR = {f"HUAWEICLOUD_SDK_{name}": name for name in ("AK", "SK", "SECURITY_TOKEN")}
CASES: list[tuple[str, str, str | None, Any, dict[str, str], dict[str, Any]]] = [
    ("keys of the vendor's client", "", None, {}, VENDOR,
     {"access_key": "AK", "secret_key": "SK", "security_token": "SECURITY_TOKEN"}),
    ("an argument leaves the id of the environment out", "", None, {"project_name": "other"},
     {"MODELARTS_PROJECT_ID": "id-of-local", "OS_PROJECT_NAME": "local"},
     {"project_name": "other", "project_id": None}),
    ("the default profile of the file", PROFILES, None, {}, {}, {"region": "a"}),
    ("a profile by variable before the default", PROFILES, None, {}, {"MODELARTS_PROFILE": "b"}, {"region": "b"}),
    ("a profile by argument before the variable", PROFILES, "c", {}, {"MODELARTS_PROFILE": "b"}, {"region": "c"}),
    ("numbers of a profile", "[profiles.a]\nretries = 0\ntimeout_s = 2.5\n", "a", {}, {},
     {"retries": 0, "timeout_s": 2.5}),
    ("a number of a variable", "", None, {}, {"MODELARTS_RETRIES": "3"}, {"retries": 3}),
    ("0 as an argument", "", None, {"retries": 0}, {"MODELARTS_RETRIES": "5"}, {"retries": 0}),
    ("variables that are not used may contradict each other", WORK, "work", {},
     {"OS_USERNAME": "other", "OS_PASSWORD": "other", **IDENTITY_SERVICES},
     {"iam_endpoint": "https://iam.c.example.com", "password": "p"}),
    ("the password of the identity service that is named with it", "", None, {},
     {"MODELARTS_USERNAME": "u", "MODELARTS_PASSWORD": "p", **IDENTITY_SERVICES},
     {"iam_endpoint": "https://b.example.com"}),
    ("the token of the identity service that is named with it", "", None, {},
     {"MODELARTS_TOKEN": "t", **IDENTITY_SERVICES}, {"login": "token"}),
    ("a region beside object storage", "", None, {}, {**OF_STORAGE, "MODELARTS_REGION": "eu-de"}, {"region": "eu-de"}),
    ("a region as argument before that", "", None, {"region": "eu-nl"}, {**OF_STORAGE, "MODELARTS_REGION": "eu-de"},
     {"region": "eu-nl"}),
    ("a password that is asked for completes a profile", '[profiles.work]\nusername = "u"\n', "work",
     {"password": "typed"}, {"OS_PASSWORD": "stray", "OS_USERNAME": "stray"}, {"username": "u", "password": "typed"}),
    ("an empty variable counts as unset", "", None, {}, {"MODELARTS_USERNAME": "", **USER}, {"username": "u"}),
    ("another user as argument comes without the password of the first", "", None, {"username": "other"}, USER,
     {"username": "other", "password": None}),
    ("a variable that repeats a profile's value is no contradiction", WORK, None, {},
     {"MODELARTS_PROFILE": "work", "OS_USERNAME": "u"}, {"password": "p"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "profile", "settings", "environ", "expected"), [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])  # fmt: skip
def test_which_value_is_used(
    file: Path, text: str, profile: str | None, settings: Any, environ: dict[str, str], expected: dict[str, Any]
) -> None:
    file.write_text(text)
    config = load(file, profile, settings, **environ)

    assert {name: getattr(config, name) for name in expected} == expected


REGIONS = {"arguments": "eu-de", "profile": "cn-north-1", "environment": "cn-north-4"}
SOME = st.sets(st.sampled_from([*login(""), *storage(""), "token", "region"]))
HOSTS_OF_THE_LOGIN = ("endpoint", "iam_endpoint")


def named_after(source: str, names: set[str]) -> dict[str, Any]:
    """Settings whose values name their source."""
    values: dict[str, Any] = {**login(source), **storage(source), "token": f"token of {source}"}
    values["region"] = REGIONS[source]
    return {name: value for name, value in values.items() if name in names}


@settings(max_examples=160, deadline=None, derandomize=True)
@given(st.tuples(SOME, SOME, SOME), st.sampled_from(["", "argument", "default"]))
def test_a_secret_goes_only_to_hosts_of_its_own_source(present: tuple[set[str], ...], chosen: str) -> None:
    """Whatever is set where, a secret that is not an argument comes with the hosts and the user of its source.

    Save for a region given as an argument, where the source of the secret names no host at all.
    """
    found = {source: named_after(source, names) for source, names in zip(REGIONS, present, strict=True)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config.toml")
        write(file, 'default_profile = "p"' if chosen == "default" else "", p=found["profile"])  # type: ignore[arg-type]
        variables = as_variables(found["environment"])  # type: ignore[arg-type]
        config = load(file, "p" if chosen == "argument" else None, found["arguments"], **variables)

    keys = ("obs_endpoint", *(HOSTS_OF_THE_LOGIN if config.login == "keys" else ()))
    sent = {"secret_key": keys, config.login: HOSTS_OF_THE_LOGIN} if config.login else {"secret_key": keys}
    for secret, hosts in sent.items():
        origin = (getattr(config, str(secret), None) or "of arguments").rpartition(" ")[2]
        for host in filter(None, (getattr(config, name) for name in hosts)):
            owner = next(source for source, region in REGIONS.items() if source in host or region in host)
            is_completed = owner == "arguments" and not {*hosts} & found[origin].keys()
            assert origin in ("arguments", owner) or is_completed, (secret, host)
    for user, secret in (("username", "password"), ("access_key", "secret_key")):
        if getattr(config, user) and getattr(config, secret):
            origins = {getattr(config, name).rpartition(" ")[2] for name in (user, secret)}
            assert len(origins) == 1 or found["arguments"].get(secret), origins  # a secret that is typed in


def test_object_storage_and_project_come_from_no_source_below_the_login(file: Path) -> None:
    """Jobs on one cloud and their data on another are nobody's wish."""
    write(file, prod={name: value for name, value in login("prod").items() if name != "project_name"})  # type: ignore[arg-type]
    variables = as_variables(storage("emulator")) | {"MODELARTS_PROJECT_ID": "emulator"}

    config = load(file, "prod", None, **variables)

    assert (config.obs_endpoint, config.secret_key, config.project_id) == (None, None, None)
    with pytest.raises(ConfigError, match=r"MODELARTS_PROJECT_ID\), but the login comes from elsewhere"):
        config.require("project_id")


def test_variables_of_aws_set_nothing(file: Path) -> None:
    """They are those of another service, wherever their endpoint is."""
    aws = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "us-east-1"}

    assert load(file, **aws, AWS_ENDPOINT_URL_S3="http://127.0.0.1:9181") == load(file)


def test_a_key_never_meets_a_secret_of_another_client(file: Path) -> None:
    """The half pair of MODELARTS_* is reported as incomplete, not completed from HUAWEICLOUD_SDK_*."""
    others = {f"HUAWEICLOUD_SDK_{name}": "theirs" for name in ("AK", "SK", "SECURITY_TOKEN")}

    config = load(file, MODELARTS_ACCESS_KEY="a", **others)

    assert (config.access_key, config.secret_key, config.security_token) == ("a", None, None)
    with pytest.raises(ConfigError, match="HUAWEICLOUD_SDK_SK is not used, because MODELARTS_ACCESS_KEY is set"):
        config.require("secret_key")


def keys(source: str) -> Settings:
    """Complete settings of a login by signatures, likewise."""
    return {"endpoint": f"https://{source}.example.com", "project_id": "p", "access_key": source, "secret_key": "s"}


def test_the_way_to_log_in_is_the_first_that_a_source_has(file: Path) -> None:
    """Token, then password, then keys; arguments decide before any other source."""
    variables = as_variables(login("environment") | {"access_key": "a", "secret_key": "s"})
    pair: Settings = {"access_key": "a", "secret_key": "s"}

    assert load(file, **variables).login == "password"
    assert load(file, **variables, MODELARTS_TOKEN="t").login == "token"
    assert load(file, None, {"token": "t"}, **variables).login == "token"
    assert load(file, None, pair, **variables).login == "keys"
    assert load(file, None, pair | {"obs_endpoint": "https://obs.example.com"}, **variables).login == "password"
    assert load(file, **as_variables(keys("environment"))).login == "keys"
    assert load(file).login is None


def test_keys_log_in_only_at_the_endpoint_of_their_own_source(file: Path) -> None:
    """The error names the source of the keys."""
    write(file, work=keys("work"))
    assert load(file, "work", MODELARTS_ENDPOINT="https://other.example.com").require_login() == "keys"
    write(file, work={"access_key": "AK", "secret_key": "s"})

    config = load(file, "work", MODELARTS_ENDPOINT="https://other.example.com", MODELARTS_PROJECT_ID="p")

    with pytest.raises(ConfigError, match='access_key is set by profile "work", but it is not the source of the end'):
        config.require_login()


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

    shown = repr(load(file, settings=settings, MODELARTS_PROXY="http://me:hunter5@proxy.example.com"))

    assert not [secret for secret in (*settings.values(), "hunter5") if str(secret) in shown]


def test_the_usual_file_need_not_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    assert str(Config.load(environ={}).file).startswith(str(tmp_path))


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
    auth: {ak: AK, access_key: other, sk: SK, project_id: 42, tenant_id: 43}
    region_name: eu-de
    cacert: /etc/ca.pem
"""


@pytest.fixture
def clouds_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    clouds_file = tmp_path / "clouds.yaml"
    clouds_file.write_text(CLOUDS)
    (tmp_path / "secure.yaml").write_text("clouds: {otc: {auth: {password: hunter2}}}")
    return clouds_file


def load_cloud(cloud: str | None = None, profile: str | None = None, **environ: str) -> Config:
    return Config.load(profile, cloud=cloud, environ=environ)


def test_a_cloud_is_a_complete_login_with_the_secrets_of_the_file_beside_it(clouds_file: Path) -> None:
    """Also beside variables of the environment, of which nothing reaches its hosts."""
    config = load_cloud("otc", OS_USERNAME="other", OS_PASSWORD="other", OS_AUTH_URL="https://other.example.com")

    assert config.require_login() == "password"
    assert (config.username, config.password, config.domain_name) == ("someone", "hunter2", "account")
    assert (config.project_name, config.region) == ("eu-de_team", "eu-de")
    assert config.iam_endpoint == "https://iam.eu-de.otc.t-systems.com"
    assert config.endpoint == "https://modelarts.eu-de.otc.t-systems.com"


def test_a_cloud_may_have_keys(clouds_file: Path) -> None:
    """Of two names of a setting the first one counts, the usual one of such clouds."""
    config = load_cloud("keys")

    assert config.require_login() == "keys"
    assert [config.access_key, config.secret_key, config.project_id, config.ca_bundle] == [
        "AK",
        "SK",
        "42",
        "/etc/ca.pem",
    ]


def test_the_cloud_of_the_environment_fills_in_where_nothing_else_is_set(clouds_file: Path) -> None:
    other = {"MODELARTS_ENDPOINT": "https://x.example.com", "OS_USERNAME": "other"}

    assert load_cloud(OS_CLOUD="otc").username == "someone"
    assert load_cloud(OS_CLOUD="otc", **other).username == "other"
    assert load_cloud(OS_CLOUD="nowhere", **other).username == "other"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, 'cloud "otc" not found: no file clouds.yaml, '),
        ("clouds: {a: {}, b: {}}", 'no cloud "otc" in clouds.yaml; available: a, b'),
        ("- 1", 'no cloud "otc" in clouds.yaml; available: none'),
        ("clouds:\n  otc: {auth: {password: hunter2", r"clouds.yaml is not valid YAML \(line \d\)$"),
    ],
)
def test_a_cloud_that_cannot_be_used_says_why(clouds_file: Path, text: str | None, message: str) -> None:
    """Without a word of the file, which has secrets in it."""
    clouds_file.unlink() if text is None else clouds_file.write_text(text)

    with pytest.raises(ConfigError, match=message) as caught:
        load_cloud("otc")

    assert "hunter2" not in str(caught.value)


def test_without_the_library_the_error_says_what_to_install(clouds_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)

    with pytest.raises(ConfigError, match=re.escape(install_command("openstack"))):
        load_cloud("otc")


SAME = "http://127.0.0.1:9180"


@pytest.mark.parametrize(
    ("url", "other", "is_same"),
    [
        (SAME, SAME, True),
        (SAME, f"{SAME}/", True),
        (SAME, "HTTP://127.0.0.1:9180//", True),
        (SAME, "http://localhost:9180", True),
        ("http://LOCALHOST:9180/", SAME, True),
        ("http://[::1]:9180", "http://localhost:9180", True),
        ("http://[::1]:9180", SAME, False),
        (SAME, "http://127.0.0.1:9181", False),
        (SAME, "https://127.0.0.1:9180", False),
        (SAME, f"{SAME}/path", False),
        (SAME, "http://modelarts.example:9180", False),
        ("http://localhost:9180", "http://modelarts.example:9180", False),
        ("http://localhost.example:9180", SAME, False),
        ("", SAME, False),
    ],
)
def test_urls_of_one_server_are_compared_by_what_they_lead_to(url: str, other: str, is_same: bool) -> None:
    """Addresses of this machine differ, and localhost is any of them."""
    assert is_same_service(url, other) is is_same
    assert is_same_service(other, url) is is_same


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {}\t", "\ufeff{}"])
@pytest.mark.parametrize(
    "variable", ["MODELARTS_PROFILE", "MODELARTS_CONFIG_FILE", "OS_CLOUD", "OS_CLIENT_CONFIG_FILE"]
)
def test_what_is_around_a_variable_does_not_count_whatever_it_names(
    tmp_path: Path, file: Path, variable: str, around: str
) -> None:
    """As around the variables of settings, a file that a shell or a container reads adds it."""
    clouds = tmp_path / "clouds.yaml"
    clouds.write_text("clouds: {named: {auth: {username: user of cloud, password: x}}}")
    write(file, named=login("named"))
    environ = {"MODELARTS_CONFIG_FILE": str(file), "MODELARTS_PROFILE": "named"}
    if variable.startswith("OS_"):
        environ = {"MODELARTS_CONFIG_FILE": str(tmp_path / "none"), "OS_CLOUD": "named"}
        environ |= {"OS_CLIENT_CONFIG_FILE": str(clouds)}
        (tmp_path / "none").touch()
    environ[variable] = around.format(environ[variable])

    found = Config.load(environ=environ)

    assert found.username == ("user of cloud" if variable.startswith("OS_") else "user of named")
