"""Scripts that misbehave, and failures of real processes: the task ends truthfully and nothing stays behind."""

from __future__ import annotations

import json
import signal
import sys
import time
from dataclasses import replace

import psutil
import pytest
from tests.emulator.execution.conftest import Bench, is_gone, wait_for

from modelarts_emulator.execution.protocol import Channel, spec_to_json
from modelarts_emulator.testing.executor_suite import reports_of

WRITER = """
import os, time
with open(os.environ["WORKSPACE"] + "/file", "w", buffering=1) as stream:
    print("writing", flush=True)
    while True:
        stream.write("more\\n")
        time.sleep(0.01)
"""
FORKS = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.write(1, f"pid {os.getpid()}\\n".encode())
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(1, f"pid {os.getpid()}\\n".encode())
            time.sleep(600)
        os._exit(0)
time.sleep(600)
"""


def _pids(log: str) -> list[int]:
    return [int(line.split()[1]) for line in log.splitlines() if line.startswith("pid ")]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a running process")
@pytest.mark.parametrize("command", ["python {script}", "while echo more >> $WORKSPACE/file; do sleep 0.01; done"])
def test_on_a_full_disk_writing_fails(bench: Bench, command: str) -> None:
    bench.store.put("data", "code/train.py", WRITER.encode())
    command = command.format(script="$WORKSPACE/train.py")
    job_id = bench.start(command=f"echo writing; {command}; exit 28", code_dir="/data/code/")
    bench.wait_for_log("writing")
    bench.executor.inject_fault(job_id, "worker-0", "disk_full")
    report = bench.end(job_id)

    assert report.exit_code != 0
    assert report.failure == "disk_full"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a running process")
def test_a_full_disk_does_not_hurt_who_does_not_write(bench: Bench) -> None:
    job_id = bench.start("import sys, time\nprint('begun', flush=True)\ntime.sleep(0.3)\nprint('done')")
    bench.wait_for_log("begun")
    bench.executor.inject_fault(job_id, "worker-0", "disk_full")
    report = bench.end(job_id)

    assert (report.exit_code, report.failure) == (0, None)
    assert "done\n" in bench.log()


def test_out_of_memory_kills_all_processes_of_a_task(bench: Bench) -> None:
    """As the kernel does where a container has no memory left: without a word in the log."""
    job_id = bench.start(FORKS)
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.executor.inject_fault(job_id, "worker-0", "out_of_memory")
    report = bench.end(job_id)

    assert (report.exit_code, report.failure, report.message) == (137, "out_of_memory", "killed, out of memory")
    assert all(is_gone(pid) for pid in _pids(bench.log()))


def test_all_processes_of_a_hung_task_stand_still_and_end_when_it_is_stopped(bench: Bench) -> None:
    job_id = bench.start(FORKS)
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.executor.inject_fault(job_id, "worker-0", "hung")

    wait_for(lambda: {psutil.Process(pid).status() for pid in _pids(bench.log())} == {psutil.STATUS_STOPPED})
    bench.executor.cancel(job_id)
    assert bench.end(job_id).exit_code == 137
    assert all(is_gone(pid) for pid in _pids(bench.log()))


def test_a_preempted_script_may_save_its_work(bench: Bench) -> None:
    job_id = bench.start_saving(0)
    bench.executor.inject_fault(job_id, "worker-0", "preempted")
    report = bench.end(job_id)

    assert (report.exit_code, report.message, report.failure) == (0, "preempted", "preempted")
    assert bench.store.read("data", "out/checkpoint") == b"saved"


def test_what_a_lost_node_had_not_uploaded_is_lost(bench: Bench) -> None:
    bench.executor = bench.new_executor(upload_period=600)
    script = FORKS.replace("time.sleep(600)\n", "open('file', 'w'); time.sleep(600)\n")
    job_id = bench.start(script, outputs=(Channel("train_url", "/data/out"),))
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.executor.inject_fault(job_id, "worker-0", "node_lost")

    assert reports_of(bench.executor, job_id)[0].message == (
        "the node of worker-0 was lost; outputs written since the last upload are not in object storage"
    )
    assert all(is_gone(pid) for pid in _pids(bench.log()))
    assert not bench.place(job_id).container.exists()


def test_a_node_that_was_lost_while_the_emulator_crashed_is_lost_after_the_restart(bench: Bench) -> None:
    job_id = bench.start(FORKS)
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.place(job_id).failure.write_text('{"kind": "node_lost"}')
    bench.executor = bench.new_executor()

    assert reports_of(bench.executor, job_id)[0].failure == "node_lost"
    wait_for(lambda: all(is_gone(pid) for pid in _pids(bench.log())))


def test_a_task_that_was_written_down_and_never_begun_is_begun_after_the_restart(bench: Bench) -> None:
    job_id = bench.spec("print('ran')").job_id
    bench.run("print('another')")
    place, other = bench.place(job_id), bench.place()
    for folder in (place.folder, place.log.parent, place.container.parent):
        folder.mkdir(parents=True)
    spec = json.loads(other.spec.read_bytes()) | {"job": spec_to_json(bench.spec("print('ran')"))}
    place.spec.write_text(json.dumps(spec))

    assert bench.end(job_id).exit_code == 0
    assert bench.log(job_id).count("ran\n") == 1


def test_processes_that_fork_and_ignore_sigterm_are_ended(bench: Bench) -> None:
    job_id = bench.start(FORKS)
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.executor.cancel(job_id)

    assert (bench.end(job_id).exit_code, bench.end(job_id).message) == (137, "stopped")
    assert all(is_gone(pid) for pid in _pids(bench.log()))


def test_a_script_that_floods_its_log_fills_neither_disk_nor_memory(bench: Bench) -> None:
    bench.executor = bench.new_executor(log_limit=1_000_000)
    script = """
import os, time
end, piece = time.monotonic() + 0.5, b"x" * 99 + b"\\n"
while time.monotonic() < end:
    os.write(1, piece * 1000)
"""
    job_id = bench.start(script)
    bench.wait_for_log("running silently")
    memory = bench.controller().memory_info().rss
    begin_s = time.thread_time()
    for _ in range(20):
        reports_of(bench.executor, job_id)

    assert time.thread_time() - begin_s < 1
    assert memory < 100_000_000
    assert bench.end(job_id).exit_code == 0
    assert bench.executor.log_file(job_id, "worker-0").stat().st_size < 1_010_000


@pytest.mark.parametrize(
    "script",
    [
        "import os\nos.write(1, bytes(range(256)) * 100 + b'\\xe2\\x82')",
        "import os\nos.write(1, b'x' * 50_000_000)",
        "import os\nfor _ in range(50): os.write(1, b'y' * 1_000_000)",
        "import os\nos.close(1)\nos.close(2)\nimport time\ntime.sleep(0.3)",
        "import os, sys, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('parent')",
    ],
    ids=["binary", "long line in one write", "long line", "closed", "child holds the pipe"],
)
def test_odd_output_ends_well(bench: Bench, script: str) -> None:
    report = bench.run(script)

    assert report.exit_code == 0
    assert bench.log().rstrip().endswith("worker-0 exit with 0")


@pytest.mark.parametrize("target", ["$MA_JOB_DIR", "$MA_JOB_DIR/..", "$MA_HOME/..", "$MA_HOME/../..", "."])
def test_a_script_that_deletes_what_it_sees_is_reported_and_removed_as_any_other(bench: Bench, target: str) -> None:
    bench.store.put("data", "code/x", b"1")
    job_id = bench.start(
        command=f'echo before; rm -rf "{target}" 2>/dev/null; rm -rf {target}/* $MA_HOME; echo after; exit 4',
        code_dir="/data/code/",
        outputs=(Channel("train_url", "/data/out/"),),
    )
    report = bench.end(job_id)

    assert (report.exit_code, report.failure) == (4, None)
    assert "before\nafter\n" in bench.log()
    assert "Exit code 4" in report.events[-3].message
    again = bench.new_executor()
    assert reports_of(again, job_id) == [report]
    again.delete([job_id])
    assert reports_of(again, job_id) == []


def test_a_killed_user_process_ends_its_task(bench: Bench) -> None:
    job_id = bench.start("import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(600)")
    wait_for(lambda: _pids(bench.log()))
    psutil.Process(_pids(bench.log())[0]).send_signal(signal.SIGKILL)

    assert bench.end(job_id).exit_code == 137
    assert reports_of(bench.executor, job_id)[0].message == "ended by signal SIGKILL"


def test_what_an_attempt_could_not_deliver_stays_beside_the_next_one_s_directories(bench: Bench) -> None:
    script = "import sys\nopen(sys.argv[-1].split('=')[1] + '/x', 'w').write('1')"
    job = bench.spec(script, outputs=(Channel("train_url", "/late/out/"),))
    bench.executor.submit(job)
    first = bench.end(job.job_id)
    bench.store.create_bucket("late")
    bench.executor.submit(replace(job, attempt=1))
    second = bench.end(job.job_id)

    assert (first.exit_code, second.exit_code) == (1, 0)
    kept = bench.folder / "jobs" / job.job_id / "worker-0.0"
    assert [path.read_text() for path in kept.rglob("outputs/train_url_0/x")] == ["1"]


def test_an_attempt_may_not_overtake_the_one_before(bench: Bench) -> None:
    job = bench.spec("import time\ntime.sleep(600)")
    bench.executor.submit(job)

    with pytest.raises(ValueError, match=f"attempt 0 of job {job.job_id} has not ended"):
        bench.executor.submit(replace(job, attempt=1))


def test_the_log_s_limit_holds_over_all_attempts(bench: Bench) -> None:
    bench.executor = bench.new_executor(log_limit=10_000)
    job = bench.spec("print('x' * 7000)")
    for attempt in range(3):
        bench.executor.submit(replace(job, attempt=attempt))
        bench.end(job.job_id)

    assert bench.log().count("x" * 7000) == 1
    assert bench.log().count("running silently") == 1
    assert len(bench.log()) < 12_000


def test_an_output_whose_name_is_not_unicode_is_named_and_the_others_are_uploaded(bench: Bench) -> None:
    report = bench.run(
        command='cd $train_url; touch "$(printf "a\\377b")" plain', outputs=(Channel("train_url", "/data/out/"),)
    )

    assert report.exit_code == 1
    assert "is not UTF-8: rename the file" in (report.message or "")
    assert [info.key for info in bench.store.list("data", "out/").objects] == ["out/plain"]


def test_an_output_of_too_many_levels_is_named_the_others_are_uploaded_and_all_is_removed(bench: Bench) -> None:
    """These are more than a key has bytes, a path has characters, and Python has frames."""
    script = """
import os, sys
os.chdir(sys.argv[-1].split("=")[1])
open("model", "w").close()
for number in range(1100):
    os.mkdir("deep"); os.chdir("deep")
open("file", "w").close()
"""
    report = bench.run(script, outputs=(Channel("train_url", "/data/out/"),))

    assert report.exit_code == 1
    assert "output train_url: cannot upload to /data/out/: 1 file(s) could not be uploaded: deep/deep" in bench.log()
    assert bench.store.list("data", "out/").objects[0].key == "out/model"
    bench.executor.delete([bench.jobs[-1]])
    assert sorted(path.name for path in (bench.folder / "jobs").iterdir()) == [".records", ".trash"]
    wait_for(lambda: not list((bench.folder / "jobs" / ".trash").iterdir()))


@pytest.mark.parametrize("content", ["{}", "no JSON", "[" * 100_000])
def test_a_script_that_damages_its_exit_record_has_failed(bench: Bench, content: str) -> None:
    script = f"""
import os, pathlib, time
container = pathlib.Path(os.environ["MA_HOME"]).parents[1]
job = container.parent
(job.parent / ".records" / job.name / "0" / container.name / "exit.json").write_text({content!r})
time.sleep(0.1)
"""
    report = bench.run(script)

    assert (report.exit_code, report.message) == (1, "the task's exit record was altered or damaged")
