"""The accelerators that an emulator gives out, as the options say, and the flavors that a catalogue has of them.

Jobs that run as processes of this machine get those of the machine. Other executors have none unless the options
declare them: those with a queue of their own give out their own, and simulated jobs need none.
"""

from __future__ import annotations

import logging
import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import psutil

from modelarts_emulator.engine.runs import node_resources
from modelarts_emulator.engine.scheduler import LOCAL, Pool
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.device_tools import find_devices
from modelarts_emulator.execution.devices import Device, Kind, named_devices, visible_devices
from modelarts_emulator.options import Options
from modelarts_emulator.settings.catalogue import Catalogue

log = logging.getLogger(__name__)

NONE = "none"
GIGABYTE = 1 << 30
FLAVOR_TYPES: Mapping[Kind, str] = {"gpu": "GPU", "npu": "Ascend"}
ARCHITECTURES = {"x86_64": "x86", "AMD64": "x86", "aarch64": "arm", "arm64": "arm"}


def open_pool(options: Options) -> Pool:
    """The accelerators that the options name, by default all that the machine shows.

    Raises EmulatorError for one that is not there, and where the executor gives out none of the machine's.
    """
    given, problems = options.devices, list[str]()
    is_none = isinstance(given, str) and given.strip().lower() == NONE
    if is_none or (given is None and options.executor != "process"):
        return Pool()
    if options.executor == "slurm" or (isinstance(given, str) and options.executor != "process"):
        raise EmulatorError(
            f"--devices does not apply to --executor {options.executor}, which does not give out those of this machine:"
            " leave it out"
        )
    if given is None or isinstance(given, str):
        found = find_devices(os.environ, report=problems.append)
        for problem in problems:
            log.warning("%s", problem)
        devices = found if given is None else choose_devices(found, given)
    else:
        devices = tuple(given)
        _check_declared(devices)
    return Pool(devices, options.share_devices, tuple(problems))


def _check_declared(devices: Sequence[object]) -> None:
    """Raise EmulatorError unless these are different devices."""
    ids = [device.id for device in devices if isinstance(device, Device) and device.kind in FLAVOR_TYPES]
    if len(set(ids)) < len(devices):
        raise EmulatorError(f"devices must be Devices of kind gpu or npu, each with an id of its own, not {devices!r}")


def choose_devices(found: Sequence[Device], text: str) -> tuple[Device, ...]:
    """Those that a text such as `0,1,3` names, by numbers or ids; raises EmulatorError for one that does not exist."""
    for entry in map(str.strip, text.split(",")):
        if not named_devices(found, entry):
            there = f"one of {', '.join(map(str, found))}" if found else "here: no accelerators were found"
            raise EmulatorError(f"--devices: {entry!r} is not {there}")
    return visible_devices(found, text)


def with_accelerators(catalogue: Catalogue, pool: Pool) -> Catalogue:
    """The catalogue with flavors of this machine, and with how many nodes of a flavor its accelerators are enough for.

    `local.gpu` has one GPU of the machine, `local.gpu.2` has two, and so on; NPUs are called so, too. Entries of the
    user's own remain.
    """
    counts = ((kind, count) for kind in FLAVOR_TYPES for count in range(1, len(pool.of(kind)) + 1))
    local = {flavor["flavor_id"]: flavor for flavor in (_local_flavor(pool, *each) for each in counts)}
    flavors = {**catalogue.flavors, **local, **catalogue.flavors}
    for flavor_id, entry in flavors.items():
        resources = node_resources(flavor_id, entry.get("flavor_info", {}))
        if pool.of(resources.devices[0]):
            flavors[flavor_id] = {**entry, "accelerated_nodes": pool.most_nodes(*resources.devices)}
    return replace(catalogue, flavors=flavors)


def _local_flavor(pool: Pool, kind: Kind, count: int) -> dict[str, Any]:
    devices = pool.of(kind)
    flavor_id = f"{LOCAL}{kind}" + (f".{count}" if count > 1 else "")
    cards: dict[str, Any] = {"unit_num": str(count) if kind == "npu" else count}
    if names := sorted({device.name for device in devices if device.name}):
        cards["product_name"] = ", ".join(names)
    sizes = [device.memory_bytes or 0 for device in devices]
    cards["memory"] = f"{round(min(sizes) / GIGABYTE)}GB" if all(sizes) else ""  # which is not known
    node = {
        "max_num": pool.most_nodes(kind, count),
        "cpu": {"arch": ARCHITECTURES.get(platform.machine(), platform.machine()), "core_num": os.cpu_count() or 1},
        kind: cards,
        "memory": {"size": math.ceil(psutil.virtual_memory().total / GIGABYTE), "unit": "GB"},
    }
    return {
        "flavor_id": flavor_id,
        "flavor_name": f"This machine with {count} {kind.upper()}{'s' if count > 1 else ''}",
        "flavor_type": FLAVOR_TYPES[kind],
        "billing": {"code": flavor_id, "unit_num": 1},
        "flavor_info": node,
    }
