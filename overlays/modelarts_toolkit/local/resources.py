"""The engine, flavor and accelerators of a run on this machine."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_toolkit.local.caller import reject
from modelarts_toolkit.local.script_python import ScriptPython, given_devices, python_in
from modelarts_toolkit.local_emulator import LocalEmulator
from modelarts_toolkit.texts import counted

if TYPE_CHECKING:
    from modelarts_api.v2.models import Flavor
    from modelarts_toolkit import ModelArts

PROBE, PROBE_LIMIT_S = Path(__file__).with_name("accelerator_probe.py"), 20
DEVICE = re.compile(r"\b([GN]PU) ([^\s,]+)( \(.+?\))?(?=, [GN]PU |$)")  # such as GPU 0 (NVIDIA T4)
LACKING = {"gpu": "no CUDA", "npu": "neither torch_npu nor MindSpore"}
CHOOSING = {"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"}  # variables by which a script sees only some
REMEDY = "choose another Python with --engine, or their number with --gpus"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller of a run wants: its Python, packages to install first, variables, and the kind of its nodes.

    `gpus` is the number of accelerators of a node; with None they are chosen, unless `flavor` is the id of a flavor.
    """

    python: ScriptPython
    requirements: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    nodes: int = 1
    gpus: int | None = None
    flavor: str | None = None


@dataclass(frozen=True, slots=True)
class Resources:
    """What a run gets: ids of an engine and a flavor, and its Python, None if that is not known.

    `notes` say which Python that is, and why a task gets no accelerator of the machine.
    """

    engine: str
    flavor: str
    python: ScriptPython | None = None
    notes: tuple[str, ...] = ()


def resources_of(ma: "ModelArts", emulator: LocalEmulator, environment: Mapping[str, str], asked: Asked) -> Resources:
    """Choose the engine and flavor of a run in the emulator with these variables.

    By default each node gets its part of the GPUs or NPUs that are free, unless the Python of the script, with its
    variables, has no library for them. With requirements that is not known. Of slices, a program can use only one.

    Raises ArgumentError if there is no such flavor.
    """
    engines = ma.v2.engines.show_training_job_engines().items
    engine = next((each for each in engines if each.engine_name == "PyTorch"), engines[0]).engine_id
    flavors, why, wanted = ma.v2.flavors.show_training_job_flavors().flavors, "", ["gpu", "npu"]
    given = given_devices(emulator, environment)
    found = python_in(given, {"engine_id": engine}, asked.python)
    gpus, nodes, flavor = asked.gpus, asked.nodes, asked.flavor
    kinds = Counter(each["kind"] for each in given["devices"])
    if flavor is None and gpus is None and kinds:
        whys = dict.fromkeys(sorted(kinds), "")
        if found is not None and asked.requirements is None:
            whys = {kind: _lacking(kind, found.path, asked.variables) for kind in whys}
        wanted = [min(whys, key=lambda kind: bool(whys[kind]))]
        why = whys[wanted[0]]
        ready = [each for each in given["devices"] if each["kind"] == wanted[0]]
        free = [each for each in ready if len(each["tasks"]) < given["tasks_per_device"]]
        most = 1 if any(each["card"] for each in free) else len(free) // nodes
        gpus = 0 if why else max(1, most)
    if flavor is not None:
        fitting = [each for each in flavors if each.flavor_id == flavor]
    elif gpus:
        fitting = [each for each in flavors if any(_devices(each)[kind] == gpus for kind in wanted)]
    else:
        fitting = [each for each in flavors if each.flavor_type == "CPU"]
    if not fitting:
        counts = sorted({max(_devices(each).values()) for each in flavors})
        there = f"{gpus} GPUs or NPUs: choose --gpus from {', '.join(map(str, counts))}"
        ids = f"the emulator has no flavor {flavor}: choose one of {', '.join(each.flavor_id for each in flavors)}"
        reject(f"no flavor has {there}" if flavor is None else ids)
    # those of this machine come first, then those with enough nodes
    best = min(
        fitting, key=lambda each: (not each.flavor_id.startswith("local."), (each.flavor_info.max_num or 1) < nodes)
    )
    note, (kind, count) = "", max(_devices(best).items(), key=lambda each: each[1])
    places = kinds[kind] * given["tasks_per_device"]
    if nodes > 1 and places and count * nodes > places:
        fact = f"{nodes} nodes with {count} each are more than the {places} {kind.upper()}s that the emulator gives out"
        reject(f"{fact}: choose --gpus 0, or --new for an emulator whose nodes share them")
    if count and not places:
        note = f"The emulator gives out no {kind.upper()}: the flavor {best.flavor_id} is a name only."
        note = " ".join([note, *(f"{problem[:1].upper()}{problem[1:]}." for problem in given["problems"])])
    elif kinds and not count:
        reason = f"{why}; {REMEDY}" if why else f"the flavor {best.flavor_id} has none"
        note = f"Training without the accelerators of this machine: {reason}."
    separately = "" if asked.requirements is None else ", in a separate environment"
    notes = (f"Training with {found}{separately}." if found else "", note)
    return Resources(engine, best.flavor_id, found, tuple(filter(None, notes)))


def devices_text(lines: Iterable[str]) -> str:
    """Name the accelerators that tasks have, as the log says in these lines, such as `2 GPUs (NVIDIA T4): 0, 3`."""
    found = {each.groups() for line in lines for each in DEVICE.finditer(line)}
    devices = sorted(found, key=lambda each: [int(number) for number in re.findall(r"\d+", each[1])])
    kind, names = devices[0][0], ", ".join(dict.fromkeys(name[2:-1] for _, _, name in devices if name))
    indexes, names = ", ".join(index for _, index, _ in devices), names and f" ({names})"
    return f"{kind} {indexes}{names}" if len(devices) == 1 else f"{counted(len(devices), kind)}{names}: {indexes}"


def left_devices(emulator: LocalEmulator, gpus: int | None) -> list[str]:
    """Return options by which a new emulator gives out what the jobs of a running one of this user have left.

    Without such jobs there are none. Raises ConfigError if nothing is left, unless the run wants no accelerators.
    """
    running = emulator.own_environment()
    given = given_devices(emulator, running)["devices"] if running else []
    left = [each["id"] for each in given if not each["tasks"]]
    if running and given and not left and gpus != 0:
        fact = f"jobs of the emulator at {running['MODELARTS_ENDPOINT']} have all GPUs or NPUs that it gives out"
        from modelarts_toolkit.errors import ConfigError

        raise ConfigError(f"{fact}: wait until one is free (modelarts emulator status), or choose --gpus 0")
    return ["--devices", ",".join(left)] if 0 < len(left) < len(given) else []


def _devices(flavor: "Flavor") -> dict[str, int]:
    """Return the number of accelerators of a node by kind."""
    kinds = {"gpu": flavor.flavor_info.gpu, "npu": flavor.flavor_info.npu}
    return {kind: int(each.unit_num or 0) if each else 0 for kind, each in kinds.items()}


def _lacking(kind: str, python: str, variables: Mapping[str, str]) -> str:
    """Say that the Python has no library for this kind of accelerator; "" if it has one, or if that is not known."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command, environment, said = [python, str(PROBE), kind], {**inherited, **variables}, b""
    with suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(command, env=environment, capture_output=True, timeout=PROBE_LIMIT_S).stdout  # noqa: S603
    return f"this Python has {LACKING[kind]}: {python}" if said == b"no" else ""
