"""Install pinned requirements and this project into .venv: `python scripts/install.py requirements/dev.txt`.

Runs on any Python 3, finds a supported one, and replaces a .venv that an older one made. uv does the work because it
takes a quarter of pip's time; where uv cannot reach a package index that only pip is configured for, pip does it.
"""

import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 14)
ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"


def main() -> int:
    requirements = sys.argv[1]
    python = supported_python()
    if python is None:
        running = "{}.{}".format(*sys.version_info[:2])
        print(
            f"modelarts-toolkit needs Python 3.11 or newer, and {sys.executable} is Python {running}: "
            "install a newer one, or name it with make PYTHON=/path/to/python3.11",
            file=sys.stderr,
        )
        return 1
    if not is_supported(VENV_PYTHON):
        subprocess.run([python, "-m", "venv", "--clear", VENV], check=True)
    count = sum("==" in line for line in (ROOT / requirements).read_text("utf-8").splitlines())
    print(f"installing {count} packages of {requirements} into .venv", flush=True)
    return 0 if install_with_uv(requirements) or install_with_pip(requirements) else 1


def supported_python() -> "str | None":
    """Return the running Python if it is new enough, else the newest one on the PATH that is."""
    if sys.version_info >= OLDEST:
        return sys.executable
    names = (f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1))
    found = (python for python in map(shutil.which, names) if python and is_supported(Path(python)))
    return next(found, None)


def is_supported(python: Path) -> bool:
    """Tell whether this interpreter runs, and is new enough."""
    check = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        done = subprocess.run([str(python), "-c", check], stderr=subprocess.DEVNULL, check=False)
        return done.returncode == 0
    except OSError:
        return False


def install_with_uv(requirements: str) -> bool:
    uv = [str(VENV / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(VENV_PYTHON)]
    return (
        pip("--no-compile", "--require-hashes", "-r", "requirements/uv.txt")
        and run([*uv, "--require-hashes", "-r", requirements])
        and run([*uv, "--no-deps", "--no-build-isolation", "--editable", "."])
    )


def install_with_pip(requirements: str) -> bool:
    print("uv could not install them; trying pip, which takes about a minute longer", flush=True)
    return pip("--require-hashes", "-r", requirements) and pip("--no-deps", "--no-build-isolation", "--editable", ".")


def pip(*arguments: str) -> bool:
    return run([str(VENV_PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *arguments])


def run(command: "list[str]") -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
