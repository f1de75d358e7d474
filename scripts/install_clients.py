"""Install published clients into environments of their own: `python scripts/install_clients.py [NAME ...]`.

`requirements/clients-NAME.txt` becomes `.cache/clients/NAME`, for all names unless some are given.
"""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements"
ENVIRONMENTS = ROOT / ".cache" / "clients"
UV = ROOT / ".venv" / "bin" / "uv"
PREFIX = "clients-"


def main() -> int:
    names = sys.argv[1:] or [path.stem.removeprefix(PREFIX) for path in sorted(REQUIREMENTS.glob(f"{PREFIX}*.txt"))]
    failed = [name for name in names if not install(ENVIRONMENTS / name, requirements(name))]
    if failed:
        print(f"clients that could not be installed, so that their tests are skipped: {', '.join(failed)}")
    return 1 if failed else 0


def requirements(name: str) -> Path:
    """Return the pinned requirements of an environment."""
    return REQUIREMENTS / f"{PREFIX}{name}.txt"


def python(name: str) -> Path:
    """Return the interpreter of an environment."""
    return ENVIRONMENTS / name / "bin" / "python"


def is_current(name: str) -> bool:
    """Whether the environment has what its requirements name now."""
    return is_made_of(ENVIRONMENTS / name, requirements(name))


def is_made_of(folder: Path, wanted: Path) -> bool:
    stamp = folder / "requirements.txt"
    return stamp.exists() and stamp.read_bytes() == wanted.read_bytes()


def install(folder: Path, wanted: Path) -> bool:
    """Make the environment unless it is current; False if something could not be installed, whose message says why."""
    if is_made_of(folder, wanted):
        return True
    print(f"installing {wanted.relative_to(ROOT)} into {folder.relative_to(ROOT)}", flush=True)
    venv.create(folder, clear=True)
    command = (UV, "pip", "install", "-q", "--python", folder / "bin" / "python", "--require-hashes", "-r", wanted)
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        return False
    (folder / "requirements.txt").write_bytes(wanted.read_bytes())
    return True


if __name__ == "__main__":
    sys.exit(main())
