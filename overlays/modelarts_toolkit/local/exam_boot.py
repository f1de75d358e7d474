"""The boot file of `modelarts exam`: it is uploaded beside the code, runs the script, and prints what outputs it reads.

The Python of the job may be an old one, and the script must not notice a difference.
"""

import os
import runpy
import sys
from pathlib import Path

MARK = "[exam]"


def main() -> None:
    """Run the script that the environment names, which may be the one that runs a module."""
    names = os.environ["MODELARTS_EXAM_OUTPUTS"].split(",")
    given = (argument.partition("=") for argument in sys.argv[1:])
    folders = tuple(os.path.realpath(path) + os.sep for name, _, path in given if name.removeprefix("--") in names)
    seen = set()

    def hear(event: str, arguments: "tuple[object, ...]") -> None:
        if event != "open":
            return
        path, _, flags = arguments
        if not isinstance(path, (str, bytes)):
            return
        if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_DIRECTORY):
            return
        place = os.path.realpath(os.fsdecode(path))
        if place.startswith(folders) and place not in seen and Path(place).is_file():
            seen.add(place)
            os.write(1, f"{MARK} read {Path(place).name}\n".encode())

    if folders and hasattr(sys, "addaudithook"):
        sys.addaudithook(hear)
    script = Path(__file__).parent / os.environ["MODELARTS_EXAM_SCRIPT"]
    sys.argv[0], sys.path[0] = str(script), str(script.parent)
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    main()
