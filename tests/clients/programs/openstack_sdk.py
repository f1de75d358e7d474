"""openstacksdk and otcextensions with user and password, from the variables of the environment and otherwise."""

import os

import openstack
from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3
from otcextensions import sdk as otc
from outcomes import run

API = os.environ["MODELARTS_ENDPOINT"]
PROJECT = os.environ["MODELARTS_PROJECT_ID"]
REGION = os.environ["OS_REGION_NAME"]
USER = {
    "username": os.environ["OS_USERNAME"],
    "password": os.environ["OS_PASSWORD"],
    "user_domain_name": os.environ["OS_USER_DOMAIN_NAME"],
}


def _connection(path="/v3", **changes):
    auth = {"auth_url": f"{API}{path}", **USER, **changes}
    return openstack.connect(auth=auth, region_name=REGION, load_yaml_config=False, load_envvars=False)


IN_PROJECT = {
    "project_name": os.environ["OS_PROJECT_NAME"],
    "project_domain_name": os.environ["OS_PROJECT_DOMAIN_NAME"],
}


def the_environment_is_enough():
    connection = openstack.connect()

    assert connection.current_project_id == PROJECT
    assert [project.name for project in connection.identity.projects()] == [REGION]


def discovery_works_from_every_address():
    for path in ("", "/", "/v3", "/v3/"):
        assert _connection(path, **IN_PROJECT).authorize(), path


def every_scope_gives_a_token():
    for scope in (IN_PROJECT, {"project_id": PROJECT}, {"domain_name": USER["user_domain_name"]}, {}):
        assert _connection(**scope).authorize(), scope


def a_token_is_exchanged_checked_and_revoked():
    connection = _connection(**IN_PROJECT)
    token = connection.authorize()
    other = session.Session(v3.Token(auth_url=f"{API}/v3", token=token, project_id=PROJECT))
    exchanged = other.get_token()
    headers = {"X-Subject-Token": exchanged}

    assert exchanged != token
    assert connection.identity.get("/auth/tokens", headers=headers).json()["token"]["project"]["id"] == PROJECT
    assert connection.identity.head("/auth/tokens", headers=headers).status_code == 200
    assert connection.identity.delete("/auth/tokens", headers=headers).status_code == 204
    assert connection.identity.head("/auth/tokens", headers=headers).status_code == 404


def projects_and_regions_are_shown():
    identity = _connection(**IN_PROJECT).identity

    assert identity.get_project(PROJECT).name == REGION
    assert identity.find_project(REGION).id == PROJECT
    assert [region.id for region in identity.regions()] == [REGION]
    assert identity.get_region(REGION).id == REGION


def a_wrong_password_is_rejected():
    try:
        _connection(**IN_PROJECT, password="wrong").authorize()
    except (exceptions.Unauthorized, openstack.exceptions.SDKException) as error:
        message = str(error)
    else:
        message = "the password was accepted"

    assert "password is wrong" in message, message


def otcextensions_finds_its_services_and_lists_jobs():
    connection = openstack.connect()
    otc.register_otc_extensions(connection)

    jobs = list(connection.modelartsv1.training_jobs())
    flavors = connection.modelartsv2.get(f"{API}/v2/{PROJECT}/training-job-flavors")
    assert jobs == []
    assert flavors.json()["total_count"] > 0
    assert connection.modelartsv2.get_endpoint() == f"{API}/v2/{PROJECT}"
    assert connection.obs.get_endpoint() == os.environ["MODELARTS_OBS_ENDPOINT"]


def otcextensions_lists_the_built_in_algorithms():
    connection = openstack.connect()
    otc.register_otc_extensions(connection)

    models = list(connection.modelartsv1.builtin_models(sort_by="model_size", order="asc"))
    found = connection.modelartsv1.find_builtin_model("ResNet_v2_50", ignore_missing=False)
    assert [model.model_name for model in models] == ["ResNet_v2_50", "Faster_RCNN_ResNet_v2_101"]
    assert (found.model_id, found.engine_name) == (4, "MXNet")


run(globals())
