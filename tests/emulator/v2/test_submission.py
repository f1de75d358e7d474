"""What a job may ask for: rejections beside those of `test_error_codes`, and what an accepted job looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import rejected
from tests.emulator.v2.conftest import changed

import modelarts_openapi
from modelarts_emulator.execution.protocol import Device, TaskReport
from modelarts_emulator.server import Emulator, EmulatorError

OBS = {"obs": {"obs_url": "/cnnorth4-job-test-v2/pytorch/fast_example/data/"}}
CODE = "/cnnorth4-job-test-v2/pytorch/fast_example/code/"

REJECTIONS: list[tuple[str, Any, int]] = [
    # the program
    ("algorithm", None, 2757),
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
    ("algorithm.engine", {"engine_name": "PyTorch"}, 2780),
    ("algorithm.engine", {"engine_version": "PyTorch-1.3.0-python3.6"}, 2780),
    ("algorithm.engine", {"engine_id": "pytorch-cp36-1.3.0", "engine_name": "TensorFlow"}, 2780),
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
    *(
        ("algorithm.outputs", [{"name": "a", "remote": OBS, "local_dir": path}], 2753)
        for path in ("/", "//", "/.", "/etc", "//proc/x", "/dev/shm/x", "/home", "/x\0", "/" + "x" * 256, "/é" * 500)
    ),
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
    *(("spec.schedule_policy", {"priority": priority}, 2788) for priority in (0, 4, -1)),
]


def test_a_job_that_cannot_be_run_as_asked_is_rejected_with_the_services_code(api: Any) -> None:
    for path, value, code in REJECTIONS:
        assert api.rejection(changed(api.job_body(), path, value)) == (400, f"ModelArts.{code:04}"), (path, value)


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
        response = api.call("POST", "/training-jobs", json=changed(api.job_body(), path, value))
        assert rejected(response) == (400, "ModelArts.2858"), path
        assert "the emulator" in response.json()["error_msg"], path


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


def test_a_job_may_repeat_what_its_algorithm_fixes_and_gives_the_channels_that_it_declares(api: Any) -> None:
    """It changes nothing, leaves out no channel, and adds none."""
    algorithm_id = api.create_algorithm()["metadata"]["id"]
    given = {"inputs": [{"name": "data_url", "remote": OBS}], "outputs": [{"name": "train_url", "remote": OBS}]}
    more = [*given["inputs"], {"name": "more", "remote": OBS}]
    api.create_job(api.job_body(id=algorithm_id, **given))

    wrongs: tuple[tuple[str, Any, int], ...] = (
        ("algorithm.boot_file", f"{CODE}cpu/other.py", 2814),
        ("algorithm.engine.engine_id", "caffe-1.0.0-python2.7", 2814),
        ("algorithm.command", "true", 2814),
        ("algorithm.inputs", [], 2753),
        ("algorithm.inputs", more, 2753),
        ("algorithm.outputs", [], 2753),
    )
    for path, value, code in wrongs:
        body = changed(api.job_body(id=algorithm_id, **given), path, value)
        assert api.rejection(body) == (400, f"ModelArts.{code}"), path


def test_a_channel_comes_as_the_job_says_else_as_its_algorithm_declares(staged: Any, puppet: Any) -> None:
    """A channel of which neither says anything is a parameter, and shows no access method."""
    declared = [
        {"name": "first", "access_method": "env"},
        {"name": "second", "access_method": "env"},
        {"name": "third"},
    ]
    kept = {"access_method": "env", "prefetch_to_local": True}
    outputs = [{"name": "train_url"} | kept, {"name": "fresh_url"} | kept]
    algorithm = staged.create_algorithm(inputs=declared, outputs=outputs)
    remote = {"obs": {"obs_url": f"/{staged.bucket}/pytorch/fast_example/data/"}}
    body = staged.job_body()
    body["algorithm"] = {
        "id": algorithm["metadata"]["id"],
        "inputs": [
            {"name": "first", "remote": remote},
            {"name": "second", "remote": remote, "access_method": "parameter"},
            {"name": "third", "remote": remote},
        ],
        "outputs": [
            {"name": "train_url", "remote": remote},
            {"name": "fresh_url", "remote": remote, "prefetch_to_local": False},
        ],
    }

    job = staged.create_job(body)
    staged.eventually(lambda: job["metadata"]["id"] in puppet.specs)

    assert algorithm["job_config"]["outputs"][0]["access_method"] == "env"
    assert [channel.get("access_method") for channel in job["algorithm"]["inputs"]] == ["env", "parameter", None]
    assert [channel["prefetch_to_local"] for channel in job["algorithm"]["outputs"]] == [True, False]
    spec = puppet.specs[job["metadata"]["id"]]
    assert [channel.access_method for channel in spec.inputs] == ["env", "parameter", "parameter"]
    assert [(channel.access_method, channel.prefetch_to_local) for channel in spec.outputs] == [
        ("env", True),
        ("env", False),
    ]


def test_a_custom_image_runs_its_command_and_needs_no_engine(api: Any) -> None:
    """So does an algorithm on a custom image, whose jobs have its command."""
    own_image = {"code_dir": None, "boot_file": None, "engine": {"image_url": "user/image:1"}}
    job = api.create_job(api.job_body(**own_image, command="echo a && echo b"))
    algorithm = api.create_algorithm(**own_image, command="true", inputs=[], outputs=[])
    with_algorithm = api.job_body(id=algorithm["metadata"]["id"], code_dir=None, boot_file=None, engine=None)

    assert job["algorithm"]["engine"] == algorithm["job_config"]["engine"] == {"image_url": "user/image:1"}
    assert job["algorithm"]["command"] == "echo a && echo b"
    assert api.create_job(with_algorithm)["algorithm"]["command"] == "true"
    for wrong in ({"command": "echo a\necho b"}, {"command": "echo \0"}, {"command": "x", "boot_file": f"{CODE}a.py"}):
        assert api.rejection(api.job_body(**(own_image | wrong))) == (400, "ModelArts.2788"), wrong


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
        "inputs": [{"name": "a", "remote": OBS, "local_dir": "/data//a\n"}, {"name": "b", "remote": OBS}],
    }

    algorithm = api.create_job(api.job_body(**given))["algorithm"]

    assert {name: algorithm[name] for name in ("local_code_dir", "working_dir", "environments")} == {
        name: given[name] for name in ("local_code_dir", "working_dir", "environments")
    }
    assert [channel["local_dir"] for channel in algorithm["inputs"]] == [
        "/data//a\n",
        "/home/ma-user/modelarts/inputs/b_1",
    ]


@pytest.mark.parametrize("hours", [1, 2**31, 2**63, 10**40])
def test_an_automatic_stop_is_kept_and_may_be_later_than_any_time(api: Any, hours: int) -> None:
    """The page names no maximum."""
    stop = {"time_unit": "HOURS", "duration": hours}
    assert api.create_job(changed(api.job_body(), "spec.auto_stop", stop))["spec"]["auto_stop"] == stop


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
        api.job_body(code_dir=f"/{bucket}/missing/", boot_file=f"/{bucket}/missing/train.py"),
        api.job_body(inputs=[{"name": "channel", "remote": {"obs": {"obs_url": f"/{bucket}/missing/"}}}]),
        api.job_body(),
    ]
    bodies[-1]["spec"]["log_export_path"] = {"obs_url": f"/{bucket}/"}

    for body in bodies:
        response = api.call("POST", "/training-jobs", json=body)
        assert rejected(response) == (400, "ModelArts.2791"), body
        assert f"bucket {bucket} belongs to another account" in response.json()["error_msg"], body


def parameter(name: str = "p", value: str = "", **constraint: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "constraint": constraint}


def code_of(response: Any) -> int | None:
    """The code with which a request was rejected; None if it was served."""
    return None if response.status_code == 201 else int(rejected(response)[1].removeprefix("ModelArts."))


def create_from(api: Any, declared: list[Any], given: list[Any], customizable: bool) -> Any:
    """Create a job with these values from an algorithm with these hyperparameters."""
    own = {"parameters": declared, "parameters_customization": customizable, "inputs": None, "outputs": None}
    algorithm_id = api.create_algorithm(**own)["metadata"]["id"]
    body = api.job_body(id=algorithm_id, code_dir=None, boot_file=None, engine=None, parameters=given)
    return api.call("POST", "/training-jobs", json=body)


NUMBERS: dict[str, Any] = {"type": "Integer", "valid_type": "range", "valid_range": ["1", "10"]}
CHOICE: dict[str, Any] = {"type": "String", "valid_type": "choice", "valid_range": ["sgd", "adam"]}


# What is asked for, and the code with which it is rejected; None if it is accepted.
DEFINITIONS: list[tuple[Any, int | None]] = [
    (parameter(value="3", **NUMBERS), None),
    (parameter(value="adam", **CHOICE), None),
    (parameter(value="True", type="Boolean"), None),
    (parameter(value="1e-3", type="Float"), None),
    (parameter(value="", type="Integer"), None),
    ({"name": "bare"}, None),
    (parameter(value="3.5", type="Integer"), 2768),
    (parameter(value="maybe", type="Boolean"), 2768),
    (parameter(value="rmsprop", **CHOICE), 2769),
    (parameter(editable=False), 2766),
    (parameter(name=""), 2788),
]
VALUES: list[tuple[Any, str, int | None]] = [
    (parameter(value="3", **NUMBERS), "10", None),
    (parameter(value="3", **NUMBERS), "11", 2770),
    (parameter(value="3", **NUMBERS), "\u0665", 2825),  # a digit that scripts do not expect
    (parameter(value="adam", **CHOICE), "sgd", None),
    (parameter(value="adam", **CHOICE), "rmsprop", 2765),
    (parameter(value="a", editable=False), "a", None),
    (parameter(value="a", editable=False), "b", 2814),
    (parameter(value="", required=True), "", 2766),
    (parameter(value="", required=True), "x", None),
    (parameter(value="0.5", type="Float", valid_type="range", valid_range=["", "1"]), "-7", None),
    (parameter(value="0.5", type="Float", valid_type="range", valid_range=["0"]), "99", None),
    (parameter(value="2", type="Integer", valid_type="choice", valid_range=["2", "4"]), "3", 2770),
]


def test_definitions_and_values_of_hyperparameters_are_accepted_only_if_they_fit(api: Any) -> None:
    """Defaults as well as values have to fit the constraint."""
    for definition, code in DEFINITIONS:
        body = api.algorithm_body(parameters=[definition])
        assert code_of(api.call("POST", "/algorithms", json=body)) == code, definition
    for definition, value, code in VALUES:
        assert code_of(create_from(api, [definition], [{"name": "p", "value": value}], False)) == code, definition


def test_the_algorithms_parameters_come_first_with_the_jobs_values_then_the_jobs_own(api: Any) -> None:
    """Those of the job's own need an algorithm that allows them."""
    declared = [parameter("a", "1"), parameter("b", "2")]
    given = [{"name": "own", "value": "x"}, {"name": "b", "value": "3"}]

    shown = create_from(api, declared, given, True).json()["algorithm"]["parameters"]

    assert [(entry["name"], entry["value"]) for entry in shown] == [("a", "1"), ("b", "3"), ("own", "x")]
    assert code_of(create_from(api, declared, given, False)) == 2814


def test_a_job_runs_on_a_newer_engine(api: Any) -> None:
    engine_id = "mindspore_2.2.12-cann_7.0.1.1-py_3.9-euler_2.10.7-aarch64-snt3p"
    job = api.create_job(api.job_body(engine={"engine_id": engine_id}))
    assert job["algorithm"]["engine"]["engine_id"] == engine_id


def test_the_flavors_of_the_use_case_are_listed_as_printed_and_without_a_type_all_public_ones(api: Any) -> None:
    """None of dedicated pools."""
    of_cpu = api.call("GET", "/training-job-flavors", params={"flavor_type": "CPU"}).json()
    every = api.call("GET", "/training-job-flavors").json()

    assert all(flavor.pop("support_engines") for flavor in of_cpu["flavors"])  # seen, and not printed
    assert of_cpu == api.example("showTrainingJobFlavors.cpu")
    assert every["total_count"] == len(every["flavors"]) == 5
    assert {flavor["flavor_type"] for flavor in every["flavors"]} == {"CPU", "GPU"}
    assert all("pool" not in flavor["flavor_id"] for flavor in every["flavors"])


def test_search_algorithms_have_the_documented_settings(api: Any) -> None:
    path = modelarts_openapi.load("v2")["paths"]["/v2/{project_id}/search-algorithms"]
    media = path["get"]["responses"]["200"]["content"]["application/json"]
    documented = media["examples"]["showSearchAlgorithms.three"]["value"]

    response = api.call("GET", "/search-algorithms").json()

    assert response["search_algo_count"] == len(response["search_algo_list"]) == 3
    assert all(entry.pop("description") for entry in response["search_algo_list"] + documented["search_algo_list"])
    assert response["search_algo_list"] == documented["search_algo_list"]


WIDE, NARROW = "modelarts.vm.cpu.8u", "modelarts.vm.cpu.2u"


@pytest.fixture
def crowded(tmp_path: Path, puppet: Any, log_in: Callable[..., Any]) -> Iterator[Any]:
    """A client of an emulator that has two nodes of one flavor and one of another."""
    options = {"executor": puppet, "max_running_jobs": 9, "capacity": {WIDE: 2, NARROW: 1}, "keep_jobs": True}
    with Emulator(tmp_path / "data", check_responses=True, **options) as running:
        yield log_in(running)


def nodes(flavor: str, count: int = 1) -> Any:
    return {"flavor_id": flavor, "node_count": count}


def test_jobs_wait_for_the_nodes_of_their_flavor_and_say_so(crowded: Any, puppet: Any) -> None:
    """A job for more nodes than there are would wait for ever, and is rejected."""
    first = crowded.submit(resource=nodes(WIDE, 2))
    crowded.eventually(lambda: first in puppet.specs)
    second, other = crowded.submit(resource=nodes(WIDE)), crowded.submit(resource=nodes(NARROW))
    crowded.eventually(lambda: other in puppet.specs)
    crowded.eventually(lambda: len(crowded.messages(second)) == 2)

    assert second not in puppet.specs
    assert crowded.messages(second)[1].startswith(
        f"The job is waiting for resources: it needs 1 node; of 2 nodes of flavor {WIDE}, 0 are free"
    )
    assert crowded.messages(first) == ["The job has been created."]

    puppet.report(first, *(TaskReport(f"worker-{index}", "ended", 1.0, 2.0, 0) for index in range(2)))

    crowded.eventually(lambda: second in puppet.specs)
    response = crowded.call("POST", "/training-jobs", json=changed(crowded.job_body(), "spec.resource", nodes(WIDE, 3)))
    assert rejected(response) == (400, "ModelArts.2793")
    assert f"3 nodes of flavor {WIDE} are more than its 2" in response.json()["error_msg"]


CARDS = [Device(f"GPU-{number}", index=str(number), name="Card", memory_bytes=40 << 30) for number in (0, 3)]
MORE = """
[[flavor]]
flavor_id = "eight"
flavor_type = "GPU"
flavor_info = { gpu = { unit_num = 8, memory = "32GB" } }
[[flavor]]
flavor_id = "ascend"
flavor_type = "Ascend"
flavor_info = { npu = { unit_num = "8" } }
"""


@pytest.fixture
def with_cards(tmp_path: Path, puppet: Any, log_in: Callable[..., Any]) -> Iterator[Any]:
    """A client of an emulator that gives out two GPUs."""
    (tmp_path / "more.toml").write_text(MORE)
    options = {"executor": puppet, "devices": CARDS, "catalogue": tmp_path / "more.toml", "keep_jobs": True}
    options["max_running_jobs"] = 9
    with Emulator(tmp_path / "data", check_responses=True, **options) as running:
        yield log_in(running)


def test_a_node_gets_as_many_accelerators_as_its_flavor_has_and_others_wait_for_them(
    with_cards: Any, puppet: Any
) -> None:
    """The events say what each task has, and what a job waits for; a task of a CPU flavor has none."""
    both = with_cards.submit(resource=nodes("modelarts.p3.large.public.free"))
    none, wide = with_cards.submit(resource=nodes(NARROW)), with_cards.submit(resource=nodes("local.gpu", 2))
    late = with_cards.submit(resource=nodes("local.gpu"))
    with_cards.eventually(lambda: none in puppet.specs and len(with_cards.messages(late)) == 2)

    assert (puppet.specs[both].devices, puppet.specs[none].devices) == (((CARDS[0],),), ((),))
    assert with_cards.messages(both) == ["The job has been created.", "worker-0 has GPU 0 (Card)."]
    waiting = "The job is waiting for resources: it needs 1 GPU"
    assert with_cards.messages(wide)[1] == (
        f"{waiting} on each of 2 nodes; of 2 GPUs, 1 is free, and jobs before it may need them."
    )
    assert with_cards.messages(late)[1].startswith(f"{waiting}; of 2 GPUs, 1 is free")
    shown = with_cards.http.get("/_emulator/devices").json()
    assert shown["tasks_per_device"] == 1
    assert [(each["id"], each["name"], each["tasks"]) for each in shown["devices"]] == [
        ("GPU-0", "Card", [{"job_id": both, "name": puppet.specs[both].name, "task": "worker-0"}]),
        ("GPU-3", "Card", []),
    ]

    puppet.report(both, TaskReport("worker-0", "ended", 1.0, 2.0, 0))

    with_cards.eventually(lambda: wide in puppet.specs)
    assert puppet.specs[wide].devices == ((CARDS[0],), (CARDS[1],))
    assert with_cards.messages(wide)[-1] == "worker-0 has GPU 0 (Card); worker-1 has GPU 3 (Card)."
    assert late not in puppet.specs


def test_the_flavors_of_a_machine_are_made_of_its_accelerators(with_cards: Any, puppet: Any) -> None:
    """What it can never have is rejected; accelerators of a kind that it has none of are names."""
    shown = with_cards.call("GET", "/training-job-flavors").json()["flavors"]
    own = {each["flavor_id"]: each for each in shown if each["flavor_id"].startswith("local.")}
    assert {name: each["flavor_info"]["gpu"] for name, each in own.items()} == {
        "local.gpu": {"unit_num": 1, "product_name": "Card", "memory": "40GB"},
        "local.gpu.2": {"unit_num": 2, "product_name": "Card", "memory": "40GB"},
    }
    assert {(each["flavor_type"], each["flavor_info"]["max_num"]) for each in own.values()} == {("GPU", 2), ("GPU", 1)}

    for flavor, count in (("eight", 1), ("local.gpu", 3), ("local.gpu.2", 2)):
        response = with_cards.call(
            "POST", "/training-jobs", json=changed(with_cards.job_body(), "spec.resource", nodes(flavor, count))
        )
        assert rejected(response) == (400, "ModelArts.2793"), flavor
        assert "--share-devices, or with --devices none" in response.json()["error_msg"], flavor

    name = with_cards.submit(resource=nodes("ascend"))
    with_cards.eventually(lambda: name in puppet.specs)
    assert puppet.specs[name].devices == ((),)


def test_accelerators_are_given_to_tasks_of_jobs_that_were_removed_only_when_these_are_gone(
    with_cards: Any, puppet: Any
) -> None:
    """Although nodes are free as soon as the removal was tried."""
    first, second = (with_cards.submit(resource=nodes("local.gpu.2")) for _ in range(2))
    with_cards.eventually(lambda: first in puppet.specs)
    puppet.undying.add(first)
    with_cards.call("DELETE", f"/training-jobs/{first}")
    none = with_cards.submit(resource=nodes(NARROW))
    with_cards.eventually(lambda: none in puppet.specs)

    assert second not in puppet.specs
    puppet.undying.clear()
    with_cards.eventually(lambda: second in puppet.specs)


def test_a_job_that_waits_for_more_than_there_is_after_a_restart_says_so(
    tmp_path: Path, puppet: Any, log_in: Callable[..., Any]
) -> None:
    """It delays nobody, and starts when there is enough again."""

    def life(devices: list[Device]) -> Emulator:
        return Emulator(tmp_path / "data", executor=puppet, devices=devices, keep_jobs=True)

    with life(CARDS) as first:
        api = log_in(first)
        running = api.submit(resource=nodes("local.gpu.2"))
        api.eventually(lambda: running in puppet.specs)
        wide = api.submit(resource=nodes("local.gpu.2"))
        api.eventually(lambda: len(api.messages(wide)) == 2)
    with life(CARDS[1:]) as second:
        api = log_in(second)
        api.eventually(lambda: len(api.messages(wide)) == 3)
        assert api.messages(wide)[2] == ("The job is waiting for resources: it needs 2 GPUs, and there is 1 GPU.")
        puppet.report(running, TaskReport("worker-0", "ended", 1.0, 2.0, 0))
        small = api.submit(resource=nodes("local.gpu"))
        api.eventually(lambda: small in puppet.specs)
        puppet.report(small, TaskReport("worker-0", "ended", 1.0, 2.0, 0))
        assert wide not in puppet.specs
    with life([]) as third:
        api = log_in(third)
        small = api.submit(resource=nodes(NARROW))
        api.eventually(lambda: small in puppet.specs)
        assert api.messages(wide)[-1].endswith("it needs 2 GPUs, and there are 0 GPUs.")
        assert wide not in puppet.specs
    with life(CARDS):
        api.eventually(lambda: wide in puppet.specs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "simulated", "devices": "0"}, "--devices does not apply to --executor simulated"),
        ({"executor": "slurm", "devices": CARDS}, "--devices does not apply to --executor slurm"),
        ({"share_devices": 0}, "share_devices must be at least 1"),
        ({"devices": [CARDS[0], CARDS[0]]}, "each with an id of its own"),
        ({"devices": ["0"]}, "must be Devices of kind gpu or npu"),
    ],
)
def test_accelerators_that_cannot_be_given_out_are_an_error(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(EmulatorError, match=message), Emulator(tmp_path / "data", **options):
        pass


def test_the_quota_is_that_of_the_project_and_the_jobs_are_those_of_whom_the_query_names(staged: Any) -> None:
    """No user has a limit of its own, and none can be set."""
    staged.create_job()

    def shown(**query: str) -> Any:
        return staged.call("GET", "/training-quotas", params=query).json()["quotas"]

    assert shown() == shown(user_id=staged.identity.user_id) == [{"resource": "job-num", "quota": 10_000, "used": 1}]
    assert shown(user_id="somebody")[0]["used"] == 0
    assert shown(resource="visual-job-num") == []
    changed = {"user_id": staged.identity.user_id, "quotas": [{"resource": "job-num", "quota": 1}]}
    assert staged.call("PUT", "/training-quotas", json=changed).status_code == 501
