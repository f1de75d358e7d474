"""The command `modelarts`."""

import atexit
import gc
import sys
from typing import Any, cast

GC_THRESHOLD = 200_000  # objects; imported ones stay, and scanning them would take a tenth of a short command's time


def main() -> None:
    """Run the command; without the command-line libraries, say what to install."""
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)  # nor does Python scan them at its end
    cast("dict[str, Any]", sys.modules)["httpx._main"] = None  # httpx's own command, which would load rich: 30 ms
    try:
        from modelarts_toolkit.cli.commands import modelarts
    except KeyboardInterrupt:  # later, the command itself handles it
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("modelarts"):
            raise
        from modelarts_toolkit.install import install_command

        sys.exit(f"modelarts: the command line needs {error.name}: {install_command('cli')}")
    modelarts(prog_name="modelarts")
