"""The documented container, mapped into a folder."""

from pathlib import Path

import pytest

from modelarts_emulator.executors import Channel, JobSpec
from modelarts_emulator.executors.container import Container, addresses, inherited

FOLDER = Path("/data/jobs/1/worker-0")


def _container(**members: object) -> Container:
    return Container(JobSpec("1", "job", **members), 0, FOLDER)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("documented", "expected"),
    [
        ("/home/ma-user/modelarts/log", "home/ma-user/modelarts/log"),
        ("/home/../../../etc/passwd", "etc/passwd"),
        ("//home//x/", "home/x"),
        ("relative", "relative"),
        ("/..", "."),
    ],
)
def test_a_documented_path_never_leads_out_of_the_folder(documented: str, expected: str) -> None:
    assert _container().map(documented) == FOLDER / expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cd /home/ma-user/ddp && sh x", f"cd {FOLDER}/home/ma-user/ddp && sh x"),
        ("PATH=/home/ma-user", f"PATH={FOLDER}/home/ma-user"),
        ("a:/home/ma-user/b:/home/ma-user", f"a:{FOLDER}/home/ma-user/b:{FOLDER}/home/ma-user"),
        ("/home/ma-users/x", "/home/ma-users/x"),
        ("/data/home/ma-user", "/data/home/ma-user"),
        ("obs://bucket/home/ma-user/x", "obs://bucket/home/ma-user/x"),
    ],
)
def test_mentions_of_the_home_are_mapped_and_nothing_else(text: str, expected: str) -> None:
    assert _container().map_text(text) == expected


def test_code_lies_under_its_last_segment() -> None:
    job_dir = FOLDER / "home/ma-user/modelarts/user-job-dir"

    assert _container(code_dir="/b/training/demo-code/").code == job_dir / "demo-code"
    assert _container(code_dir="obs://b/demo").code == job_dir / "demo"
    assert (
        _container(code_dir="/b/demo/", local_code_dir="/home/ma-user/mine/").code == FOLDER / "home/ma-user/mine/demo"
    )
    assert _container().code is None


def test_the_start_is_in_the_working_directory_else_the_code_else_the_home() -> None:
    assert _container(code_dir="/b/c/", working_dir="/home/ma-user/w").working_dir == FOLDER / "home/ma-user/w"
    assert _container(code_dir="/b/c/").working_dir.name == "c"
    assert _container().working_dir == FOLDER / "home/ma-user"


def test_a_channel_lies_where_it_wants_to() -> None:
    container = _container(inputs=(Channel("a", "/b/x/"), Channel("d", "/b/y/", "/home/ma-user/mine")))

    assert [path for _, path in container.inputs()] == [
        FOLDER / "home/ma-user/modelarts/inputs/a_0",
        FOLDER / "home/ma-user/mine",
    ]


def test_only_what_programs_need_is_inherited() -> None:
    environ = {"PATH": "p", "LC_ALL": "C", "CUDA_VISIBLE_DEVICES": "0", "AWS_SECRET_ACCESS_KEY": "s", "XPATH": "x"}

    assert inherited(environ) == {"PATH": "p", "LC_ALL": "C", "CUDA_VISIBLE_DEVICES": "0"}


def test_the_interpreter_s_folder_comes_first_on_the_path() -> None:
    environ = _container().environment("/opt/python/bin/python", {"PATH": "/usr/bin"}, 0)

    assert environ["PATH"] == "/opt/python/bin:/usr/bin"


def test_nodes_have_different_addresses_and_jobs_too() -> None:
    one, two = addresses("job-1", 3), addresses("job-2", 3)

    assert addresses("job-1", 1) == ["127.0.0.1"]
    assert addresses("job-1", 3) == one
    if one[0] != "127.0.0.1":
        assert len({*one, *two}) == 6
        assert all(address.startswith("127.") for address in one + two)
