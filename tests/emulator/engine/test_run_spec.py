"""The specification of a run: what the executor gets of a job."""

from __future__ import annotations

from typing import Any


def test_the_executor_gets_all_that_it_needs(staged: Any, puppet: Any) -> None:
    obs = {"obs": {"obs_url": f"/{staged.bucket}/pytorch/fast_example/data/"}}
    body = staged.job_body(
        parameters=[{"name": "epochs", "value": "3"}],
        inputs=[{"name": "data_url", "remote": obs}],
        outputs=[{"name": "train_url", "remote": obs}],
        environments={"A": "b"},
        working_dir="/home/ma-user/work",
    )
    body["spec"] = {
        "resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 2},
        "log_export_path": {"obs_url": f"/{staged.bucket}/log/"},
    }
    job_id = staged.create_job(body)["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.specs)

    spec = puppet.specs[job_id]

    assert (spec.job_id, spec.name, spec.node_count) == (job_id, body["metadata"]["name"], 2)
    assert (spec.code_dir, spec.boot_file) == (body["algorithm"]["code_dir"], body["algorithm"]["boot_file"])
    assert spec.parameters == (("epochs", "3"),)
    assert [channel.local_dir for channel in (*spec.inputs, *spec.outputs)] == [
        "/home/ma-user/modelarts/inputs/data_url_0",
        "/home/ma-user/modelarts/outputs/train_url_0",
    ]
    assert spec.environments == {"A": "b"}
    assert spec.working_dir == "/home/ma-user/work"
    assert spec.log_export_url == f"/{staged.bucket}/log/"
    assert spec.service_environments == {
        "MA_APIGW_ENDPOINT": staged.emulator.endpoint,
        "S3_ENDPOINT": staged.emulator.obs_endpoint,
        "S3_USE_HTTPS": "0",
        "S3_VERIFY_SSL": "0",
        "ACCESS_KEY_ID": staged.identity.access_key,
        "SECRET_ACCESS_KEY": staged.identity.secret_key,
        "AWS_ACCESS_KEY_ID": staged.identity.access_key,
        "AWS_SECRET_ACCESS_KEY": staged.identity.secret_key,
        "AWS_ENDPOINT_URL_S3": staged.emulator.obs_endpoint,
        "MA_NUM_GPUS": "0",
    }
    assert staged.identity.secret_key not in repr(spec)
    assert staged.identity.secret_key not in str(staged.job(job_id))


def test_directories_have_no_effect_in_engines_that_are_compatible_with_v1(staged: Any, puppet: Any) -> None:
    body = staged.job_body(engine={"engine_id": "caffe-1.0.0-python2.7"}, working_dir="/x", local_code_dir="/home/x")
    body["spec"]["resource"]["flavor_id"] = "modelarts.p3.large.public.free"
    job_id = staged.create_job(body)["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.specs)

    spec = puppet.specs[job_id]

    assert (spec.working_dir, spec.local_code_dir) == (None, None)
    assert spec.service_environments["MA_NUM_GPUS"] == "1"
