"""Mutation testing: change the code in small ways and see whether its tests notice: `make mutation [MODULES=paging]`.

`tests/mutation.toml` names the modules with their tests, and the mutants that change nothing that a user could see.
A copy of the packages, in which everything can be imported from one folder, is made in `.cache/mutation`; mutmut runs
there, in an environment of its own that also sees the packages of `.venv`. One process at the lowest priority.
`SAMPLE=100` runs as many mutants of each module, drawn at random but always the same.
Exit status 1 if a module's score is below the least.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "mutation"
PYTHON = CACHE / "env" / "bin" / "python"
REQUIREMENTS = ROOT / "requirements" / "mutation.txt"
PACKAGES = (
    "generated/modelarts_api",
    "generated/modelarts_openapi",
    "overlays/modelarts_toolkit",
    "emulator/modelarts_emulator",
    "contract/modelarts_contract",
)
COPIED = ("tests", "openapi", "scripts", "examples", "pyproject.toml")
SEED = 1
# A mutant that runs into the time limit has been noticed, too.
NOTICED = {"killed", "timeout", "suspicious", "segfault"}
SETTINGS = """[mutmut]
source_paths={packages}
only_mutate={files}
pytest_add_cli_args_test_selection={tests}
pytest_add_cli_args=
    -q
    -p
    no:cacheprovider
    -p
    no:schemathesis
    -p
    no:xdist
    --import-mode=importlib{options}
also_copy={copied}
use_setproctitle=false
"""
PYTEST = """[pytest]
filterwarnings = error
markers = soak: takes long
addopts = -m "not soak"
timeout = 60
"""


def main() -> int:
    table = tomllib.loads((ROOT / "tests" / "mutation.toml").read_text("utf-8"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"one of {', '.join(table['module'])}")
    parser.add_argument("--sample", type=int, default=0, help="how many mutants of each module to run; 0: all")
    arguments = parser.parse_args()
    wanted = arguments.modules or list(table["module"])
    if unknown := sorted(set(wanted) - set(table["module"])):
        parser.error(f"there is no module {unknown[0]}: use {', '.join(table['module'])}")
    prepare()
    os.nice(19)
    scores = [score(name, table["module"][name], arguments.sample) for name in wanted]
    return int(any(found < table["least_percent"] for found in scores))


def prepare() -> None:
    """Make the environment, unless its requirements are those of the last time."""
    stamp = CACHE / "env" / "requirements.txt"
    if stamp.exists() and stamp.read_bytes() == REQUIREMENTS.read_bytes():
        return
    run(sys.executable, "-m", "venv", "--clear", CACHE / "env", cwd=ROOT)
    run(PYTHON, "-m", "pip", "install", "-qq", "--require-hashes", "-r", REQUIREMENTS, cwd=ROOT)
    places = next((CACHE / "env" / "lib").glob("python*/site-packages"))
    (places / "project.pth").write_text(sysconfig.get_path("purelib") + "\n")
    stamp.write_bytes(REQUIREMENTS.read_bytes())


def score(name: str, module: dict[str, list[str]], sample: int) -> float:
    """Run a module's mutants; prints the score with those that survive, and returns it in percent."""
    tree = CACHE / name
    shutil.rmtree(tree, ignore_errors=True)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in COPIED[:-1]:
        shutil.copytree(ROOT / path, tree / path, ignore=shutil.ignore_patterns("__pycache__"))
    names = {Path(package).name for package in PACKAGES}
    mutated = {Path(file).parts[0] for file in module["files"]}
    lists = {"packages": sorted(mutated), "copied": [*COPIED[1:-1], "pytest.ini", *sorted(names - mutated)]}
    lists |= {"options": [], **module}
    values = {key: "".join(f"\n    {entry}" for entry in entries) for key, entries in lists.items()}
    (tree / "setup.cfg").write_text(SETTINGS.format(**values))
    (tree / "pytest.ini").write_text(PYTEST)
    chosen: list[str] = []
    if sample:
        run_mutants(tree, ["none"])  # makes them, and runs none
        mutants = sorted(states_of(tree))
        chosen = random.Random(SEED).sample(mutants, min(sample, len(mutants)))  # noqa: S311 - to be repeatable
    run_mutants(tree, chosen)
    states = {mutant: state for mutant, state in states_of(tree).items() if not chosen or mutant in chosen}
    if not states or "not checked" in states.values():
        print(
            f"{(tree / 'mutmut.log').read_text('utf-8')[-2000:]}\n{name}: mutmut could not run the mutants, see above"
        )
        return 0.0
    counts = Counter(states.values())
    noticed = sum(count for state, count in counts.items() if state in NOTICED)
    percent = 100 * noticed / len(states)
    print(f"{name}: {percent:.1f} % of {len(states)} mutants ({', '.join(f'{n} {s}' for s, n in counts.items())})")
    known = {change(text) for text in module.get("equivalent", ())}
    for mutant, state in states.items():
        if state not in NOTICED:
            text = change(mutmut(tree, "show", mutant))
            print(f"  {state}{' (equivalent)' if text in known else ''}: {mutant}\n    " + text.replace("\n", "\n    "))
    sys.stdout.flush()
    return percent


def run_mutants(tree: Path, names: list[str]) -> None:
    """Run the mutants of these names, or all; what mutmut prints goes into a file."""
    with (tree / "mutmut.log").open("w") as log:
        command = [str(PYTHON), "-m", "mutmut", "run", "--max-children", "1", *names]
        subprocess.run(command, cwd=tree, stdout=log, stderr=log, check=False)


def states_of(tree: Path) -> dict[str, str]:
    """What became of each mutant."""
    return dict(re.findall(r"^\s+(\S+): (.+)$", mutmut(tree, "results", "--all", "true"), re.MULTILINE))


def change(diff: str) -> str:
    """The lines that a diff takes away and adds."""
    lines = [f"{line[0]} {line[1:].strip()}" for line in diff.splitlines() if re.match(r"[-+](?![-+])", line)]
    return "\n".join(lines)


def mutmut(tree: Path, *arguments: str) -> str:
    done = subprocess.run([PYTHON, "-m", "mutmut", *arguments], cwd=tree, capture_output=True, text=True, check=False)
    return done.stdout


def run(*command: object, cwd: Path) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


if __name__ == "__main__":
    sys.exit(main())
