"""How boot files of Ascend engines start."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emulator.execution.conftest import Bench

from modelarts_emulator.engine.runs import node_resources
from modelarts_emulator.execution.ascend import command
from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.protocol import JobSpec, Resources

ENGINE = {"engine_name": "Ascend-Powered-Engine"}
CARDS = Resources(npu_count=2)
NAMES = ("ASCEND_DEVICE_ID", "RANK_ID", "RANK_SIZE")
SHOW = f"""
import json, os, sys
os.write(1, b"card " + json.dumps([os.environ.get(name) for name in {NAMES}] + sys.argv[1:]).encode() + b"\\n")
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
TORCHRUN = 'import sys; print(["by torchrun", *sys.argv[1:]])'


def shown(bench: Bench, task: str) -> list[list[str | None]]:
    """What the scripts of the task have printed, by rank."""
    lines = bench.log(task=task).splitlines()
    return sorted(json.loads(line.removeprefix("card ")) for line in lines if line.startswith("card "))


def test_a_boot_file_runs_once_for_each_card(bench: Bench) -> None:
    """Each knows its card, its rank in the job and the number of cards."""
    bench.run(SHOW, engine=ENGINE, resources=CARDS, node_count=2, parameters=(("lr", "1"),))
    assert shown(bench, "worker-0") == [["0", "0", "4", "--lr=1"], ["1", "1", "4", "--lr=1"]]
    assert shown(bench, "worker-1") == [["0", "2", "4", "--lr=1"], ["1", "3", "4", "--lr=1"]]


def test_a_card_whose_script_fails_makes_its_task_fail(bench: Bench) -> None:
    """The task has the exit code of the first of them, whatever the others end with."""
    fails = "import os, sys; sys.exit(int(os.environ['RANK_ID']) % 3 * 3)"
    assert bench.run(fails, engine=ENGINE, resources=Resources(npu_count=4)).exit_code == 3


@pytest.mark.parametrize("members", [{"engine": ENGINE}, {"engine": {"engine_name": "PyTorch"}, "resources": CARDS}])
def test_without_cards_or_with_another_engine_it_runs_once(bench: Bench, members: dict[str, object]) -> None:
    """The variables of cards are not set then."""
    bench.run(SHOW, **members)
    assert shown(bench, "worker-0") == [[None, None, None]]


def test_every_card_can_save_its_work_when_the_job_is_stopped(bench: Bench) -> None:
    """The task ends after the last of them."""
    bench.executor = bench.new_executor(grace=60)
    job_id = bench.start(SAVE, engine=ENGINE, resources=CARDS)
    for rank in "01":
        bench.wait_for_log(f"{rank} is ready", job_id)
    bench.executor.cancel(job_id)
    bench.end(job_id)
    assert {"saved by 0", "saved by 1"} <= set(bench.log(job_id).splitlines())


@pytest.mark.parametrize("nodes", [1, 2])
def test_torchrun_starts_as_many_processes_as_there_are_cards(bench: Bench, nodes: int) -> None:
    """It gets the number of processes, the place where several nodes meet, and the boot file with its arguments."""
    environments = {"MA_RUN_METHOD": "torchrun"}
    job = bench.spec(SHOW, engine=ENGINE, resources=CARDS, environments=environments, node_count=nodes)
    for name, text in (("__init__", ""), ("distributed/__init__", ""), ("distributed/run", TORCHRUN)):
        bench.store.put("data", f"{job.job_id}/code/torch/{name}.py", text.encode())
    bench.executor.submit(job)
    bench.end(job.job_id)
    log = bench.log()
    assert "by torchrun" in log
    assert "'--nproc_per_node=2'" in log
    assert "train.py" in log
    assert ("--standalone" in log, "--nnodes=2', '--node_rank=0'" in log) == (nodes == 1, nodes == 2)


def test_jobs_of_several_nodes_meet_at_ports_of_their_own(tmp_path: Path) -> None:
    """torchrun listens on all addresses of the machine, which may run several jobs; all nodes of a job name one."""
    job = JobSpec("one", "job", 2, engine=ENGINE, environments={"MA_RUN_METHOD": "torchrun"})

    def port(job: JobSpec, index: int) -> str:
        return command(Container(job, index, tmp_path), "python", ["train.py"])[-2]

    assert port(job, 0) == port(job, 1)
    assert len({port(replace(job, job_id=name), 0) for name in ("one", "two", "three")}) == 3
    assert "--master_port=" in port(job, 0)


def test_another_way_to_start_is_named_with_the_remedy(bench: Bench) -> None:
    """No script runs in another way than the job asks for."""
    report = bench.run(SHOW, engine=ENGINE, resources=CARDS, environments={"MA_RUN_METHOD": "msrun"})
    assert report.exit_code == 1
    assert "MA_RUN_METHOD=msrun is not imitated: leave it out" in str(report.message)


@pytest.mark.parametrize("number", [8, "8"])
def test_the_flavor_says_how_many_cards_a_node_has(number: int | str) -> None:
    """The documents have the number as text, too."""
    assert node_resources("f", {"npu": {"unit_num": number}}).npu_count == 8
