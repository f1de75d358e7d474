"""The training container as the service documents it, mapped into a task's folder.

The service runs a task in a container with `/home/ma-user/...`. Every documented absolute path `P` is
`<task folder>/P` here. Where the kernel allows namespaces, the task sees it as `P`; elsewhere all variables and
arguments have the path in the task's folder instead.
Sources: "Viewing environment variables of a training container", "Creating a training job", "Local code directory".
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
import socket
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from modelarts_emulator.execution.devices import VISIBLE, Device, visible_devices
from modelarts_emulator.execution.protocol import AccessMethod, Channel, JobSpec
from modelarts_emulator.storage.links import Links, is_within

HOME = "/home/ma-user"
MOUNTED = (HOME, "/cache")
"""The documented directories that a task gets for itself."""

HOSTS = "/etc/hosts"

TASK_MARK = "MODELARTS_EMULATOR_TASK"
"""The variable that every process of a task inherits; its value names the task and its attempt."""

MOUNT = f"{HOME}/modelarts"
JOB_DIR = f"{MOUNT}/user-job-dir"
LOG_DIR = f"{MOUNT}/log"
JOB_PACKAGES = Path(__file__).parents[1] / "job_packages"
"""The folder of the packages that every job can import: moxing."""

_INHERITED = tomllib.loads(Path(__file__).with_name("inherited.toml").read_text("utf-8"))
INHERITED = frozenset(chain.from_iterable(_INHERITED.values()))
_NAMES_HOME = re.compile(rf"(?<![\w./-]){HOME}(?![\w.-])")


@dataclass(frozen=True, slots=True)
class Container:
    """One task of a job: its number, its folder, and where everything in it lies.

    With `has_true_paths` the task sees `/home/ma-user` and `/cache` as the documents say.
    `nodes` are the addresses of the machines that the tasks run on, in order; without them, all run on this one.
    """

    job: JobSpec
    index: int
    folder: Path
    has_true_paths: bool = False
    nodes: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """`worker-<n>`."""
        return f"worker-{self.index}"

    @property
    def instance_name(self) -> str:
        """The name that logs are exported under and that `MA_CURRENT_INSTANCE_NAME` holds."""
        return f"modelarts-job-{self.job.job_id}-{self.task}"

    @property
    def job_name(self) -> str:
        """What `MA_VJ_NAME` holds; start scripts of the vendor's images make the log's name of it."""
        return f"ma-job-{self.job.job_id}"

    @property
    def devices(self) -> Sequence[Device] | None:
        """The accelerators that the task gets; None if the emulator gives none out."""
        return None if self.job.devices is None else self.job.devices[self.index]

    def hosts_file(self, original: str) -> str:
        """The machine's hosts file with the names by which scripts of several nodes find each other."""
        names = (f"{self.job_name}-worker-{index}.{self.job_name}" for index in range(len(self.hosts)))
        return original + "".join(f"{ip_address(host)} {name}\n" for host, name in zip(self.hosts, names, strict=True))

    @property
    def hosts(self) -> Sequence[str]:
        """The addresses of all nodes of the job, in order."""
        return self.nodes or addresses(self.job.job_id, self.job.node_count)

    def map(self, path: str) -> Path:
        """Where a documented absolute path lies; never outside the folder, whatever the path says."""
        return self.folder / posixpath.normpath("/" + path.lstrip("/")).lstrip("/")

    @property
    def mounted(self) -> list[str]:
        """The directories that the task gets for itself: the documented ones, and those that the job asks for.

        A directory that holds what the task needs of this machine cannot be one of them.
        """
        asked = [self.job.local_code_dir, *(channel.local_dir for channel in (*self.job.inputs, *self.job.outputs))]
        needed = (str(self.folder), sys.prefix, sys.base_prefix, str(JOB_PACKAGES))
        found = [*MOUNTED]
        for path in sorted(posixpath.normpath(f"/{path.lstrip('/')}") for path in asked if path):
            if not any(is_within(path, outer) for outer in found) and not any(is_within(own, path) for own in needed):
                found.append(path)
        return found

    def seen(self, path: str) -> str:
        """The path by which the task sees a documented absolute path."""
        whole = posixpath.normpath("/" + path.lstrip("/"))
        is_mounted = any(is_within(whole, mounted) for mounted in self.mounted)
        return whole if self.has_true_paths and is_mounted else str(self.map(path))

    def mounts(self) -> list[tuple[str, str]]:
        """What lies in the task's folder, with the paths at which the task sees it: directories, and a hosts file."""
        found = [(str(self.map(mounted)), mounted) for mounted in self.mounted]
        hosts = self.map(HOSTS)
        return [*found, (str(hosts), HOSTS)] if hosts.is_file() else found

    def links(self) -> Links:
        """Follows the task's links, which may lead into its own directories and into those for temporary files."""
        shared = ("/cache", "/tmp", "/var/tmp", "/dev/shm", os.environ.get("TMPDIR", "/tmp"))  # noqa: S108
        mounts = self.mounts() if self.has_true_paths else ()
        data = next(iter(self.folder.parents[2:3]), self.folder)  # the folder lies elsewhere with some executors
        return Links(mounts, str(self.folder), shared, private=str(data))

    def map_text(self, text: str) -> str:
        """The text with every mention of `/home/ma-user` mapped, so that documented commands run as printed."""
        if self.has_true_paths:
            return text
        return _NAMES_HOME.sub(lambda _: str(self.map(HOME)), text)

    @property
    def documented_code(self) -> str | None:
        """The local code directory: the last segment of `code_dir` below `local_code_dir` or `MA_JOB_DIR`."""
        if self.job.code_dir is None:
            return None
        segment = posixpath.basename(self.job.code_dir.rstrip("/"))
        return posixpath.join(self.job.local_code_dir or JOB_DIR, segment)

    @property
    def code(self) -> Path | None:
        """Where the local code directory lies."""
        return None if self.documented_code is None else self.map(self.documented_code)

    @property
    def documented_working_dir(self) -> str:
        """Where the boot file or command starts: `working_dir`, else the code directory, else the home."""
        return self.job.working_dir or self.documented_code or HOME

    @property
    def working_dir(self) -> Path:
        """Where the working directory lies: in the task's folder, else on this machine."""
        path = self.documented_working_dir
        is_own = self.map(path).is_dir() or any(is_within(path, mounted) for mounted in self.mounted)
        return self.map(path) if is_own else Path(path)

    def inputs(self) -> list[tuple[Channel, Path]]:
        """The input channels with their local directories."""
        return [(channel, self.map(path)) for channel, path in self._channels(self.job.inputs, "inputs")]

    def outputs(self) -> list[tuple[Channel, Path]]:
        """The output channels with their local directories."""
        return [(channel, self.map(path)) for channel, path in self._channels(self.job.outputs, "outputs")]

    def _channels(self, channels: tuple[Channel, ...], kind: str) -> list[tuple[Channel, str]]:
        return [(channel, channel.local_dir or f"{MOUNT}/{kind}/{channel.name}_0") for channel in channels]

    def arguments(self) -> list[str]:
        """`--name=value`: hyperparameters, then channels with their local directories, in the request's order.

        What the script gets as environment variables is left out.
        """
        if self.job.parameters_as_variables:
            return []
        return [f"--{name}={value}" for name, value in self._parameters() + self._directories("parameter")]

    def _parameters(self) -> list[tuple[str, str]]:
        return [(name, self.map_text(value)) for name, value in self.job.parameters]

    def _directories(self, access_method: AccessMethod) -> list[tuple[str, str]]:
        """The channels that the script gets in this way, with the directories as it sees them."""
        inputs, outputs = self._channels(self.job.inputs, "inputs"), self._channels(self.job.outputs, "outputs")
        channels = [(channel, path) for channel, path in (*inputs, *outputs) if channel.access_method == access_method]
        return [(channel.name, self.seen(path)) for channel, path in channels]

    def environment(self, folders: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
        """All variables of the user's process: inherited ones that it needs, preset ones, channels that are to be
        variables, the user's own on top.

        `folders` come first on its path. Hyperparameters that are variables replace no other variable.
        """
        values = inherited(environ)
        if self.devices is not None:
            values = {name: value for name, value in values.items() if name not in _INHERITED["devices"]}
        values["PATH"] = os.pathsep.join([*folders, values.get("PATH", os.defpath)])
        values |= self._preset()
        values |= self.job.service_environments or {}
        values |= {alias: values[name] for alias, name in (self.job.variable_aliases or {}).items()}
        values |= self._directories("env")
        values |= {name: self.map_text(value) for name, value in (self.job.environments or {}).items()}
        if self.job.parameters_as_variables:
            values = dict(self._parameters()) | values
        values["PYTHONPATH"] = os.pathsep.join(filter(None, [values["PYTHONPATH"], str(JOB_PACKAGES)]))
        if self.devices is not None:
            values |= self._visible(self.devices, values)
        return values | {TASK_MARK: mark(self.folder, self.job.attempt)}

    def _visible(self, devices: Sequence[Device], asked: Mapping[str, str]) -> dict[str, str]:
        """The variables that name the task's own devices.

        What the job itself asks for counts these alone, from 0, as in a container that has no others.
        """
        values: dict[str, str] = {}
        for kind, names in VISIBLE.items():
            own = [each for each in devices if each.kind == kind]
            numbered = [replace(each, index=str(number)) for number, each in enumerate(own)]
            seen = visible_devices(numbered, asked.get(names[0]))
            values |= dict.fromkeys(names, ",".join(each.id for each in seen))
        return values

    def _channels_as_json(self, kind: str, channels: tuple[Channel, ...]) -> str:
        """What the vendor's start scripts read of a job's channels."""
        entries = [
            {"name": channel.name, "local_dir": self.seen(path), "remote": {"obs": {"obs_url": channel.obs_url}}}
            for channel, path in self._channels(channels, kind)
        ]
        return json.dumps({kind: entries})

    def _preset(self) -> dict[str, str]:
        hosts = self.hosts
        preset = {
            "MA_HOME": self.seen(HOME),
            "MA_MOUNT_PATH": self.seen(MOUNT),
            "MA_JOB_DIR": self.seen(JOB_DIR),
            "MA_LOG_DIR": self.seen(LOG_DIR),
            "WORKSPACE": self.seen(self.documented_code or JOB_DIR),
            "MA_SCRIPT_INTERPRETER": "",
            "MA_CURRENT_IP": ip_address(hosts[self.index]),
            "MA_TASK_NAME": "worker",
            "MA_NUM_HOSTS": str(self.job.node_count),
            "VC_TASK_INDEX": str(self.index),
            "VC_WORKER_NUM": str(self.job.node_count),
            "VC_WORKER_HOSTS": ",".join(hosts),
            "MA_VJ_NAME": self.job_name,
            "NCCL_DEBUG": "INFO",
            "MA_DETECT_TRAIN_INJECT_CODE": "0",  # nothing is checked before the job starts
            "MA_CURRENT_INSTANCE_NAME": self.instance_name,
            "MA_CURRENT_HOST_IP": ip_address(hosts[self.index]),
            "MA_JOB_KIND": "job",
            "MA_INPUTS": self._channels_as_json("inputs", self.job.inputs),
            "MA_OUTPUTS": self._channels_as_json("outputs", self.job.outputs),
            "PYTHONPATH": self.seen(JOB_DIR),
            "PYTHONUNBUFFERED": "1",
        }
        if all(host.startswith("127.") for host in hosts):
            preset["NCCL_SOCKET_IFNAME"] = "lo" if sys.platform == "linux" else "lo0"
        return preset


def mark(folder: Path, attempt: int) -> str:
    """What distinguishes the processes of a task and attempt from all others; `folder` is the container's."""
    return f"{folder}@{attempt}"


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """What a task may see of the emulator's environment: what programs need to run, no credentials."""
    return {name: value for name, value in environ.items() if name in INHERITED}


def ip_address(host: str) -> str:
    """The address of a host; the host itself if that is not known here."""
    try:
        return socket.gethostbyname(host)
    except OSError:
        return host


def addresses(job_id: str, node_count: int) -> list[str]:
    """One loopback address per node, the same in every task of the job.

    Linux accepts connections on all of 127.0.0.0/8, so each job of several nodes has a subnet of its own
    and two jobs may use the same port; elsewhere only 127.0.0.1 exists without configuration.
    """
    if node_count == 1 or sys.platform != "linux":
        return ["127.0.0.1"] * node_count
    second, third = hashlib.sha256(job_id.encode()).digest()[:2]
    start = ((1 + second % 254) << 16) + (third << 8) + 2
    return [
        f"127.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}" for number in range(start, start + node_count)
    ]
