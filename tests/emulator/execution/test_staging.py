"""Code and inputs come from object storage, outputs and log go there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from modelarts_emulator.execution import staging
from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.protocol import Channel, JobSpec
from modelarts_emulator.storage.folder import FolderStore

JOB = JobSpec(
    "1",
    "job",
    code_dir="/data/code/",
    boot_file="/data/code/deep/train.py",
    inputs=(Channel("data_url", "/data/in/"),),
    outputs=(Channel("first", "/data/out/1/"), Channel("second", "/data/out/2/")),
    log_export_url="/data/logs",
)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    store = FolderStore(tmp_path / "objects")
    store.create_bucket("data")
    store.put("data", "code/deep/train.py", b"print(1)")
    store.put("data", "in/x.csv", b"1,2")
    return store


@pytest.fixture
def container(tmp_path: Path) -> Container:
    return Container(JOB, 0, tmp_path / "worker-0")


def _output(container: Container, channel: int = 0) -> Path:
    folder = container.outputs()[channel][1]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_code_and_inputs_lie_where_the_container_says_and_fetching_them_is_reported(
    container: Container, store: FolderStore
) -> None:
    reported: list[str] = []
    staging.fetch(container, store, reported.append)

    assert Path(staging.boot_file(container)).read_text() == "print(1)"
    assert (container.inputs()[0][1] / "x.csv").read_text() == "1,2"
    assert [path.is_dir() for _, path in container.outputs()] == [True, True]
    assert reported[:2] == [
        "The training code is being downloaded.",
        "Training input(parameter name: data_url) Downloading.",
    ]
    assert reported[2].endswith("Download training input(parameter name: data_url) finished.")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"code_dir": "/data/none/"}, "code directory: there is nothing at /data/none/"),
        (
            {"inputs": (Channel("data_url", "/none/in/"),)},
            "input data_url: cannot fetch /none/in/: bucket 'none' does not exist",
        ),
        ({"inputs": (Channel("data_url", "in"),)}, "input data_url: cannot fetch in: 'in' is not an OBS path"),
    ],
)
def test_what_cannot_be_fetched_is_named(
    container: Container, store: FolderStore, members: dict[str, object], message: str
) -> None:
    container = replace(container, job=replace(JOB, **members))  # type: ignore[arg-type]

    with pytest.raises(staging.StagingError, match=message):
        staging.fetch(container, store, lambda _: None)


@pytest.mark.parametrize("boot_file", [None, "/data/other/train.py", "/other/code/deep/train.py", "/data/code/none.py"])
def test_a_boot_file_outside_the_fetched_code_is_rejected(
    container: Container, store: FolderStore, boot_file: str | None
) -> None:
    staging.fetch(container, store, lambda _: None)
    container = replace(container, job=replace(JOB, boot_file=boot_file))

    with pytest.raises(staging.StagingError, match="boot file"):
        staging.boot_file(container)


def test_an_output_is_uploaded_again_only_after_it_has_changed(container: Container, store: FolderStore) -> None:
    """The periodic upload copies what is new, not gigabytes of old checkpoints every 30 s."""
    uploader = staging.Uploader(container, store)
    (_output(container) / "old").write_bytes(b"1")
    (_output(container, 1) / "old").write_bytes(b"2")
    counts = [uploader.upload(), uploader.upload()]
    store.delete("data", "out/1/old")
    (_output(container) / "new").write_bytes(b"3")
    (_output(container, 1) / "old").write_bytes(b"changed")
    counts += [uploader.upload(), uploader.upload()]

    assert counts == [2, 0, 2, 0]
    assert [info.key for info in store.list("data", "out/").objects] == ["out/1/new", "out/2/old"]
    assert store.read("data", "out/2/old") == b"changed"


def test_an_output_that_cannot_be_uploaded_does_not_keep_the_others_from_it(
    container: Container, store: FolderStore
) -> None:
    """Each of them is named, with its reason."""
    outputs = (Channel("lost", "/none/"), Channel("kept", "/data/out/"), Channel("odd", "out"))
    container = replace(container, job=replace(JOB, outputs=outputs))
    for number in range(3):
        (_output(container, number) / "x").write_bytes(b"1")

    with pytest.raises(staging.StagingError, match=r"output lost: cannot upload to /none/: .*; output odd: "):
        staging.Uploader(container, store).upload()
    assert store.read("data", "out/x") == b"1"


def test_the_log_is_exported_under_its_documented_name(container: Container, store: FolderStore) -> None:
    """`modelarts-job-<id>-worker-<n>.log` below the folder, with or without a slash at its end."""
    (log := container.folder.with_name("log")).write_bytes(b"a line\n")
    for url in ("/data/logs", "obs://data/logs/", "/data"):
        staging.export_log(replace(container, job=replace(JOB, log_export_url=url)), store, log)

    name = "modelarts-job-1-worker-0.log"
    assert [store.read("data", key) for key in (f"logs/{name}", name)] == [b"a line\n"] * 2


def test_a_log_that_cannot_be_exported_is_named(container: Container, store: FolderStore) -> None:
    with pytest.raises(staging.StagingError, match=r"log: cannot export to /data/logs: .*No such file"):
        staging.export_log(container, store, container.folder / "none")
