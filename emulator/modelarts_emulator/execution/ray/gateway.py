"""The process that speaks to Ray, run by the Python that Ray is installed in: this file and Ray, nothing else.

It reads a request from each line of its standard input and writes a response for it, both JSON. What it knows is a
cache: placement groups and actors are detached and have names, by which the next gateway finds them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

NAMESPACE = "modelarts-emulator"
CONNECT_TIMEOUT_S = 3.0


@ray.remote
class TaskHost:
    """The actor of a task: it starts the task's controller, and ends with it all that the controller has started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, command: Sequence[str], request: Mapping[str, Any], group: str, log: str) -> int:
        """Start the controller unless that was done, and wait for its end; returns its exit status.

        The controller ends everything when its standard input is closed: when this process ends, however it ends.
        The last task of an attempt frees its nodes, and ends this process with the placement group: nobody else may be
        there to do so.
        """
        with self._lock:
            if self._process is None:
                own = {name: value for name, value in os.environ.items() if name in request["inherited"]}
                with Path(log).open("ab") as output:
                    self._process = subprocess.Popen(  # noqa: S603 - the emulator's own program
                        command,
                        env={**own, **request["environment"]},
                        stdin=subprocess.PIPE,
                        stdout=output,
                        stderr=output,
                        start_new_session=True,
                    )
        status = self._process.wait()
        if all(Path(task["exit"]).exists() for task in request["tasks"]):
            _remove_group(group)
        return status


class Cluster:
    """Nodes and placement groups as they are at one moment: asked for once, and only if they are needed."""

    @cached_property
    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that are alive."""
        return [node for node in ray.nodes() if node["Alive"]]

    @cached_property
    def groups(self) -> dict[str, Any]:
        """All placement groups by their ids, as Ray describes them."""
        return dict(ray.util.placement_group_table())

    def group(self, group: Any) -> dict[str, Any]:
        """The placement group as Ray describes it, also if it was made a moment ago."""
        found: dict[str, Any] = self.groups.get(group.id.hex()) or ray.util.placement_group_table(group)
        return found


class Attempt:
    """One attempt of a job at Ray: its placement group, and the calls of its actors that wait for controllers."""

    def __init__(self, name: str, request: Mapping[str, Any]) -> None:
        self._name = name
        self._request = request
        self._count: int = request["node_count"]
        self._calls: dict[Any, int] = {}
        self._ends: dict[int, dict[str, Any]] = {}
        self._has_started = False
        self._bundle: dict[str, float] = request["resources"]
        self._group = _find_group(name)
        if self._group is None:
            bundles = [self._bundle] * self._count
            self._group = placement_group(bundles, "STRICT_SPREAD", name=name, lifetime="detached")

    def look(self, cluster: Cluster) -> dict[str, Any]:
        """Start the actors as soon as there is room, and say how far the attempt is."""
        if not self._has_started:
            table = cluster.group(self._group)
            if table["state"] != "CREATED":
                return {"state": "waiting", "reason": self._obstacle(cluster)}
            self._start(cluster, table["bundles_to_node_id"])
        calls = list(self._calls)
        for call in ray.wait(calls, num_returns=len(calls), timeout=0)[0] if calls else ():
            self._ends[self._calls.pop(call)] = _outcome(call)
        return {"state": "placed", "ends": self._ends}

    def _start(self, cluster: Cluster, nodes: Mapping[int, str]) -> None:
        """Let an actor on each node run its task, or find the one that does."""
        addresses = {node["NodeID"]: node["NodeManagerAddress"] for node in cluster.nodes}
        hosts = [addresses.get(nodes[index], "") for index in range(self._count)]
        if len(set(hosts)) == 1:
            hosts = []  # they are one machine, which has an address for each task
        for index, task in enumerate(self._request["tasks"]):
            if task["has_ended"]:
                continue
            if (actor := self._actor(index, task["has_begun"])) is None:
                self._ends[index] = {"lost": True}
                continue
            command = [*task["command"], *hosts]
            call = actor.run.remote(command, self._request, self._name, task["log"])
            self._calls[call] = index
        self._has_started = True

    def _actor(self, index: int, has_begun: bool) -> Any:
        """The actor of the task; None if it was there and is lost."""
        name = f"{self._name}-worker-{index}"
        try:
            return ray.get_actor(name, NAMESPACE)
        except ValueError:
            if has_begun:
                return None
        return TaskHost.options(  # type: ignore[attr-defined]
            name=name,
            namespace=NAMESPACE,
            lifetime="detached",
            get_if_exists=True,
            max_concurrency=8,  # each gateway waits in a call of its own
            num_cpus=self._bundle["CPU"],
            num_gpus=self._bundle.get("GPU", 0),
            memory=self._bundle.get("memory", 0),
            scheduling_strategy=PlacementGroupSchedulingStrategy(self._group, placement_group_bundle_index=index),
        ).remote()

    def _obstacle(self, cluster: Cluster) -> str:
        """Why the attempt waits."""
        wanted = _described(self._bundle)
        large = [node for node in cluster.nodes if _fits(self._bundle, node["Resources"])]
        if len(large) < self._count:
            return f"the cluster has {len(large)} of the {self._count} nodes with {wanted} that the job needs"
        return f"the nodes with {wanted} are in use"


def _find_group(name: str) -> Any:
    """The placement group of this name; None if there is none."""
    try:
        return ray.util.get_placement_group(name)
    except ValueError:
        return None


def _remove_group(name: str) -> None:
    """Free the nodes of the placement group of this name, if there is one."""
    if (group := _find_group(name)) is not None:
        remove_placement_group(group)


def _outcome(call: Any) -> dict[str, Any]:
    """How the call of an actor ended: the exit status of the controller, or why there is none."""
    try:
        return {"status": ray.get(call)}
    except ray.exceptions.RayTaskError as error:
        return {"error": str(error.cause)}
    except ray.exceptions.RayError as error:
        return {"lost": True, "reason": str(error).partition("\n")[0]}


def _fits(bundle: Mapping[str, float], resources: Mapping[str, float]) -> bool:
    return all(resources.get(name, 0) >= amount for name, amount in bundle.items())


def _described(bundle: Mapping[str, float]) -> str:
    """The resources as text: `8 CPU, 1 GPU, 16 GiB memory`."""
    parts = [f"{amount:g} {name}" for name, amount in bundle.items() if name != "memory"]
    if "memory" in bundle:
        parts.append(f"{bundle['memory'] / 2**30:g} GiB memory")
    return ", ".join(parts)


class Gateway:
    """Responds to requests."""

    def __init__(self) -> None:
        self._attempts: dict[str, Attempt] = {}

    def look(self, attempts: Mapping[str, Any]) -> dict[str, Any]:
        """How far each of these attempts is; one that comes with its request is submitted unless it is at Ray.

        Without its request, an attempt that an earlier gateway submitted is unknown.
        """
        found: dict[str, Any] = {}
        cluster = Cluster()
        for name, request in attempts.items():
            try:
                if request is not None:
                    self._attempts[name] = Attempt(name, request)
                attempt = self._attempts.get(name)
                found[name] = attempt.look(cluster) if attempt else {"state": "unknown"}
            except Exception as error:  # it holds up no other attempt
                found[name] = {"state": "error", "reason": f"{type(error).__name__}: {error}".partition("\n")[0]}
        return found

    def remove(self, names: Sequence[str]) -> None:
        """Free the nodes of these attempts, which ends their actors."""
        for name in names:
            self._attempts.pop(name, None)
            _remove_group(name)


def _names() -> list[str]:
    """The names of all attempts at Ray."""
    return [table["name"] for table in ray.util.placement_group_table().values() if table["state"] != "REMOVED"]


def _connect(address: str) -> None:
    """Connect to the cluster; raises OSError, ValueError or ConnectionError."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), CONNECT_TIMEOUT_S).close()  # Ray would try for half a minute
    ray.init(address, namespace=NAMESPACE, log_to_driver=False, logging_level="ERROR")


def serve(address: str) -> None:
    """Respond to requests until the standard input ends; the first line says whether the cluster can be reached."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Ray prints is not a response
    response: dict[str, Any] = {}
    try:
        _connect(address)
    except Exception as error:
        response = {"error": str(error).partition("\n")[0] or type(error).__name__}
    output.write(json.dumps(response) + "\n")
    output.flush()
    gateway = Gateway()
    for line in sys.stdin if not response else ():
        request = json.loads(line)
        gateway.remove(request["remove"])
        response = {"attempts": gateway.look(request["look"]), "names": _names() if request["list"] else []}
        output.write(json.dumps(response) + "\n")
        output.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
