"""The documented container, mapped into a folder, and the accelerators of this machine that it gets."""

import json
import logging
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.accelerators import NO_DCMI, NO_DEVICES, NO_DRIVER, NOT_AVAILABLE, Machine, gpus, npus

from modelarts_emulator.accelerators import choose_devices
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.container import JOB_PACKAGES, TASK_MARK, Container, addresses, inherited
from modelarts_emulator.execution.device_tools import find_devices
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import Channel, JobSpec
from modelarts_emulator.execution.staging import with_arguments

FOLDER = Path("/data/jobs/1/worker-0")


def _container(**members: object) -> Container:
    return Container(JobSpec("1", "job", **members), 0, FOLDER)  # type: ignore[arg-type]


def test_documented_paths_are_mapped_into_the_folder_and_never_lead_out_of_it() -> None:
    """So are mentions of the home, and nothing else."""
    paths = {
        "/home/ma-user/modelarts/log": FOLDER / "home/ma-user/modelarts/log",
        "/home/../../../etc/passwd": FOLDER / "etc/passwd",
        "//home//x/": FOLDER / "home/x",
        "relative": FOLDER / "relative",
        "/..": FOLDER,
    }
    assert {path: _container().map(path) for path in paths} == paths

    texts = {
        "cd /home/ma-user/ddp && sh x": f"cd {FOLDER}/home/ma-user/ddp && sh x",
        "PATH=/home/ma-user": f"PATH={FOLDER}/home/ma-user",
        "a:/home/ma-user/b:/home/ma-user": f"a:{FOLDER}/home/ma-user/b:{FOLDER}/home/ma-user",
        "/home/ma-users/x": "/home/ma-users/x",
        "/data/home/ma-user": "/data/home/ma-user",
        "obs://bucket/home/ma-user/x": "obs://bucket/home/ma-user/x",
    }
    assert {text: _container().map_text(text) for text in texts} == texts


def test_code_lies_under_its_last_segment_and_is_where_the_start_is_unless_another_place_is_given() -> None:
    job_dir = FOLDER / "home/ma-user/modelarts/user-job-dir"

    assert _container(code_dir="/b/training/demo-code/").code == job_dir / "demo-code"
    assert _container(code_dir="obs://b/demo").code == job_dir / "demo"
    assert (
        _container(code_dir="/b/demo/", local_code_dir="/home/ma-user/mine/").code == FOLDER / "home/ma-user/mine/demo"
    )
    assert _container().code is None
    assert _container(code_dir="/b/c/", working_dir="/home/ma-user/w").working_dir == FOLDER / "home/ma-user/w"
    assert _container(code_dir="/b/c/").working_dir.name == "c"
    assert _container().working_dir == FOLDER / "home/ma-user"


def test_a_channel_is_a_parameter_or_an_environment_variable() -> None:
    """As a variable it replaces a preset one, and not what the user has set."""
    channels = {
        "inputs": (
            Channel("data_url", "/b/x/", access_method="env"),
            Channel("MA_LOG_DIR", "/b/y/", "/cache/y", "env"),
        ),
        "outputs": (Channel("train_url", "/b/z/", "/cache/z"), Channel("mine", "/b/m/", "/cache/m", "env")),
    }
    container = _container(parameters=(("lr", "1"),), environments={"mine": "own"}, **channels)
    environ = container.environment([], {})

    assert container.arguments() == ["--lr=1", f"--train_url={FOLDER}/cache/z"]
    assert environ["data_url"] == f"{FOLDER}/home/ma-user/modelarts/inputs/data_url_0"
    assert (environ["MA_LOG_DIR"], environ["mine"]) == (f"{FOLDER}/cache/y", "own")
    assert "train_url" not in environ


def test_variables_that_programs_and_devices_need_are_inherited_and_no_credentials() -> None:
    """However much the name of one that may hold a credential looks like that of a harmless one."""
    needed = {
        *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "SSL_CERT_FILE"),
        *("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "NVIDIA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
        *("ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES", "ASCEND_HOME_PATH"),
    }
    credentials = {
        *("NVIDIA_API_KEY", "NVIDIA_VISIBLE_DEVICES_TOKEN", "CUDA_TOKEN", "ROCR_SECRET", "HIP_PASSWORD"),
        *("ASCEND_API_KEY", "LC_SECRET", "DYLD_TOKEN", "AWS_SECRET_ACCESS_KEY", "XPATH", "path"),
    }

    assert inherited(dict.fromkeys(needed | credentials, "x")) == dict.fromkeys(needed, "x")


GPUS = tuple(Device(gpu.uuid, "gpu", str(index)) for index, gpu in enumerate(gpus(4)))
NPUS = tuple(Device(str(number), "npu", str(number)) for number in range(8))
INHERITED_DEVICES = {"CUDA_VISIBLE_DEVICES": "0,1", "NVIDIA_VISIBLE_DEVICES": "all", "ASCEND_DEVICE_ID": "7"}


def _visible(index: int = 0, **members: object) -> dict[str, str]:
    """The variables of a task that begin as those of devices do."""
    container = Container(JobSpec("1", "job", **members), index, FOLDER)  # type: ignore[arg-type]
    environ = container.environment([], INHERITED_DEVICES)
    return {name: value for name, value in environ.items() if name.startswith(("CUDA", "NVIDIA", "ASCEND"))}


def test_each_task_is_told_of_its_own_devices_and_of_no_others() -> None:
    """A task without devices sees none; if the emulator gives none out, a task inherits what the emulator sees."""
    devices = (GPUS[2:], GPUS[:1], (), NPUS[4:6])
    told = [_visible(index, node_count=4, devices=devices) for index in range(4)]

    assert [each["CUDA_VISIBLE_DEVICES"] for each in told] == [f"{GPUS[2].id},{GPUS[3].id}", GPUS[0].id, "", ""]
    assert [each["ASCEND_RT_VISIBLE_DEVICES"] for each in told] == ["", "", "", "4,5"]
    for each in told:
        assert each["NVIDIA_VISIBLE_DEVICES"] == each["CUDA_VISIBLE_DEVICES"], each
        assert each["ASCEND_VISIBLE_DEVICES"] == each["ASCEND_RT_VISIBLE_DEVICES"], each
        assert "ASCEND_DEVICE_ID" not in each, each
    assert _visible() == INHERITED_DEVICES


@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        ("0", [2]),
        ("1,0", [3, 2]),
        (" 1 , 0 ", [3, 2]),
        ("0,0", [2]),
        ("0,2,1", [2]),
        (GPUS[3].id, [3]),
        (GPUS[3].id[:12], [3]),
        ("GPU-", []),
        (f"{GPUS[0].id},0", []),
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
    ],
)
def test_what_a_job_asks_for_counts_its_own_devices(asked: str, seen: list[int]) -> None:
    """As in a container that has only these: a job that asks for GPU 0 gets its first one, never that of another."""
    told = _visible(devices=(GPUS[2:],), environments={"CUDA_VISIBLE_DEVICES": asked, "NVIDIA_VISIBLE_DEVICES": "all"})

    assert told["CUDA_VISIBLE_DEVICES"] == told["NVIDIA_VISIBLE_DEVICES"] == ",".join(GPUS[n].id for n in seen)


def test_numbers_of_npus_that_a_job_asks_for_are_places_among_its_own() -> None:
    """So are those that come as a hyperparameter which is a variable."""
    one = _visible(devices=((NPUS[5], NPUS[0]),), environments={"ASCEND_RT_VISIBLE_DEVICES": "0"})
    two = _visible(
        devices=((NPUS[5], NPUS[0]),),
        command="sh run.sh",
        parameters=(("ASCEND_RT_VISIBLE_DEVICES", "1,5"),),
        parameters_as_variables=True,
    )

    assert (one["ASCEND_RT_VISIBLE_DEVICES"], two["ASCEND_RT_VISIBLE_DEVICES"]) == ("5", "0")


def _ids(machine: Machine, **environ: str) -> list[str]:
    return [device.index for device in find_devices({"PATH": machine.path, **environ})]


def test_the_devices_of_this_machine_are_found_by_the_tools_of_their_vendors(tmp_path: Path) -> None:
    """A machine without tools has none. A reading that a tool does not give is unknown."""
    machine = Machine(tmp_path, gpus(2), npus(4, chips=2))
    machine.set_gpu(1, name="NVIDIA GB10, a chip", memory_mib=NOT_AVAILABLE)
    found = find_devices({"PATH": machine.path})

    assert find_devices({"PATH": str(tmp_path)}) == ()
    assert found[:2] == (
        Device(gpus(2)[0].uuid, "gpu", "0", "NVIDIA A100-SXM4-40GB", 40 << 30),
        Device(gpus(2)[1].uuid, "gpu", "1", "NVIDIA GB10, a chip"),
    )
    assert found[2:] == tuple(Device(str(n), "npu", str(n), "Ascend 910B3", 64 << 30) for n in range(4))


def test_slices_take_the_place_of_a_divided_card(tmp_path: Path) -> None:
    """A card that is to be divided and has no slices yet can be used by nobody."""
    machine = Machine(tmp_path, gpus(4))
    machine.set_gpu(1, has_mig=True, slices=["3g.20gb", "1c.1g.5gb"])
    machine.set_gpu(2, has_mig=True)
    found = find_devices({"PATH": machine.path})
    card = gpus(2)[1]

    assert [device.index for device in found] == ["0", "1.0", "1.1", "3"]
    assert found[2] == Device(
        card.slice_uuid(1), "gpu", "1.1", "NVIDIA A100-SXM4-40GB MIG 1c.1g.5gb", 5 << 30, card.uuid
    )
    assert _ids(machine, CUDA_VISIBLE_DEVICES="3,1") == ["3", "1.0", "1.1"]
    assert _ids(machine, CUDA_VISIBLE_DEVICES=card.slice_uuid(1)) == ["1.1"]
    assert _ids(machine, CUDA_VISIBLE_DEVICES=card.uuid) == ["1.0", "1.1"]


def test_a_driver_that_knows_no_slices_is_asked_without_them(tmp_path: Path) -> None:
    """Its tool answers the whole query with an error. Other unknown fields are an error of the tool."""
    machine = Machine(tmp_path, gpus(2))
    found = find_devices({"PATH": machine.path})
    machine.forget("mig.mode.current")

    assert find_devices({"PATH": machine.path}) == found
    assert len(found) == 2
    machine.forget("mig.mode.current", "memory.total")
    assert find_devices({"PATH": machine.path}) == ()


def test_the_emulator_uses_the_devices_that_it_sees_itself(tmp_path: Path) -> None:
    """In the order in which the variables of CUDA and Ascend name them."""
    machine = Machine(tmp_path, gpus(3), npus(3))

    assert _ids(machine, CUDA_VISIBLE_DEVICES="2,0,7,1", ASCEND_RT_VISIBLE_DEVICES="") == ["2", "0"]
    assert _ids(machine, CUDA_VISIBLE_DEVICES="-1", ASCEND_RT_VISIBLE_DEVICES="2,1") == ["2", "1"]


@pytest.mark.parametrize("output", [NO_DRIVER, NO_DEVICES, NO_DCMI, "rubbish,,,,,,,,\n\x01|1|2|3|", ""])
def test_a_tool_that_fails_gives_no_devices_and_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, output: str
) -> None:
    """The warning says what the tool printed, and what to do."""
    machine = Machine(tmp_path, gpus(2))
    machine.answer(output, status=9)

    assert find_devices({"PATH": machine.path}) == ()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.exc_info is None
    assert (output.partition("\n")[0] or "it printed nothing") in record.message
    assert "start with --devices none" in record.message


def test_a_tool_that_hangs_or_cannot_be_started_gives_no_devices_and_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(tmp_path, gpus(2), npus(1))
    (machine.bin / "npu-smi").write_bytes(b"\x7fELF")
    machine.hang()

    assert find_devices({"PATH": machine.path}, timeout_s=0.2) == ()
    said = [record.message for record in caplog.records]
    assert ["no answer within 0.2 s" in said[0], "Exec format error" in said[1]] == [True, True], said


def test_devices_are_chosen_by_number_or_id() -> None:
    """Each once, in the order in which they are named; an unknown one is an error that says which there are."""
    found = [Device("GPU-ab", index="0", name="NVIDIA T4"), Device("GPU-cd", index="1.0", name="NVIDIA A30")]

    assert choose_devices(found, "1.0, 0,GPU-c") == (found[1], found[0])
    for text in ("2", "GPU-", "", "0,,1", "MIG-x"):
        with pytest.raises(EmulatorError, match=r"is not one of GPU 0 \(NVIDIA T4\), GPU 1.0 \(NVIDIA A30"):
            choose_devices(found, text)
    with pytest.raises(EmulatorError, match="no accelerators were found"):
        choose_devices([], "0")


SEEN = {"MA_CURRENT_HOST_IP", "MA_JOB_KIND", "MA_INPUTS", "MA_OUTPUTS"}  # in start scripts of the vendor's images
# Page "Viewing Environment Variables of a Training Container"; MA_VJ_NAME and PYTHONPATH from other pages.
DOCUMENTED = {
    "PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "MA_HOME", "MA_JOB_DIR", "MA_MOUNT_PATH", "MA_LOG_DIR",
    "MA_SCRIPT_INTERPRETER", "WORKSPACE", "MA_CURRENT_IP", "MA_NUM_GPUS", "MA_TASK_NAME", "MA_NUM_HOSTS",
    "VC_TASK_INDEX", "VC_WORKER_NUM", "VC_WORKER_HOSTS", "NCCL_VERSION", "NCCL_DEBUG", "NCCL_IB_HCA",
    "NCCL_SOCKET_IFNAME", "S3_ENDPOINT", "S3_VERIFY_SSL", "S3_USE_HTTPS", "MA_PIP_HOST", "MA_PIP_URL",
    "MA_APIGW_ENDPOINT", "MA_CURRENT_INSTANCE_NAME", "MA_DETECT_TRAIN_INJECT_CODE", "MA_VJ_NAME", "MA_TASK_INDEX",
    "RANK_TABLE_FILE", "PYTHONPATH",
}  # fmt: skip
FROM_THE_SITE = {"S3_ENDPOINT", "S3_VERIFY_SSL", "S3_USE_HTTPS", "MA_APIGW_ENDPOINT", "MA_NUM_GPUS"}
FROM_THE_MACHINE = {"LD_LIBRARY_PATH", "LIBRARY_PATH"}
NOT_TRUE_HERE = {"NCCL_VERSION", "NCCL_IB_HCA", "MA_PIP_HOST", "MA_PIP_URL", "MA_TASK_INDEX", "RANK_TABLE_FILE"}


def test_every_documented_variable_is_set_or_is_named_among_the_differences() -> None:
    """A variable that cannot be true on this machine is not set, and the list of differences says why."""
    service = dict.fromkeys(FROM_THE_SITE, "x")
    environ = _container(service_environments=service).environment(["/bin"], dict.fromkeys(FROM_THE_MACHINE, "/l"))
    differences = (Path(__file__).parents[3] / "docs/emulator-differences.md").read_text("utf-8")

    assert DOCUMENTED - set(environ) == NOT_TRUE_HERE
    assert [name for name in sorted(NOT_TRUE_HERE) if f"`{name}`" not in differences] == []
    assert [name for name in environ if name not in DOCUMENTED | SEEN | {"PYTHONUNBUFFERED", TASK_MARK}] == []


def test_the_preset_variables_say_what_the_page_says() -> None:
    """The values of the page's examples, for the second of two nodes; the vendor's start scripts read some more."""
    container = Container(
        JobSpec("j", "job", node_count=2, code_dir="/b/x/code/", inputs=(Channel("data_url", "/b/x/"),)), 1, FOLDER
    )
    environ = container.environment(["/bin"], {})

    assert environ["MA_HOME"] == f"{FOLDER}/home/ma-user"
    assert environ["MA_MOUNT_PATH"] == f"{FOLDER}/home/ma-user/modelarts"
    assert environ["MA_LOG_DIR"] == f"{FOLDER}/home/ma-user/modelarts/log"
    assert environ["WORKSPACE"] == f"{environ['MA_JOB_DIR']}/code"
    assert environ["MA_JOB_DIR"] == f"{FOLDER}/home/ma-user/modelarts/user-job-dir"
    assert environ["PYTHONPATH"].split(":") == [environ["MA_JOB_DIR"], str(JOB_PACKAGES)]
    own = _container(environments={"PYTHONPATH": "/own"}).environment([], {})
    assert own["PYTHONPATH"].split(":") == ["/own", str(JOB_PACKAGES)]
    assert environ["MA_SCRIPT_INTERPRETER"] == ""
    assert environ["MA_TASK_NAME"] == "worker"
    assert environ["MA_NUM_HOSTS"] == environ["VC_WORKER_NUM"] == "2"
    assert environ["VC_TASK_INDEX"] == "1"
    assert environ["VC_WORKER_HOSTS"].split(",")[1] == environ["MA_CURRENT_IP"]
    assert environ["MA_VJ_NAME"] == "ma-job-j"
    assert environ["MA_CURRENT_INSTANCE_NAME"] == "modelarts-job-j-worker-1"

    local_dir = f"{FOLDER}/home/ma-user/modelarts/inputs/data_url_0"
    entry = {"name": "data_url", "local_dir": local_dir, "remote": {"obs": {"obs_url": "/b/x/"}}}
    assert json.loads(environ["MA_INPUTS"]) == {"inputs": [entry]}
    assert json.loads(environ["MA_OUTPUTS"]) == {"outputs": []}
    assert environ["MA_CURRENT_HOST_IP"] == environ["MA_CURRENT_IP"]
    assert environ["MA_JOB_KIND"] == "job"


def test_a_custom_image_of_version_1_gets_hyperparameters_as_variables_that_replace_no_others() -> None:
    """One of version 2 gets them as arguments, and of its channels only those that are to be variables as such."""
    parameters = {"parameters": (("epochs", "3"), ("MA_TASK_NAME", "x"), ("mine", "x"))}
    outputs = (Channel("train_url", "/b/y/"), Channel("log", "/b/z/", "/home/ma-user/log", "env"))
    one = _container(command="sh run.sh", environments={"mine": "y"}, parameters_as_variables=True, **parameters)
    two = _container(command="sh run.sh", outputs=outputs, **parameters)
    environ, others = one.environment([], {}), two.environment([], {})

    assert (environ["epochs"], environ["MA_TASK_NAME"], environ["mine"]) == ("3", "worker", "y")
    assert one.arguments() == []
    assert {"epochs", "mine", "train_url"} & set(others) == set()
    assert others["log"] == f"{FOLDER}/home/ma-user/log"
    assert [argument.partition("=")[0] for argument in two.arguments()] == [
        *("--epochs", "--MA_TASK_NAME", "--mine", "--train_url")
    ]


def test_nodes_have_different_addresses_and_jobs_too() -> None:
    one, two = addresses("job-1", 3), addresses("job-2", 3)

    assert addresses("job-1", 1) == ["127.0.0.1"]
    assert addresses("job-1", 3) == one
    if one[0] != "127.0.0.1":
        assert len({*one, *two}) == 6
        assert all(address.startswith("127.") for address in one + two)


BEFORE = ["", "cd / && ", "#!/bin/sh\n", "X='a;b' ", "echo '# in it' && ", "true # a; b\n", "echo a | cat; "]
SCRIPTS = ["s", "s --x 'a  b'", 's "a # b"', "s a#b\r", "s $(echo 1)", 's "$(echo "a; b")"', "s a\\ b \f", "s 2>&1"]
AFTER = ["", " ", "\n", ";", " ;", " ; ", " &", "& ", " # comment", " ;# it's a comment", " # a; b\n", "; # 'x"]
TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)


def printed(command: str) -> str:
    """What the arguments of `s` are when the shell runs the command, as the service runs it."""
    define = "s() { for each; do printf '<%s>' \"$each\" >&3; done; }; exec 3>&1 >/dev/null 2>&1; "
    done = subprocess.run(["/bin/sh", "-c", f"{define}{command}\nwait"], capture_output=True, check=False)
    return done.stdout.decode()


@given(
    st.sampled_from(BEFORE), st.sampled_from(SCRIPTS), st.sampled_from(AFTER), st.lists(TEXTS, min_size=1, max_size=3)
)
@example("cd / && ", "s", " # it's", ["it's $HOME; rm #", "\n"])
def test_the_last_command_of_the_line_gets_the_arguments(
    before: str, script: str, after: str, values: list[str]
) -> None:
    """Whatever stands before and after it, behind its own, and each as one word; without any, the line is as it was."""
    arguments = [f"--name={value}" for value in values]
    own = printed(before + script)

    assert with_arguments(before + script + after, []) == before + script + after
    assert printed(with_arguments(before + script + after, arguments)) == own + "".join(f"<{x}>" for x in arguments)


def test_a_command_that_no_shell_can_read_stays_one() -> None:
    """The shell says what is wrong with it."""
    assert with_arguments("python 'train.py", ["--a=1"]) == "python 'train.py --a=1"
