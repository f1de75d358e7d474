"""Make the files of a release in .cache/release and try them: `make release`. Nothing is uploaded, and no tag is set.

Wheel and sdist are built and checked; then each Python from 3.11 to 3.14 that this machine has installs the wheel and
trains the example with it, in a folder outside the source tree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modelarts_toolkit.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / ".cache" / "release"
TOOLS = ROOT / ".cache" / "release-tools"
UV = ROOT / ".venv" / "bin" / "uv"
MINORS = (11, 12, 13, 14)
HEADING = re.compile(r"^## (\S+)(.*)$", re.MULTILINE)


class ReleaseError(Exception):
    """The release is not ready; the message says why and what to do."""


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    try:
        check_changelog(VERSION, (ROOT / "CHANGELOG.md").read_text("utf-8"))
        wheel, sdist = build()
        print(f"built {wheel.name} and {sdist.name}")
        check_metadata(wheel, sdist)
        check_wheel(wheel, project)
        for name, python in installed_pythons():
            print(f"{name}: {try_wheel(wheel, python)}", flush=True)
    except ReleaseError as error:
        sys.exit(f"not ready: {error}")
    print(f"{VERSION} is ready in {DIST.relative_to(ROOT)}; docs/releasing.md says what follows")
    return 0


def check_changelog(version: str, changelog: str) -> None:
    """The newest section of the changelog is that of the version; raises ReleaseError."""
    newest = HEADING.search(changelog)
    found = newest[1] if newest else "none"
    if found != version:
        raise ReleaseError(f"the version is {version}, the newest section of CHANGELOG.md is {found}: change one")


def build() -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(UV, "build", "--quiet", "--no-build-isolation", "--python", sys.executable, "--out-dir", DIST)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, sdist


def check_metadata(*files: Path) -> None:
    """Twine accepts the metadata and renders the README, in which no link depends on the repository."""
    if not (TOOLS / "bin" / "twine").exists():
        run(UV, "venv", "--quiet", "--python", sys.executable, TOOLS)
    requirements = ROOT / "requirements" / "release.txt"
    run(UV, "pip", "install", "--quiet", "--python", TOOLS / "bin" / "python", "--require-hashes", "-r", requirements)
    run(TOOLS / "bin" / "python", "-m", "twine", "check", "--strict", *files)
    with zipfile.ZipFile(files[0]) as wheel:
        metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        relative = re.findall(r"\]\((?!https?://)([^)]+)\)", wheel.read(metadata).decode("utf-8"))
    if relative:
        raise ReleaseError(f"links of the README are dead outside the repository: {', '.join(relative)}")
    print("twine check --strict: passed")


def check_wheel(wheel: Path, project: dict[str, Any]) -> None:
    """The wheel has exactly the tracked files of its packages, and each package is typed."""
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    tracked = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *packages).split("\0")
    expected = {str(Path(*Path(name).parts[1:])) for name in tracked if name and (ROOT / name).exists()}
    with zipfile.ZipFile(wheel) as opened:
        found = {name for name in opened.namelist() if ".dist-info/" not in name}
    if found != expected:
        raise ReleaseError(f"wheel and tracked files differ: {', '.join(sorted(found ^ expected)[:10])}")
    untyped = [name for package in packages if (name := f"{Path(package).name}/py.typed") not in found]
    if untyped:
        raise ReleaseError(f"packages without types: {', '.join(untyped)}")
    print(f"wheel: {len(found)} files, {wheel.stat().st_size / 1e6:.1f} MB")


def installed_pythons() -> Iterator[tuple[str, Path]]:
    """The Pythons on the PATH, and those that pyenv or uv installed."""
    folders = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    home = Path.home()
    folders += sorted([*home.glob(".pyenv/versions/*/bin"), *home.glob(".local/share/uv/python/*/bin")])
    for minor in MINORS:
        check = f"import sys, ensurepip; assert sys.version_info[:2] == (3, {minor})"
        found = (python for folder in folders if (python := folder / f"python3.{minor}").exists())
        for python in found:
            if not subprocess.run([python, "-c", check], capture_output=True, check=False).returncode:
                yield python.name, python
                break


def try_wheel(wheel: Path, python: Path) -> str:
    """Install the wheel into a new environment, and train the example with it from another folder."""
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        here = Path(folder)
        shutil.copytree(ROOT / "examples" / "digits", here / "digits")
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "VIRTUAL_ENV": f"{here / 'env'}"}
        run(UV, "venv", "--quiet", "--python", python, here / "env")
        interpreter = here / "env" / "bin" / "python"
        run(UV, "pip", "install", "--quiet", "--python", interpreter, f"{wheel}[local]", "numpy")
        module: tuple[str | Path, ...] = (interpreter, "-m", "modelarts_toolkit")
        version = run(*module, "--version", cwd=here, environment=environment).strip()
        trained = run(
            *module, "run", "code/test-pytorch.py", "--data", "data", "--out", "outputs",
            cwd=here / "digits", environment=environment,
        )  # fmt: skip
        accuracy = re.findall(r"epoch 40/40 .*accuracy ([\d.]+)", trained)
        if not accuracy or not (here / "digits" / "outputs" / "model.npz").exists():
            raise ReleaseError(f"the example trained no model:\n{trained}")
    return f"{version}, trained the example to an accuracy of {accuracy[0]}"


def run(*command: str | Path, cwd: Path = ROOT, environment: dict[str, str] | None = None) -> str:
    """Run the command and return what it printed; raises ReleaseError with it."""
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
