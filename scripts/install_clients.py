"""Install published clients into environments of their own: `python scripts/install_clients.py [NAME ...]`.

`requirements/clients-NAME.txt` becomes `.cache/clients/NAME`, for all names unless some are given. uv does the work
if there is one, because it takes a fraction of pip's time; where it fails, pip does it.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements"
ENVIRONMENTS = ROOT / ".cache" / "clients"
UV = shutil.which("uv", path=str(ROOT / ".venv" / "bin")) or shutil.which("uv")
PREFIX = "clients-"


def main() -> int:
    names = sys.argv[1:] or [path.stem.removeprefix(PREFIX) for path in sorted(REQUIREMENTS.glob(f"{PREFIX}*.txt"))]
    failed = [name for name in names if not is_current(name) and not install(name)]
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
    stamp = ENVIRONMENTS / name / "requirements.txt"
    return stamp.exists() and stamp.read_bytes() == requirements(name).read_bytes()


def install(name: str) -> bool:
    """Make the environment anew; False if something could not be installed, whose own message says why."""
    folder, wanted = ENVIRONMENTS / name, str(requirements(name))
    print(f"installing {requirements(name).relative_to(ROOT)} into {folder.relative_to(ROOT)}", flush=True)
    if not (UV and install_with_uv(UV, name, wanted)):
        venv.create(folder, with_pip=True, clear=True)
        pip = (python(name), "-m", "pip", "install", "-qq", "--disable-pip-version-check")
        if not run(*pip, "--require-hashes", "-r", wanted):
            return False
    (folder / "requirements.txt").write_bytes(requirements(name).read_bytes())
    return True


def install_with_uv(uv: str, name: str, wanted: str) -> bool:
    venv.create(ENVIRONMENTS / name, clear=True)
    if run(uv, "pip", "install", "-q", "--python", python(name), "--require-hashes", "-r", wanted):
        return True
    print("uv could not install them; trying pip, which takes longer", flush=True)
    return False


def run(*command: "str | Path") -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
