"""A Slurm cluster of the tests' own on this machine, made from the system's binaries: several nodes, one host."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import psutil
from tests.local_servers import end_with_parent, free_ports

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue")
NODE_DOWN_AFTER_S = 8
"""Seconds after which Slurm takes a node that does not respond for lost."""
CARDS = 3
"""GPUs of a node, as Slurm counts them."""
SETTINGS = """
ClusterName=modelarts
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
PriorityType=priority/basic
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout={node_down_after_s}
SlurmctldTimeout=5
MessageTimeout=10
KillWait=2
MinJobAge=300
InactiveLimit=0
MailProg=/bin/true
"""

CATALOGUE = """
[[flavor]]
flavor_id = "modelarts.vm.cpu.8u"
flavor_type = "CPU"
slurm = { options = ["--partition=main", "--cpus-per-task=1", "--mem=256M"] }
[flavor.flavor_info]
max_num = 2
cpu = { arch = "x86", core_num = 8 }
memory = { size = 32, unit = "GB" }
"""


def why_not() -> str | None:
    """Why there can be no Slurm cluster on this machine; None if there can."""
    if missing := [name for name in PROGRAMS if _program(name) is None]:
        return f"Slurm is not installed ({', '.join(missing)}): apt-get install slurm-wlm munge"
    if os.getuid() != 0:
        return "Slurm's daemons need root to be tested"
    return None


class SlurmCluster:
    """A controller and `node_count` nodes of `cpus` processors and `CARDS` cards each, on free ports.

    The cards are links to /dev/null. All of it ends with this process.

    The partition `main` has all nodes, and is the default; `urgent` has them, too, and its jobs preempt those of
    `main`.
    """

    def __init__(self, node_count: int = 3, cpus: int = 4, memory_mb: int = 2048, more: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="modelarts-slurm-"))
        self.nodes = [f"node{index}" for index in range(1, node_count + 1)]
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("munge", "state", *self.nodes):
            (self.folder / name).mkdir(mode=0o700)
        ports = free_ports(node_count + 1)
        settings = SETTINGS.format(
            host=socket.gethostname(), port=ports[0], folder=self.folder, node_down_after_s=NODE_DOWN_AFTER_S
        )
        lines = [
            f"NodeName={name} NodeHostname={socket.gethostname()} NodeAddr=127.77.0.{index} Port={port}"
            f" CPUs={cpus} RealMemory={memory_mb} Gres=gpu:{CARDS}"
            for index, (name, port) in enumerate(zip(self.nodes, ports[1:], strict=True), 1)
        ]
        lines += [
            "PartitionName=main Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE",
            "PartitionName=urgent Nodes=ALL PriorityTier=2 MaxTime=INFINITE",
        ]
        self.conf = self.folder / "slurm.conf"
        self.conf.write_text("\n".join([settings, more, *lines, ""]))
        for number in range(CARDS):
            (self.folder / f"card{number}").symlink_to(os.devnull)
        (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/card[0-{CARDS - 1}]\n")
        # Commands find out sooner than daemons, which a busy machine may hold up, that nobody responds.
        self._client_conf = self.folder / "client.conf"
        self._client_conf.write_text(self.conf.read_text().replace("MessageTimeout=10", "MessageTimeout=2"))
        try:
            self._start_munge()
            self.start_controller()
            for name in self.nodes:
                self.start_node(name)
            self.wait_until_idle()
        except BaseException:
            self.close()
            raise

    @property
    def environment(self) -> dict[str, str]:
        """What Slurm's commands need to find the cluster."""
        return {"SLURM_CONF": str(self._client_conf)}

    def run(self, *command: str, text: str | None = None) -> str:
        """Run one of Slurm's commands; returns what it prints."""
        done = subprocess.run(
            command, env=os.environ | self.environment, input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start_controller(self) -> None:
        """Start slurmctld unless it runs."""
        self._start("slurmctld", "-D")

    def start_node(self, name: str) -> None:
        """Start a node's slurmd unless it runs."""
        self._start(name, "-D", "-N", name)

    def kill_controller(self) -> None:
        """Kill slurmctld, which has saved its state some seconds ago."""
        self._stop("slurmctld", signal.SIGKILL)

    def kill_daemon(self, name: str) -> None:
        """Kill a node's slurmd; what it has started runs on."""
        self._stop(name, signal.SIGKILL)

    def lose_state(self) -> None:
        """Let slurmctld begin anew, without knowing any job."""
        self.kill_controller()
        shutil.rmtree(self.folder / "state")
        (self.folder / "state").mkdir(mode=0o700)
        self.start_controller()
        self._wait_for_controller()

    def _wait_for_controller(self, timeout_s: float = 300) -> None:
        deadline = time.monotonic() + timeout_s
        command = ["squeue", "--noheader"]
        while subprocess.run(command, env=os.environ | self.environment, capture_output=True, check=False).returncode:
            assert time.monotonic() < deadline, self._logs()
            time.sleep(0.1)

    def kill_node(self, name: str) -> None:
        """Kill a node's slurmd and all that it has started, as when the node is switched off."""
        self._stop(name, signal.SIGKILL)
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                environ = process.environ()
                # Jobs have the settings of the commands, not those of the daemons.
                if Path(environ.get("SLURM_CONF", "")).parent == self.folder and environ.get("SLURMD_NODENAME") == name:
                    daemon = process.parent()
                    if daemon is not None and daemon.cmdline()[0].startswith("slurmstepd"):
                        daemon.kill()
                    process.kill()

    def lose_node(self, name: str) -> None:
        """Kill all of a node, and report at once that it is down; Slurm itself needs 25 seconds to find out."""
        self.kill_node(name)
        self.run("scontrol", "update", f"nodename={name}", "state=down", "reason=lost")

    def wait_until_idle(self, timeout_s: float = 300) -> None:
        """Wait until all nodes take jobs and run none; Slurm drains a node on which a task was slow to end."""
        deadline = time.monotonic() + timeout_s
        while True:
            shown = subprocess.run(
                ["sinfo", "--noheader", "--Node", "--partition=main", "--format=%N %T"],
                env=os.environ | self.environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            # A star marks a node that has been slow to respond.
            states = {name: state.rstrip("*") for name, state in map(str.split, shown.stdout.splitlines())}
            if [*states.values()] == ["idle"] * len(self.nodes):
                return
            for name in (name for name, state in states.items() if state == "drained"):
                self.run("scontrol", "update", f"nodename={name}", "state=resume")
            assert time.monotonic() < deadline, shown.stdout + shown.stderr + self._logs()
            time.sleep(0.05)

    def close(self) -> None:
        """End all jobs and daemons, and remove the files."""
        for name in [*self.nodes, "slurmctld", "munged"]:
            self._stop(name, signal.SIGTERM)
        _kill_steps(self.conf)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_munge(self) -> None:
        folder = self.folder / "munge"
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o400)
        self.folder.chmod(0o755)
        folder.chmod(0o755)
        options = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        arguments = [f"--{option}={folder / name}" for option, name in options.items()]
        self._start("munged", "--foreground", "--force", *arguments)
        deadline = time.monotonic() + 300
        while not (folder / "socket").exists():
            assert time.monotonic() < deadline, "munged does not listen"
            time.sleep(0.02)

    def _start(self, name: str, *arguments: str) -> None:
        if name in self._processes and self._processes[name].poll() is None:
            return
        program = _program(name if name in PROGRAMS else "slurmd")
        assert program is not None
        environ = os.environ | {"SLURM_CONF": str(self.conf)}
        with (self.folder / f"{name}.out").open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [program, *arguments], env=environ, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, cwd="/", preexec_fn=partial(end_with_parent, signal.SIGKILL),
            )  # fmt: skip

    def _stop(self, name: str, number: signal.Signals) -> None:
        process = self._processes.pop(name, None)
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _logs(self) -> str:
        paths = sorted(self.folder.glob("*.log"))
        return "\n".join(path.read_text(errors="replace")[-2000:] for path in paths)


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin")


def _kill_steps(conf: Path) -> None:
    """End what the nodes ran, which outlives their daemons, and wait until it has ended."""
    found = processes_of(conf)
    for process in found:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(found, 10)


def processes_of(conf: Path) -> list[psutil.Process]:
    """The daemons and jobs of the cluster with this configuration, but for this process."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get("SLURM_CONF") == str(conf):
                found.append(process)
    return found
