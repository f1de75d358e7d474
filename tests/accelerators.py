"""A machine with GPUs or NPUs of the tests' own: stands in for `nvidia-smi` and `npu-smi` in a folder for PATH.

Both print what the real ones print, from a file that a test may change while jobs run.
This module is also the program of both tools, so it imports little.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    " Make sure that the latest NVIDIA driver is installed and running."
)
NO_DEVICES = "No devices were found"
NO_DCMI = "dcmi module initialize failed. ret is -8005"
NOT_AVAILABLE = "[N/A]"

Number = int | str
"""A reading, or what a tool prints instead of it."""


class Process(NamedTuple):
    """A process that uses a card; `memory_mib` of it."""

    pid: int
    name: str = "/usr/bin/python3"
    memory_mib: Number = 100


class Gpu(NamedTuple):
    """A card as `nvidia-smi` sees it. With `has_mig` it is divided into `slices`, which are names of profiles."""

    uuid: str
    name: str = "NVIDIA A100-SXM4-40GB"
    memory_mib: Number = 40960
    used_mib: Number = 0
    utilization: Number = 0
    has_mig: bool = False
    slices: Sequence[str] = ()
    processes: Sequence[Process] = ()

    def slice_uuid(self, number: int) -> str:
        """The UUID of one of its slices."""
        return f"MIG-{self.uuid.removeprefix('GPU-')[:-1]}{number:x}"


class Npu(NamedTuple):
    """A chip as `npu-smi` sees it: `chip` is its number on the card `card`, `logic_id` that among all chips."""

    card: int
    chip: int
    logic_id: int
    name: str = "910B3"
    memory_mib: Number = 65536
    used_mib: Number = 0
    utilization: Number = 0
    processes: Sequence[Process] = ()


class Machine:
    """The tools in `bin`, which say that this machine has these cards."""

    def __init__(self, folder: Path, gpus: Sequence[Gpu] = (), npus: Sequence[Npu] = ()) -> None:
        self.bin = folder / "bin"
        self._state, self._calls = folder / "accelerators.json", folder / "accelerator-calls"
        self._values: dict[str, Any] = {"gpus": list(gpus), "npus": list(npus), "output": None, "status": 0, "wait": 0}
        self._values["unknown"] = []
        self.bin.mkdir(parents=True, exist_ok=True)
        self._write()
        for tool in [*["nvidia-smi"][: len(gpus)], *["npu-smi"][: len(npus)]]:
            command = [sys.executable, "-IS", __file__, tool, str(self._state), str(self._calls)]
            draft = self.bin / f".{tool}"
            draft.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', "utf-8")
            draft.chmod(0o755)
            draft.replace(self.bin / tool)

    @property
    def path(self) -> str:
        """PATH with the tools first."""
        return f"{self.bin}{os.pathsep}{os.environ['PATH']}"

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of each run of a tool so far, the name of the tool first."""
        lines = self._calls.read_text("utf-8").splitlines() if self._calls.exists() else []
        return [json.loads(line) for line in lines]

    def set_gpu(self, index: int, **members: Any) -> None:
        """Change what is read of a GPU from now on."""
        self._values["gpus"][index] = self._values["gpus"][index]._replace(**members)
        self._write()

    def set_npu(self, index: int, **members: Any) -> None:
        """Change what is read of an NPU from now on."""
        self._values["npus"][index] = self._values["npus"][index]._replace(**members)
        self._write()

    def answer(self, output: str | None, status: int = 0) -> None:
        """Print this whatever is asked, and end with the status; with None, answer again."""
        self._values |= {"output": output, "status": status}
        self._write()

    def forget(self, *names: str) -> None:
        """Know no such fields of GPUs, as an older driver."""
        self._values["unknown"] = names
        self._write()

    def hang(self, seconds: float = 600.0) -> None:
        """Let every run last so long before it answers, also if it gets SIGTERM; 0 ends that for later runs."""
        self._values["wait"] = seconds
        self._write()

    def _write(self) -> None:
        values = self._values | {
            kind: [card._asdict() | {"processes": [each._asdict() for each in card.processes]} for card in cards]
            for kind, cards in self._values.items()
            if kind in ("gpus", "npus")
        }
        draft = self._state.with_suffix(".new")
        draft.write_text(json.dumps(values), "utf-8")
        draft.replace(self._state)


def gpus(count: int, **members: Any) -> list[Gpu]:
    """So many equal GPUs with UUIDs of their own."""
    return [Gpu(f"GPU-{index:08x}-5eed-4000-8000-0123456789a0", **members) for index in range(count)]


def npus(count: int, chips: int = 1, **members: Any) -> list[Npu]:
    """So many equal NPUs, some on each card."""
    return [Npu(index // chips, index % chips, index, **members) for index in range(count)]


UNITS = {
    "memory.total": "MiB",
    "memory.used": "MiB",
    "memory.free": "MiB",
    "utilization.gpu": "%",
    "used_memory": "MiB",
}
UNITS["used_gpu_memory"] = "MiB"


def nvidia_smi(arguments: Sequence[str], cards: Sequence[Gpu], unknown: Sequence[str]) -> tuple[str, int]:
    """What `nvidia-smi` prints and its exit status, if it does not know these fields."""
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        name, _, value = rest.pop(0).partition("=")
        options[name] = value or (rest.pop(0) if name in ("-i", "--id") and rest else "")
    chosen = options.pop("-i", options.pop("--id", ""))
    shown = [(index, card) for index, card in enumerate(cards) if not chosen or _is_named(chosen, index, card)]
    queries = [name for name in options if name.startswith("--query-")]
    known = {"-L", "--list-gpus", "--format", "--query-gpu", "--query-compute-apps"}
    if set(options) - known or len(queries) > 1 or (queries and "csv" not in options.get("--format", "").split(",")):
        return "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 1
    if not shown:
        return f"{NO_DEVICES}\n", 6
    if not queries:
        return "".join(_listed(index, card) for index, card in shown), 0
    rows: list[dict[str, Number]] = [_fields(index, card, len(cards)) for index, card in shown]
    if "--query-compute-apps" in options:
        rows = [_process_fields(card, process) for _, card in shown for process in card.processes]
    names = options[queries[0]].split(",")
    for name in unknown:
        if name in names:
            return _invalid(name)
    return _table(names, rows, queries[0], options["--format"].split(","))


def _invalid(name: str) -> tuple[str, int]:
    return f'Field "{name}" is not a valid field to query.\n', 2


def _is_named(chosen: str, index: int, card: Gpu) -> bool:
    return bool({str(index), card.uuid} & set(chosen.split(",")))


def _listed(index: int, card: Gpu) -> str:
    slices = [
        f"  MIG {profile:<15} Device {number:>2}: (UUID: {card.slice_uuid(number)})\n"
        for number, profile in enumerate(card.slices if card.has_mig else ())
    ]
    return "".join([f"GPU {index}: {card.name} (UUID: {card.uuid})\n", *slices])


def _fields(index: int, card: Gpu, count: int) -> dict[str, Number]:
    is_known = isinstance(card.memory_mib, int) and isinstance(card.used_mib, int)
    return {
        "index": index,
        "uuid": card.uuid,
        "gpu_uuid": card.uuid,
        "name": card.name,
        "gpu_name": card.name,
        "count": count,
        "pci.bus_id": f"00000000:{index + 1:02X}:00.0",
        "driver_version": "570.86.15",
        "memory.total": card.memory_mib,
        "memory.used": card.used_mib,
        "memory.free": int(card.memory_mib) - int(card.used_mib) if is_known else NOT_AVAILABLE,
        "utilization.gpu": NOT_AVAILABLE if card.has_mig else card.utilization,
        "mig.mode.current": "Enabled" if card.has_mig else "Disabled",
    }


def _process_fields(card: Gpu, process: Process) -> dict[str, Number]:
    return {
        "gpu_uuid": card.uuid,
        "gpu_name": card.name,
        "pid": process.pid,
        "process_name": process.name,
        "name": process.name,
        "used_memory": process.memory_mib,
        "used_gpu_memory": process.memory_mib,
    }


def _table(names: list[str], rows: list[dict[str, Number]], query: str, form: list[str]) -> tuple[str, int]:
    known = _fields(0, Gpu(""), 1) if query == "--query-gpu" else _process_fields(Gpu(""), Process(1))
    for name in names:
        if name not in known:
            return _invalid(name)
    lines = [] if "noheader" in form else [[f"{name} [{UNITS[name]}]" if name in UNITS else name for name in names]]
    for row in rows:
        has_unit = [name in UNITS and isinstance(row[name], int) and "nounits" not in form for name in names]
        lines.append([f"{row[name]} {UNITS[name]}" if unit else str(row[name]) for name, unit in zip(names, has_unit)])  # noqa: B905
    return "".join(f"{', '.join(cells)}\n" for cells in lines), 0


def npu_smi(arguments: Sequence[str], chips: Sequence[Npu]) -> tuple[str, int]:
    """What `npu-smi` prints and its exit status."""
    if list(arguments) == ["info"]:
        return _npu_table(chips), 0
    if list(arguments) == ["info", "-m"]:
        return _npu_mapping(chips), 0
    return "Error parameter of command\n", 1


def _npu_mapping(chips: Sequence[Npu]) -> str:
    """As newer versions print it; the controllers of the cards have no logical number."""
    rows: list[tuple[object, ...]] = [("NPU ID", "Chip ID", "Chip Logic ID", "Chip Phy-ID", "Chip Name")]
    for place, chip in enumerate(chips):
        rows.append((chip.card, chip.chip, chip.logic_id, chip.logic_id, f"Ascend {chip.name}"))
        if place + 1 == len(chips) or chips[place + 1].card != chip.card:
            rows.append((chip.card, chip.chip + 1, "-", "-", "Mcu"))
    return "".join("\t" + "".join(f"{cell!s:<31}" for cell in row) + "\n" for row in rows)


def _npu_table(chips: Sequence[Npu]) -> str:
    rule = "+---------------------------+---------------+----------------------------------------------------+\n"
    thick = rule.replace("-", "=")
    text = f"{rule}| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
    text += (
        f"| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n{thick}"
    )
    for chip in chips:
        memory = f"{chip.used_mib:<5}/ {chip.memory_mib}"
        text += f"| {chip.card:<5} {chip.name:<19} | OK            | {'93.6        40                0    / 0':<51}|\n"
        usage = f"{chip.utilization!s:<12}{'0    / 0':<18}{memory}"
        text += f"| {chip.chip:<5} {chip.logic_id:<19} | 0000:C{chip.logic_id % 16:X}:00.0  | {usage:<51}|\n{thick}"
    text += (
        f"| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |\n{thick}"
    )
    for chip in chips:
        for process in chip.processes:
            name = process.name.rpartition("/")[2][:15]
            text += f"| {chip.card:<7} {chip.chip:<17} | {process.pid:<13} | {name:<24} | {process.memory_mib!s:<24}|\n"
        if not chip.processes:
            text += f"| {f'No running processes found in NPU {chip.card}':<95}|\n"
        text += thick
    return text


def main(tool: str, state: str, calls: str, *arguments: str) -> int:
    """Answer as the tool."""
    file = os.open(calls, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, f"{json.dumps([tool, *arguments])}\n".encode())
    values = json.loads(Path(state).read_text("utf-8"))
    if values["wait"]:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a driver that hangs lets no signal through
        time.sleep(values["wait"])
    if values["output"] is not None:
        sys.stdout.write(f"{values['output']}\n")
        return int(values["status"])
    kind: Callable[..., Any] = Gpu if tool == "nvidia-smi" else Npu
    cards = [
        kind(**card | {"processes": [Process(**each) for each in card["processes"]]})
        for card in values["gpus" if tool == "nvidia-smi" else "npus"]
    ]
    if tool == "nvidia-smi":
        output, status = nvidia_smi(arguments, cards, values["unknown"])
    else:
        output, status = npu_smi(arguments, cards)
    sys.stdout.write(output)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
