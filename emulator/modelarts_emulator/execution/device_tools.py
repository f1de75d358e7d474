"""What nvidia-smi says of the accelerators of this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.devices import Device

_QUERY = ["--query-gpu=index,uuid,memory.total,name", "--format=csv,noheader,nounits"]


def find_devices(environ: Mapping[str, str]) -> tuple[Device, ...]:
    """The cards that nvidia-smi shows; none without it."""
    if (tool := shutil.which("nvidia-smi", path=environ.get("PATH"))) is None:
        return ()
    done = subprocess.run([tool, *_QUERY], capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    rows = [[cell.strip() for cell in line.split(",", 3)] for line in done.stdout.splitlines()]
    return tuple(
        Device(uuid, "gpu", index, name, int(total) << 20)
        for index, uuid, total, name in (row for row in rows if len(row) == 4 and row[2].isdecimal())
    )


def choose_devices(found: Sequence[Device], text: str) -> tuple[Device, ...]:
    """Those that the text names by number or id; raises EmulatorError for one that is not there."""
    known = {name: device for device in found for name in (device.index, device.id)}
    names = [name.strip() for name in text.split(",")]
    if missing := [name for name in names if name not in known]:
        raise EmulatorError(f"--devices: {missing[0]!r} is not one of {', '.join(map(str, found)) or 'none'}")
    return tuple({known[name].id: known[name] for name in names}.values())
