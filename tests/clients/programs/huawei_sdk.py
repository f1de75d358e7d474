"""Huawei's SDK with access key and secret key: it signs every request, and looks its project up."""

import os
import time

from huaweicloudsdkcore.auth.credentials import BasicCredentials
from huaweicloudsdkcore.exceptions.exceptions import ClientRequestException
from huaweicloudsdkcore.region.region import Region
from huaweicloudsdkmodelarts.v1 import (
    CreateAlgorithmRequest,
    CreateTrainingJobRequest,
    DeleteTrainingJobRequest,
    ListAlgorithmsRequest,
    ListTrainingJobEventsRequest,
    ListTrainingJobsRequest,
    ModelArtsClient,
    ShowTrainingJobDetailsRequest,
    ShowTrainingJobEnginesRequest,
    ShowTrainingJobFlavorsRequest,
)
from outcomes import ACCESS_KEY, SECRET_KEY, run, unique

API = os.environ["MODELARTS_ENDPOINT"]
PROJECT = os.environ["MODELARTS_PROJECT_ID"]
REGION = os.environ["OS_REGION_NAME"]


def _client(credentials=None):
    keys = credentials or BasicCredentials(ACCESS_KEY, SECRET_KEY, PROJECT)
    return ModelArtsClient.new_builder().with_credentials(keys).with_endpoints([API]).build()


CLIENT = _client()
BODY = {
    "kind": "job",
    "metadata": {"name": unique("huawei"), "annotations": {"emulator/duration": "0"}},
    "algorithm": {"engine": {"image_url": "training/any:1"}, "command": "true"},
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
}


def _rejection(client, call, request):
    try:
        getattr(client, call)(request)
    except ClientRequestException as error:
        return error.status_code, error.error_code
    raise AssertionError(f"{call} was not rejected")


def _events(job_id):
    """The job's first events, which come once it is placed."""
    request = ListTrainingJobEventsRequest(training_job_id=job_id, limit=5)
    give_up = time.monotonic() + 300
    while not (events := CLIENT.list_training_job_events(request).events) and time.monotonic() < give_up:
        time.sleep(0.1)
    return events


def flavors_and_engines_are_listed():
    flavors = CLIENT.show_training_job_flavors(ShowTrainingJobFlavorsRequest(flavor_type="CPU"))
    engines = CLIENT.show_training_job_engines(ShowTrainingJobEnginesRequest())

    assert flavors.total_count == len(flavors.flavors) > 0
    assert engines.total == len(engines.items) > 0


def a_job_is_created_shown_listed_and_deleted():
    job = CLIENT.create_training_job(CreateTrainingJobRequest(body=BODY))
    shown = CLIENT.show_training_job_details(ShowTrainingJobDetailsRequest(training_job_id=job.metadata.id))
    listed = CLIENT.list_training_jobs(ListTrainingJobsRequest(body={"limit": 1, "sort_by": "name"}))
    events = _events(job.metadata.id)
    CLIENT.delete_training_job(DeleteTrainingJobRequest(training_job_id=job.metadata.id))
    gone = _rejection(
        CLIENT, "show_training_job_details", ShowTrainingJobDetailsRequest(training_job_id=job.metadata.id)
    )

    assert shown.metadata.name == BODY["metadata"]["name"]
    assert listed.total >= 1
    assert events
    assert gone == (400, "ModelArts.2775")


def queries_are_signed():
    found = CLIENT.list_algorithms(ListAlgorithmsRequest(limit=1, offset=0, searches="name:a b&c=ü/~"))

    assert found.total == 0


def an_error_of_the_service_is_reported():
    request = CreateAlgorithmRequest(body={"metadata": {"name": "x"}, "job_config": {"code_dir": "/nowhere/"}})

    assert _rejection(CLIENT, "create_algorithm", request)[0] == 400


def the_project_of_the_region_is_found():
    """Without a project id, the SDK asks the identity service for the project that is named after the region."""
    credentials = BasicCredentials(ACCESS_KEY, SECRET_KEY).with_iam_endpoint(API)
    region = Region(REGION, API)
    client = ModelArtsClient.new_builder().with_credentials(credentials).with_region(region).build()

    assert client.show_training_job_flavors(ShowTrainingJobFlavorsRequest()).total_count > 0


def wrong_keys_are_rejected():
    for keys in ((ACCESS_KEY, "wrong"), ("wrong", SECRET_KEY)):
        rejection = _rejection(
            _client(BasicCredentials(*keys, PROJECT)), "show_training_job_flavors", ShowTrainingJobFlavorsRequest()
        )
        assert rejection == (401, "APIG.0301"), keys


def temporary_keys_are_accepted():
    import requests

    login = {
        "user": {
            "name": os.environ["OS_USERNAME"],
            "password": os.environ["OS_PASSWORD"],
            "domain": {"name": os.environ["OS_USER_DOMAIN_NAME"]},
        }
    }
    body = {"auth": {"identity": {"methods": ["password"], "password": login}}}
    token = requests.post(f"{API}/v3/auth/tokens", json=body, timeout=10).headers["X-Subject-Token"]
    asked = {"auth": {"identity": {"methods": ["token"], "token": {"id": token}}}}
    keys = requests.post(f"{API}/v3.0/OS-CREDENTIAL/securitytokens", json=asked, timeout=10).json()["credential"]
    credentials = BasicCredentials(keys["access"], keys["secret"], PROJECT).with_security_token(keys["securitytoken"])

    assert _client(credentials).show_training_job_flavors(ShowTrainingJobFlavorsRequest()).total_count > 0


run(globals())
