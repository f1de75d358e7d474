"""What a job may ask for: rejections beside those of `test_error_codes`, and what an accepted job looks like."""

from __future__ import annotations

from typing import Any

import pytest


def change(body: Any, path: str, value: Any) -> Any:
    """The body with one member set, wherever it is."""
    *parents, last = path.split(".")
    node = body
    for parent in parents:
        node = node.setdefault(parent, {})
    node[last] = value
    return body


OBS = {"obs": {"obs_url": "/cnnorth4-job-test-v2/pytorch/fast_example/data/"}}
CODE = "/cnnorth4-job-test-v2/pytorch/fast_example/code/"

REJECTIONS = [
    # the program
    ("algorithm", None, 2788),
    ("algorithm", {}, 2757),
    ("algorithm.code_dir", "", 2757),
    ("algorithm.boot_file", "", 2758),
    ("algorithm.code_dir", "/no-such-bucket/code/", 2757),
    ("algorithm.code_dir", "cnnorth4-job-test-v2/code/", 2791),
    ("algorithm.code_dir", "obs://", 2791),
    ("algorithm.code_dir", "/cnnorth4-job-test-v2/a/../b/", 2791),
    ("algorithm.code_dir", f"/cnnorth4-job-test-v2/{'long' * 200}/", 2791),
    ("algorithm.boot_file", f"{CODE}cpu/", 2758),
    ("algorithm.boot_file", f"{CODE}test-pytorch.py", 2792),
    ("algorithm.boot_file", "/another-bucket/test-pytorch.py", 2792),
    ("algorithm.boot_file", "https://example.com/test-pytorch.py", 2791),
    ("algorithm.engine", {}, 2780),
    ("algorithm.engine", {"engine_name": "PyTorch", "engine_version": "9"}, 2780),
    ("algorithm.command", "python train.py", 2806),
    ("algorithm.local_code_dir", "/home/../etc", 2857),
    ("algorithm.local_code_dir", "/home/", 2857),
    # the resource
    ("spec", {}, 2781),
    ("spec.resource.node_count", "1", 2788),
    # channels
    ("algorithm.inputs", [{"name": "../up", "remote": OBS}], 2753),
    ("algorithm.inputs", [{"name": "a", "remote": OBS, "local_dir": "here"}], 2753),
    ("algorithm.inputs", [{"name": "a", "remote": OBS, "local_dir": "/x/../y"}], 2753),
    ("algorithm.inputs", [{"name": n, "remote": OBS, "local_dir": "/x"} for n in "ab"], 2753),
    ("algorithm.inputs", [{"name": "a", "remote": {"obs": {"obs_url": "data"}}}], 2791),
    ("algorithm.inputs", [{"name": "a", "remote": OBS, "access_method": "magic"}], 2788),
    ("algorithm.outputs", [{"name": "a", "remote": {"obs": {"obs_url": "/no-such-bucket/"}}}], 2791),
    ("spec.log_export_path.obs_url", "/no-such-bucket/log/", 2791),
    # hyperparameters and variables
    ("algorithm.parameters", [{"name": "a", "value": "x\0y"}], 2788),
    ("algorithm.environments", {"1A": "x"}, 2788),
    ("algorithm.environments", {"A$B": "x"}, 2788),
    ("algorithm.environments", {"A": "x\0"}, 2788),
    ("algorithm.environments", {f"A{n}": "x" for n in range(101)}, 2788),
    ("metadata.name", "", 2788),
    ("metadata.workspace_id", "7", 102),
]


def test_a_job_that_cannot_be_run_as_asked_is_rejected_with_the_services_code(api: Any) -> None:
    for path, value, code in REJECTIONS:
        assert api.rejection(change(api.job_body(), path, value)) == (400, f"ModelArts.{code:04}"), (path, value)


UNSUPPORTED = [
    ("kind", "visualization_job"),
    ("algorithm.subscription_id", "s"),
    ("algorithm.item_version_id", "v"),
    ("algorithm.autosearch_config_path", "/b/c"),
    ("algorithm.autosearch_framework_path", "/b/c"),
    ("algorithm.engine.install_sys_packages", True),
    ("algorithm.summary", {"log_type": "tensorboard"}),
    ("tasks", [{"role": "worker", "task_resource": {"node_count": 1}}]),
    ("spec.volumes", [{"nfs": {"nfs_server_path": "192.168.0.82:/", "local_path": "/x", "read_only": False}}]),
    ("spec.log_export_path.host_path", "/var/log"),
    ("spec.schedule_policy", {"preemptible": True}),
    ("spec.notification", {"topic_urn": "urn:x", "events": ["JobFailed"]}),
    ("endpoints", {"ssh": {"key_pair_names": ["mine"]}}),
    ("metadata.annotations", {"tensorboard/enable": "true"}),
]


def test_what_the_emulator_cannot_do_is_rejected_and_says_so(api: Any) -> None:
    for path, value in UNSUPPORTED:
        response = api.call("POST", "/training-jobs", json=change(api.job_body(), path, value))
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2858"), path
        assert "the emulator" in response.json()["error_msg"]


def test_a_blank_asks_for_nothing(api: Any) -> None:
    """The examples of the documents send blanks for what they do not use; without a kind it is a training job."""
    body = api.job_body(policies={"auto_search": None}, environments={}, subscription_id="")
    body["spec"] |= {"log_export_path": {"obs_url": ""}, "volumes": []}
    body["metadata"]["annotations"] = {"fault-tolerance/job-retry-num": "0"}

    del body["kind"]

    job = api.create_job(body)

    assert job["kind"] == "job"
    assert job["spec"]["log_export_path"] == {}
    assert "environments" not in job["algorithm"]


def test_the_responses_to_the_bodies_of_the_use_case_are_those_printed(api: Any) -> None:
    """Apart from what depends on time, user and ids, and from members that the emulator adds."""
    algorithm = api.create_algorithm()
    body = api.example("createTrainingJob.pytorch-use-case")
    body["metadata"]["name"] = api.unique("job")
    body["algorithm"]["id"] = algorithm["metadata"]["id"]
    printed = api.example("createTrainingJob.pytorch-use-case-created")
    printed["algorithm"] |= {"id": algorithm["metadata"]["id"], "name": algorithm["metadata"]["name"]}
    own = {"id", "name", "create_time", "user_name"}

    job = api.create_job(body)

    assert printed["status"] == job["status"]
    assert printed["algorithm"] == job["algorithm"]
    assert printed["spec"] == job["spec"]
    shown, expected = ({k: v for k, v in each["metadata"].items() if k not in own} for each in (job, printed))
    assert expected == shown


def test_a_job_may_repeat_what_its_algorithm_fixes_but_not_change_it(api: Any) -> None:
    algorithm = api.create_algorithm()
    channels = {
        "inputs": [{"name": "data_url", "remote": OBS}],
        "outputs": [{"name": "train_url", "remote": OBS}],
    }
    body = api.job_body(id=algorithm["metadata"]["id"], **channels)
    api.create_job(body)

    for path, value in (
        ("algorithm.boot_file", f"{CODE}cpu/other.py"),
        ("algorithm.engine.engine_id", "caffe-1.0.0-python2.7"),
        ("algorithm.command", "true"),
    ):
        changed = change(api.job_body(id=algorithm["metadata"]["id"], **channels), path, value)
        assert api.rejection(changed) == (400, "ModelArts.2814")


def test_a_job_gives_exactly_the_channels_that_its_algorithm_declares(api: Any) -> None:
    algorithm_id = api.create_algorithm()["metadata"]["id"]
    given = {"inputs": [{"name": "data_url", "remote": OBS}], "outputs": [{"name": "train_url", "remote": OBS}]}

    more = {"inputs": [*given["inputs"], {"name": "more", "remote": OBS}]}
    wrongs: tuple[dict[str, Any], ...] = ({"inputs": []}, {"outputs": []}, more)
    for wrong in wrongs:
        assert api.rejection(api.job_body(id=algorithm_id, **(given | wrong))) == (400, "ModelArts.2753")


def test_a_channel_comes_as_the_job_says_else_as_its_algorithm_declares(staged: Any, puppet: Any) -> None:
    """A channel of which neither says anything is a parameter, and shows no access method."""
    declared = [
        {"name": "first", "access_method": "env"},
        {"name": "second", "access_method": "env"},
        {"name": "third"},
    ]
    algorithm = staged.create_algorithm(inputs=declared, outputs=[{"name": "train_url", "access_method": "env"}])
    remote = {"obs": {"obs_url": f"/{staged.bucket}/pytorch/fast_example/data/"}}
    body = staged.job_body()
    body["algorithm"] = {
        "id": algorithm["metadata"]["id"],
        "inputs": [
            {"name": "first", "remote": remote},
            {"name": "second", "remote": remote, "access_method": "parameter"},
            {"name": "third", "remote": remote},
        ],
        "outputs": [{"name": "train_url", "remote": remote}],
    }

    job = staged.create_job(body)
    staged.eventually(lambda: job["metadata"]["id"] in puppet.specs)

    assert algorithm["job_config"]["outputs"][0]["access_method"] == "env"
    assert [channel.get("access_method") for channel in job["algorithm"]["inputs"]] == ["env", "parameter", None]
    spec = puppet.specs[job["metadata"]["id"]]
    assert [channel.access_method for channel in spec.inputs] == ["env", "parameter", "parameter"]
    assert [channel.access_method for channel in spec.outputs] == ["env"]


def test_a_custom_image_runs_its_command_and_needs_no_engine(api: Any) -> None:
    job = api.create_job(
        api.job_body(code_dir=None, boot_file=None, engine={"image_url": "user/image:1"}, command="echo a && echo b")
    )

    assert job["algorithm"]["engine"] == {"image_url": "user/image:1"}
    assert job["algorithm"]["command"] == "echo a && echo b"
    for command in ("echo a\necho b", "echo \0"):
        body = api.job_body(code_dir=None, boot_file=None, engine={"image_url": "i"}, command=command)
        assert api.rejection(body) == (400, "ModelArts.2788")
    assert api.rejection(api.job_body(engine={"image_url": "i"}, command="x")) == (400, "ModelArts.2788")


def test_an_engine_without_an_image_for_the_flavor_is_rejected(api: Any) -> None:
    body = api.job_body(engine={"engine_id": "xgboost-sklearn-python3.6"})
    assert api.rejection(change(body, "spec.resource.flavor_id", "modelarts.p3.large.public.free")) == (
        400,
        "ModelArts.2840",
    )


def test_a_flavor_that_the_algorithm_does_not_allow_is_rejected(api: Any) -> None:
    body = api.algorithm_body(inputs=[], outputs=[])
    body["resource_requirements"] = [{"key": "flavor_type", "values": ["GPU"], "operator": "in"}]
    algorithm = api.call("POST", "/algorithms", json=body).json()
    assert api.rejection(api.job_body(id=algorithm["metadata"]["id"])) == (400, "ModelArts.2763")


def test_directories_and_variables_of_the_user_are_shown_again(api: Any) -> None:
    given = {
        "local_code_dir": "/home/ma-user/code",
        "working_dir": "/home/ma-user/work",
        "environments": {"NCCL_DEBUG": "INFO", "LONG": "x" * 8192},
        "inputs": [{"name": "a", "remote": OBS, "local_dir": "/cache/a"}, {"name": "b", "remote": OBS}],
    }

    algorithm = api.create_job(api.job_body(**given))["algorithm"]

    assert {name: algorithm[name] for name in ("local_code_dir", "working_dir", "environments")} == {
        name: given[name] for name in ("local_code_dir", "working_dir", "environments")
    }
    assert [channel["local_dir"] for channel in algorithm["inputs"]] == [
        "/cache/a",
        "/home/ma-user/modelarts/inputs/b_1",
    ]


@pytest.mark.parametrize("hours", [1, 2**31, 2**63, 10**40])
def test_an_automatic_stop_is_kept_and_may_be_later_than_any_time(api: Any, hours: int) -> None:
    """The page names no maximum."""
    stop = {"time_unit": "HOURS", "duration": hours}

    assert api.create_job(change(api.job_body(), "spec.auto_stop", stop))["spec"]["auto_stop"] == stop


def test_no_path_of_a_job_leads_to_a_bucket_of_another_account(api: Any) -> None:
    """Also where the objects are there."""
    bucket = api.unique("theirs")
    api.store.create_bucket(bucket, owner="somebody-else")
    api.store.put(bucket, "code/train.py", b"print()")
    channel = {"name": "channel", "remote": {"obs": {"obs_url": f"/{bucket}/code/"}}}
    bodies = [
        api.job_body(code_dir=f"/{bucket}/code/", boot_file=f"/{bucket}/code/train.py"),
        api.job_body(inputs=[channel]),
        api.job_body(outputs=[channel]),
        # One channel's name is no reason to overlook another path.
        api.job_body(
            inputs=[channel], outputs=[{"name": "channel", "remote": {"obs": {"obs_url": f"/{api.bucket}/"}}}]
        ),
        api.job_body(code_dir=f"/{bucket}/code/", boot_file=f"/{bucket}/code/missing.py"),
        api.job_body(),
    ]
    bodies[-1]["spec"]["log_export_path"] = {"obs_url": f"/{bucket}/"}

    for body in bodies:
        response = api.call("POST", "/training-jobs", json=body)
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2791")
        assert f"bucket {bucket} belongs to another account" in response.json()["error_msg"]
