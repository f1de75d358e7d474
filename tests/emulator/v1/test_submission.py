"""What may be submitted: one program, one source of data, machines that there are; anything else is rejected."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_toolkit.errors import ApiError

CODE = "/test-modelarts/mnist-tensorflow-code/"
IMAGE = {"app_url": None, "boot_file_url": None, "engine_id": None}
OWN_IMAGE = IMAGE | {"user_image_url": "registry/image:1", "user_command": "python train.py"}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"app_url": None}, r"\(app_url\): it is missing"),
        ({"boot_file_url": None}, r"\(boot_file_url\): it is missing"),
        ({"boot_file_url": CODE}, r"Boot file .*code/ is a directory: name the \.py file in it"),
        ({"app_url": "/test-modelarts/a\0b/"}, "holds a NUL"),
        ({"engine_id": 2}, r"\(engine_id\): engine 2 does not exist"),
        (IMAGE | {"model_id": 1}, r"\(model_id\): the emulator has no built-in algorithms: give app_url"),
        (OWN_IMAGE | {"user_command": None}, r"\(user_command\): it is missing"),
        (OWN_IMAGE | {"user_image_url": ""}, r"\(user_image_url\): it is missing"),
        (OWN_IMAGE | {"user_command": "a\nb"}, r"\(user_command\): it must be one line"),
        (OWN_IMAGE | {"boot_file_url": f"{CODE}train_mnist_tf.py"}, r"\(boot_file_url\): a custom image"),
        (OWN_IMAGE | {"engine_id": 4}, r"\(engine_id\): a custom image .* has no engine"),
        (OWN_IMAGE | {"app_url": "/test-modelarts/nowhere/"}, "Code directory .* not found"),
        ({"data_source": None}, r"\(data_url\): the training data is missing"),
        ({"data_source": [{"type": "obs"}]}, r"\(data_source\.data_url\): it is missing"),
        ({"data_source": [{"type": "dataset", "dataset_id": "d1"}]}, "datasets do not exist here"),
        ({"data_source": [{"data_url": CODE}, {"data_url": CODE}]}, "one source of data"),
        ({"data_url": CODE}, "one source of data"),
        ({"data_source": None, "data_url": "/test-modelarts/nothing/"}, "there is no such object or directory"),
        ({"dataset_id": "38277e62"}, r"\(dataset_id\): dataset 38277e62 does not exist"),
        ({"train_url": "/no-such-bucket/"}, r"train_url: /no-such-bucket/: bucket no-such-bucket"),
        ({"log_url": "/no-such-bucket/"}, r"log_url: /no-such-bucket/: bucket no-such-bucket"),
        ({"flavor": None}, r"\(spec_id\): the size of the machines is missing"),
        (
            {"flavor": {"code": "modelarts.vm.huge"}},
            r"\(flavor\.code\): specification modelarts\.vm\.huge does not exist",
        ),
        ({"flavor": None, "spec_id": 1}, r"\(spec_id\): specification 1 does not exist"),
        ({"spec_id": 7}, r"\(flavor\.code\): specification 7 is modelarts\.vm\.cpu\.2u"),
        ({"worker_server_num": 2}, r"\(worker_server_num\): 2 nodes of flavor \S+ are more than its 1"),
        ({"engine_id": 100, "flavor": None, "spec_id": 901}, r"\(spec_id\): engine 100 does not run on"),
        ({"pool_id": "testpool"}, r"\(pool_id\): dedicated pool testpool does not exist"),
        ({"volumes": [{"host_path": {"src_path": "/a", "dest_path": "/b"}}]}, r"\(volumes\): .* dedicated"),
        ({"parameter": [{"label": "", "value": "1"}]}, r"\(parameter\.label\): '' is not a name"),
        ({"parameter": [{"label": "a"}, {"label": "a"}]}, r"\(parameter\.label\): a is given twice"),
        ({"parameter": [{"label": "data_url", "value": "x"}]}, r"\(parameter\.label\): data_url is set by"),
        ({"parameter": [{"label": "a", "value": "\0"}]}, "holds a NUL"),
    ],
)
def test_what_cannot_run_is_rejected_with_its_reason_and_leaves_the_name_free(v1: Any, changes: Any, text: str) -> None:
    with pytest.raises(ApiError, match=text) as rejection:
        v1.create("not-made", **changes)

    assert (rejection.value.status, rejection.value.error_code) == (400, "ModelArts.0104")
    assert v1.jobs.list_training_jobs(search_content="not-made").jobs == []


def test_the_same_specification_may_be_named_twice_and_the_one_with_room_is_chosen(v1: Any) -> None:
    assert v1.show(v1.create(spec_id=27)).spec_id == 27
    assert v1.show(v1.create(flavor={"code": "modelarts.vm.cpu.2u"})).spec_id == 7
    assert v1.show(v1.create(flavor={"code": "modelarts.vm.cpu.2u"}, worker_server_num=2)).spec_id == 2
    of_gpu = v1.show(v1.create(flavor=None, spec_id=901)).to_dict()
    assert (of_gpu["gpu"], of_gpu["gpu_num"], of_gpu["gpu_type"]) == (True, 1, "Pnt1")


def test_no_more_jobs_than_the_quota_allows(tmp_path: Any, v1: Any) -> None:
    with type(v1.emulator)(tmp_path / "data", executor="simulated", max_jobs=1, check_responses=True) as emulator:
        small = type(v1)(emulator)
        small.create()

        with pytest.raises(ApiError) as rejection:
            small.create()
        assert rejection.value.error_code == "ModelArts.0118"
        assert small.jobs.list_training_jobs().job_count_limit == 0
        small.ma.close()


def test_the_specifications_and_engines_of_the_use_case_are_there_as_printed(v1: Any) -> None:
    specs, engines = (v1.example(f"listJob{kind}.tensorflow-use-case") for kind in ("ResourceSpecs", "Engines"))

    found_specs = v1.api.resource_specs.list_job_resource_specs(job_type="train").to_dict()
    found_engines = v1.api.engines.list_job_engines(job_type="train").to_dict()

    assert [spec for spec in specs["specs"] if spec not in found_specs["specs"]] == []
    assert found_specs["spec_total_count"] == specs["spec_total_count"]
    assert [engine for engine in engines["engines"] if engine not in found_engines["engines"]] == []
    assert v1.api.engines.list_job_engines(job_type="inference").engines == []


def test_specifications_are_those_that_an_engine_runs_on(v1: Any) -> None:
    """The engine of XGBoost has no image for GPUs."""

    def specs(**query: Any) -> list[int]:
        found = v1.api.resource_specs.list_job_resource_specs(**query)
        assert found.spec_total_count == len(found.specs)
        return [spec.spec_id for spec in found.specs]

    assert specs(engine_id=100) == [2, 7, 27]
    assert specs(engine_id=0) == specs(engine_id=4) == specs()
    assert specs(engine_id=77) == specs(job_type="inference") == specs(project_type=5) == []


@pytest.mark.parametrize(
    ("method", "path", "arguments", "status", "code"),
    [
        ("GET", "training-jobs", {"headers": {"X-Auth-Token": ""}}, 401, "ModelArts.0201"),
        ("GET", "training-jobs", {"headers": {"X-Auth-Token": "made-up"}}, 401, "ModelArts.0203"),
        ("GET", "/another/training-jobs", {}, 404, "ModelArts.2786"),
        ("PATCH", "training-jobs", {}, 405, "ModelArts.2803"),
        ("GET", "training-jobs?colour=red", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs?per_page=1001", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/1/versions/0x1/aom-log?log_file=a", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/1/versions/1/aom-log", {}, 400, "ModelArts.0104"),
        ("POST", "training-jobs", {"content": b"{"}, 400, "ModelArts.0101"),
        ("POST", "training-jobs", {"content": b""}, 400, "ModelArts.0101"),
        ("POST", "training-jobs", {"json": {"job_name": "%%123", "config": {}}}, 400, "ModelArts.0104"),
        ("POST", "training-jobs", {"json": {"job_name": "a"}}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/1000000/versions", {}, 400, "ModelArts.0105"),
        ("DELETE", "training-job-configs/none", {}, 400, "ModelArts.0105"),
        ("POST", "training-jobs", {"content": b" " * (13 << 20)}, 413, "APIG.0201"),
    ],
)
def test_every_rejection_has_the_documented_body(
    api: Any, method: str, path: str, arguments: Any, status: int, code: str
) -> None:
    url = f"/v1{path}" if path.startswith("/") else f"/v1/{api.identity.project_id}/{path}"
    response = api.http.request(method, url, **arguments)

    assert response.status_code == status, path
    error = response.json()
    assert error.pop("error_message")
    assert error == {"is_success": False, "error_code": code}
