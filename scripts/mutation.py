"""Mutation testing: change the code in small ways and see whether its tests notice: `make mutation [MODULES=paging]`.

`tests/mutation.toml` names the modules with their tests, and the mutants that change nothing that a user could see.
A copy of the packages, in which everything can be imported from one folder, is made in `.cache/mutation`; mutmut runs
there, in an environment of its own that also sees the packages of `.venv`. One process at a low priority.
Each mutant is a fork of a process that has imported everything. It runs only the tests that reach the changed code,
the fastest first, until one fails.
`SAMPLE=100` runs 100 mutants of each module, drawn at random but always the same.

The score is the share of mutants that the tests notice, without the equivalent ones.
A mutant that loops is noticed; one whose tests only take long is not, because a busy machine has the same effect.
Exit status 1 if a module's score is below the least.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections import Counter
from pathlib import Path

from install_clients import install

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "mutation"
PYTHON = CACHE / "env" / "bin" / "python"
REQUIREMENTS = ROOT / "requirements" / "mutation.txt"
PACKAGES = (
    "generated/modelarts_api",
    "generated/modelarts_openapi",
    "overlays/modelarts_documents",
    "overlays/modelarts_runtime",
    "overlays/modelarts_toolkit",
    "emulator/modelarts_emulator",
    "contract/modelarts_contract",
)
COPIED = ("tests", "openapi", "scripts", "examples", "pyproject.toml")
PLUGIN = "mutation_plugin"
SEED = 1
# By the exit status of a mutant's process: pytest's, mutmut's, the plugin's (24, 36), or the signal that ended it.
OUTCOMES: dict[int | None, str] = {
    None: "not run",
    0: "survived",
    1: "killed",
    3: "killed",
    5: "untested",
    33: "untested",
    24: "looped",
    36: "timed out",
    -24: "timed out",
    -11: "crashed",
    -9: "crashed",
}
NOTICED = {"killed", "looped", "crashed"}
# mutmut's own time limit grows with the tests' usual time; with this constant it never comes before the plugin's.
SETTINGS = Path(__file__).with_suffix(".cfg").read_text("utf-8")
# Plugins cost time in every process; the tests of these modules need no other one.
ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "_hypothesis_pytestplugin"}


def main() -> int:
    table = tomllib.loads((ROOT / "tests" / "mutation.toml").read_text("utf-8"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"one of {', '.join(table['module'])}")
    parser.add_argument("--sample", type=int, default=0, help="how many mutants of each module to run; 0: all")
    arguments = parser.parse_args()
    wanted = arguments.modules or list(table["module"])
    if unknown := sorted(set(wanted) - set(table["module"])):
        parser.error(f'unknown module "{unknown[0]}": use {", ".join(table["module"])}')
    prepare()
    os.nice(10)
    scores = [score(name, table["module"][name], arguments.sample) for name in wanted]
    return int(any(found < table["least_percent"] for found in scores))


def prepare() -> None:
    """Make the environment, which also sees the packages of `.venv`."""
    if not install(CACHE / "env", REQUIREMENTS):
        raise SystemExit(1)
    places = next((CACHE / "env" / "lib").glob("python*/site-packages"))
    (places / "project.pth").write_text(sysconfig.get_path("purelib") + "\n")


def score(name: str, module: dict[str, list[str]], sample: int) -> float:
    """Run a module's mutants; prints the score with those that are not noticed, and returns it in percent."""
    tree = make_tree(name, module)
    run_mutants(tree, "none")  # makes them, and runs none
    mutants = sorted(exit_statuses(tree))
    chosen = random.Random(SEED).sample(mutants, min(sample or len(mutants), len(mutants)))  # noqa: S311 - repeatable
    began = time.monotonic()
    run_mutants(tree, *chosen)
    seconds = time.monotonic() - began
    statuses = exit_statuses(tree)
    outcomes = {mutant: OUTCOMES.get(statuses[mutant], "suspicious") for mutant in chosen}
    if not outcomes or "not run" in outcomes.values():
        print(
            f"{(tree / 'mutmut.log').read_text('utf-8')[-2000:]}\n{name}: mutmut could not run the mutants, see above"
        )
        return 0.0
    equivalent = {changed_lines(text) for text in module.get("equivalent", ())}
    unnoticed = {
        mutant: changed_lines(subprocess.check_output([PYTHON, "-m", "mutmut", "show", mutant], cwd=tree, text=True))
        for mutant, outcome in outcomes.items()
        if outcome not in NOTICED
    }
    outcomes |= {mutant: "equivalent" for mutant, lines in unnoticed.items() if lines in equivalent}
    counts = Counter(outcomes.values())
    noticed = sum(counts[outcome] for outcome in NOTICED)
    percent = 100 * noticed / max(1, len(chosen) - counts["equivalent"])
    listed = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    print(
        f"{name}: {percent:.1f} %; {len(chosen)} of {len(mutants)} mutants: {listed}; "
        f"{seconds / max(1, len(chosen)):.1f} s each"
    )
    for mutant, lines in unnoticed.items():
        print(f"  {outcomes[mutant]}: {mutant}\n    " + lines.replace("\n", "\n    "))
    sys.stdout.flush()
    return percent


def make_tree(name: str, module: dict[str, list[str]]) -> Path:
    """Copy what the module and its tests need, with the settings of mutmut and pytest."""
    tree = CACHE / name
    shutil.rmtree(tree, ignore_errors=True)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in COPIED[:-1]:
        shutil.copytree(ROOT / path, tree / path, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "plugin").mkdir()
    shutil.copy(ROOT / "scripts" / f"{PLUGIN}.py", tree / "plugin")
    names = {Path(package).name for package in PACKAGES}
    mutated = {Path(file).parts[0] for file in module["files"]}
    lists = {"packages": sorted(mutated), "copied": [*COPIED[1:-1], "pytest.ini", *sorted(names - mutated)]}
    lists |= {"options": [], **module}
    values = {key: "".join(f"\n    {entry}" for entry in entries) for key, entries in lists.items()}
    (tree / "setup.cfg").write_text(SETTINGS.format(plugin=PLUGIN, **values))
    shutil.copy(ROOT / "scripts" / "mutation_pytest.ini", tree / "pytest.ini")
    return tree


def run_mutants(tree: Path, *names: str) -> None:
    """Run the mutants of these names; what mutmut prints goes into a file."""
    with (tree / "mutmut.log").open("w") as log:
        command = [str(PYTHON), "-m", "mutmut", "run", "--max-children", "1", *names]
        environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(tree / "plugin")}
        subprocess.run(command, cwd=tree, env=environment, stdout=log, stderr=log, check=False)


def exit_statuses(tree: Path) -> dict[str, int | None]:
    """The exit status of each mutant's tests; None if they have not been run."""
    statuses: dict[str, int | None] = {}
    for file in (tree / "mutants").rglob("*.py.meta"):
        statuses |= json.loads(file.read_text("utf-8"))["exit_code_by_key"]
    return statuses


def changed_lines(diff: str) -> str:
    """The lines that a diff removes and adds."""
    lines = [f"{line[0]} {line[1:].strip()}" for line in diff.splitlines() if re.match(r"[-+](?![-+])", line)]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
