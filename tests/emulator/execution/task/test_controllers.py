"""The processes that own tasks, started by hand as on the nodes of a cluster: they know each other by records only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.execution.conftest import Bench, wait_for

from modelarts_emulator.engine.runs import node_resources
from modelarts_emulator.execution.ascend import command, rank_table
from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm.ends import INTERRUPTED
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.interpreter import changeable
from modelarts_emulator.execution.task.namespaces import PathMode
from modelarts_emulator.execution.task.process_tree import ProcessId
from modelarts_emulator.execution.task.records import TaskPlace

CONTROLLER = """
import sys
from modelarts_emulator.execution.task import controller
controller.BEAT_S = 0.5
sys.exit(controller.main(sys.argv[1:]))
"""


SLEEPING = "import time\nprint('ready', flush=True)\ntime.sleep(600)\n"


def start_controllers(bench: Bench, job: JobSpec) -> list[subprocess.Popen[bytes]]:
    """Write the job's attempt down, and start the controllers of its tasks."""
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    command = [sys.executable, "-c", CONTROLLER, str(bench.folder / "jobs"), job.job_id, "0"]
    return [subprocess.Popen([*command, place.task]) for place in bench.place().tasks(job.node_count)]


def script_of(place: TaskPlace) -> ProcessId:
    """The user's process."""
    start = records.read_start(place)
    assert start is not None
    assert start.process is not None
    return start.process


@pytest.mark.parametrize("kind", ["stopped", "preempted", "deleted"])
def test_a_task_is_ended_by_its_records(bench: Bench, kind: str) -> None:
    """By the service's wish, by a failure that is caused on purpose, or because its job was deleted."""
    (controller,) = start_controllers(bench, bench.spec(SLEEPING))
    bench.wait_for_log("ready")
    place, script = bench.place(), script_of(bench.place())
    if kind == "stopped":
        place.stop.touch()
    elif kind == "preempted":
        records.write(place.failure, {"kind": kind})
    else:
        (place.jobs / records.FOLDER).rename(place.jobs / ".trash")

    assert controller.wait(300) == 0
    wait_for(lambda: not script.is_alive())
    if kind != "deleted":
        end = records.read_exit(place)
        assert end is not None
        assert (end.exit_code, end.failure) == (143, "preempted" if kind == "preempted" else None)


def test_a_task_ends_when_a_peer_gives_no_sign_of_life_and_that_one_is_lost(bench: Bench) -> None:
    """Its node was started anew, say, and the engine did not notice; one that comes back has been given up."""
    first, second = start_controllers(bench, replace(bench.spec(SLEEPING), node_count=2))
    places = bench.place().tasks(2)
    for place in places:
        bench.wait_for_log("ready", task=place.task)
    script = script_of(places[1])
    second.send_signal(signal.SIGSTOP)

    assert first.wait(300) == 0
    ends = [records.read_exit(place) for place in places]
    assert [(end.exit_code, end.failure) for end in ends if end] == [(143, None), (137, "node_lost")]
    assert ends[0] is not None
    assert ends[0].message == "stopped because worker-1 ended with exit code 137"
    second.send_signal(signal.SIGCONT)
    assert second.wait(300) == 0
    wait_for(lambda: not script.is_alive())


SLURM_CONTROLLER = """
import sys
from pathlib import Path
from modelarts_emulator.execution.slurm import controller
from modelarts_emulator.execution.task.controller import Controller
execute, controller._SIGNALS_S = Controller._execute, 300
def execute_and_tell(self):
    end = execute(self)
    Path(sys.argv[4]).touch()
    return end
Controller._execute = execute_and_tell
sys.exit(controller.main(sys.argv[1:4]))
"""


def test_a_script_that_gets_slurms_signal_before_its_controller_was_interrupted(bench: Bench) -> None:
    """Slurm signals the processes of a step one by one, in any order."""
    job = bench.spec(SLEEPING)
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    noticed = bench.folder / "noticed"
    command = [sys.executable, "-c", SLURM_CONTROLLER, str(bench.folder / "jobs"), job.job_id, "0", str(noticed)]
    with subprocess.Popen(command) as controller:
        wait_for(bench.place().process.exists)
        os.kill(script_of(bench.place()).pid, signal.SIGTERM)
        wait_for(noticed.exists)
        controller.send_signal(signal.SIGTERM)

    end = records.read_exit(bench.place())
    assert end is not None
    assert (end.exit_code, end.message) == (143, INTERRUPTED)


ENGINE = {"engine_name": "Ascend-Powered-Engine"}
CARDS = Resources(npu_count=2)
NAMES = ("DEVICE_ID", "ASCEND_DEVICE_ID", "RANK_ID", "RANK_SIZE")
SHOW = f"""
import json, os, sys
os.write(1, b"card " + json.dumps([os.environ.get(name) for name in {NAMES}] + sys.argv[1:]).encode() + b"\\n")
"""
TABLE = """
import json, os, pathlib, sys
table = pathlib.Path(os.environ["RANK_TABLE_FILE"])
entry = [os.environ["RANK_ID"], os.environ["MA_CURRENT_HOST_IP"], table.is_relative_to(os.environ["MA_HOME"])]
os.write(1, b"card " + json.dumps([*entry, table.name, json.loads(table.read_text())]).encode() + b"\\n")
"""
SAVE = """
import os, signal, sys, time
def save(*_):
    os.write(1, b"saved by %s\\n" % os.environ["RANK_ID"].encode())
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
os.write(1, b"%s is ready\\n" % os.environ["RANK_ID"].encode())
while True:
    time.sleep(0.05)
"""
HEAD = {"status": "completed", "version": "1.0", "server_count": "2", "server_list": []}
TORCHRUN = 'import sys; print(["by torchrun", *sys.argv[1:]])'


def shown(bench: Bench, task: str) -> list[list[str | None]]:
    """What the scripts of the task have printed, by rank."""
    lines = bench.log(task=task).splitlines()
    return sorted(json.loads(line.removeprefix("card ")) for line in lines if line.startswith("card "))


def test_a_boot_file_runs_once_for_each_card(bench: Bench) -> None:
    """Each knows its card, its rank in the job and the number of cards, which are not set with another engine.

    The task has the exit code of the first that fails, whatever the others end with.
    """
    bench.run(SHOW, engine=ENGINE, resources=CARDS, node_count=2, parameters=(("lr", "1"),))
    assert shown(bench, "worker-0") == [["0", "0", "0", "4", "--lr=1"], ["1", "1", "1", "4", "--lr=1"]]
    assert shown(bench, "worker-1") == [["0", "0", "2", "4", "--lr=1"], ["1", "1", "3", "4", "--lr=1"]]
    for engine, resources in ((ENGINE, Resources()), ({"engine_name": "PyTorch"}, CARDS)):
        bench.run(SHOW, engine=engine, resources=resources)
        assert shown(bench, "worker-0") == [[None] * 4], (engine, resources)
    fails = "import os, sys; sys.exit(int(os.environ['RANK_ID']) % 3 * 3)"
    assert bench.run(fails, engine=ENGINE, resources=Resources(npu_count=4)).exit_code == 3


@pytest.mark.parametrize("paths", ["mapping", "namespace"])
def test_every_card_finds_itself_in_the_rank_table_of_the_job(bench: Bench, tmp_path: Path, paths: PathMode) -> None:
    """All nodes have the same table, with the cards that each got, or else numbered; a driver's file has addresses."""
    bench.use_paths(paths)
    for devices, expected in (
        (None, [["0", "1"], ["0", "1"]]),
        (
            ((Device("5", "npu"), Device("2", "npu")), (Device("7", "npu"), Device("0", "npu"))),
            [["5", "2"], ["7", "0"]],
        ),
    ):
        job_id = bench.start(TABLE, engine=ENGINE, resources=CARDS, node_count=2, devices=devices)
        bench.end(job_id)
        entries = [entry for task in ("worker-0", "worker-1") for entry in shown(bench, task)]
        (table,) = {json.dumps(entry[-1]) for entry in entries}
        servers = json.loads(table)["server_list"]

        assert [[card["device_id"] for card in server["device"]] for server in servers] == expected, devices
        places = [(card["rank_id"], server["server_id"]) for server in servers for card in server["device"]]
        assert places == [(rank, address) for rank, address, *_ in entries], devices
        assert {str(entry[2:4]) for entry in entries} == {"[True, 'jobstart_hccl.json']"}, devices
        assert json.loads(table) | {"server_list": []} == HEAD, devices

    file = tmp_path / "hccn.conf"
    file.write_text(
        "address_0=192.168.100.101\nnetmask_0=255.255.255.0\naddress_1=192.168.101.101\nsend_arp_status_1=1\n"
    )
    job = bench.spec(engine=ENGINE, resources=CARDS, devices=((Device("1", "npu"), Device("4", "npu")),))
    for nodes, first in (((), {"device_ip": "192.168.101.101"}), (("127.0.0.1",), {})):
        (server,) = rank_table(Container(job, 0, tmp_path, nodes=nodes), file)["server_list"]
        assert server["device"] == [{"device_id": "1", **first, "rank_id": "0"}, {"device_id": "4", "rank_id": "1"}], (
            nodes
        )


def test_every_card_can_save_its_work_when_the_job_is_stopped(bench: Bench) -> None:
    """The task ends after the last of them."""
    bench.executor = bench.new_executor(grace=60)
    job_id = bench.start(SAVE, engine=ENGINE, resources=CARDS)
    for rank in "01":
        bench.wait_for_log(f"{rank} is ready", job_id)
    bench.executor.cancel(job_id)
    bench.end(job_id)
    assert {"saved by 0", "saved by 1"} <= set(bench.log(job_id).splitlines())


def test_torchrun_starts_as_many_processes_as_there_are_cards(bench: Bench) -> None:
    """It gets the number of processes, the place where several nodes meet, and the boot file with its arguments."""
    members: dict[str, Any] = {"engine": ENGINE, "resources": CARDS}
    for nodes in (1, 2):
        job = bench.spec(SHOW, environments={"MA_RUN_METHOD": "torchrun"}, node_count=nodes, **members)
        for name, text in (("__init__", ""), ("distributed/__init__", ""), ("distributed/run", TORCHRUN)):
            bench.store.put("data", f"{job.job_id}/code/torch/{name}.py", text.encode())
        bench.executor.submit(job)
        bench.end(job.job_id)
        log = bench.log()
        assert "by torchrun" in log, nodes
        assert "'--nproc_per_node=2'" in log, nodes
        assert "train.py" in log, nodes
        assert ("--standalone" in log, "--nnodes=2', '--node_rank=0'" in log) == (nodes == 1, nodes == 2), nodes

    report = bench.run(SHOW, environments={"MA_RUN_METHOD": "msrun"}, **members)
    assert report.exit_code == 1
    assert "MA_RUN_METHOD=msrun is not imitated: leave it out" in str(report.message)


def test_jobs_of_several_nodes_meet_at_ports_of_their_own(tmp_path: Path) -> None:
    """torchrun listens on all addresses of the machine, which may run several jobs; all nodes of a job name one."""
    job = JobSpec("one", "job", 2, engine=ENGINE, environments={"MA_RUN_METHOD": "torchrun"})

    def port(job: JobSpec, index: int) -> str:
        return command(Container(job, index, tmp_path), "python", ["train.py"])[-2]

    assert port(job, 0) == port(job, 1)
    assert len({port(replace(job, job_id=name), 0) for name in ("one", "two", "three")}) == 3
    assert "--master_port=" in port(job, 0)


def test_the_flavor_says_how_many_cards_a_node_has() -> None:
    """The documents have the number as text, too."""
    assert [node_resources("f", {"npu": {"unit_num": number}}).npu_count for number in (8, "8")] == [8, 8]


def test_every_python_that_a_script_finds_is_covered_but_not_the_home_around_it(tmp_path: Path) -> None:
    """A link and a wrapper lead to the Python behind them; an environment that is alone needs no folder of the user."""

    def make(name: str) -> str:
        (tmp_path / name / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
        (tmp_path / name / "bin").mkdir()
        (tmp_path / name / "bin" / "python").touch(0o755)
        return str(tmp_path / name)

    home, real, other, conda = (make(name) for name in ("home", "real", "other", "conda"))
    link, wrapper = tmp_path / "link", tmp_path / "wrapper"
    link.symlink_to(f"{real}/bin/python")
    wrapper.write_text(f"#!/bin/sh\necho {other}/bin/python\n")
    wrapper.chmod(0o755)
    variables = {"HOME": home, "PATH": f"{conda}/condabin:{conda}/bin:{tmp_path}/none/bin:/usr/bin:relative"}
    assert changeable(f"{real}/bin/python", variables | {"PATH": f"{home}/bin"})[1:] == [f"{home}/.local/lib", real]
    Path(real, "pyvenv.cfg").touch()
    assert changeable(f"{real}/bin/python", variables) == [conda, real]
    local = [f"{home}/.local/bin", f"{home}/.local/lib"]
    assert changeable(str(link), variables) == [conda, *local, real]
    assert changeable(str(wrapper), variables) == [conda, *local, other]
