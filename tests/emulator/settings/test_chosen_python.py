"""Which Python runs a script: every combination of environments, folders and PATH, with real environments."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings import chosen_python
from modelarts_emulator.settings.chosen_python import OWN, choose_python, is_program, named_python

BASE = Path(sys._base_executable)  # type: ignore[attr-defined]
SYSTEM = is_program("/usr/bin/python3") and os.path.realpath("/usr/bin/python3") != os.path.realpath(BASE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Pythons, by their names; the code is in `project/src/code`."""
    root = tmp_path_factory.mktemp("pythons").resolve()
    for name in ("active", "conda", "path", "other", "project/.venv"):
        venv.create(root / name, symlinks=name != "conda")
    (root / "conda" / "pyvenv.cfg").unlink()  # an environment of conda has none
    (root / "project" / "src" / "code").mkdir(parents=True)
    (root / "project" / "src" / ".venv" / "bin").mkdir(parents=True)  # a broken one, nearer than that of the project
    (root / "project" / "src" / ".venv" / "bin" / "python").symlink_to(root / "gone" / "python3.9")
    (root / "base").mkdir()
    (root / "base" / "python3").symlink_to(BASE)
    (root / "own").symlink_to(Path(sys.executable).parent)
    (root / "directory" / "python3").mkdir(parents=True)
    (root / "plain").mkdir()
    (root / "plain" / "python3").write_text("not executable")
    shim(root / "works", f'exec {root / "other" / "bin" / "python3"} "$@"')
    shim(root / "shows-base", f'exec {BASE} "$@"')
    shim(root / "chatty", f'echo "switching"; exec {root / "other" / "bin" / "python3"} "$@"')
    shim(root / "fails", 'echo "pyenv: python3: command not found" >&2; exit 127')
    shim(root / "silent", "exit 0")
    shim(root / "liar", f"echo {root}/gone/python3")
    shim(root / "text", "", first="this is not a program\n")
    shim(root / "empty", "", first="")
    (root / "manager").mkdir()  # a program that is started by the name of python3, like mise and rye
    (root / "manager" / "python3").symlink_to("/bin/false")
    return root


def shim(folder: Path, body: str, first: str = "#!/bin/sh\n") -> None:
    """Make a script that is called python3."""
    folder.mkdir()
    (folder / "python3").write_text(f"{first}{body}\n" if first else "")
    (folder / "python3").chmod(0o755)


# What is set, in the words of the test, and which Python it gives.
VARIABLES: dict[str, dict[str, str]] = {"": {}, "venv": {"VIRTUAL_ENV": "active"}, "conda": {"CONDA_PREFIX": "conda"}}
VARIABLES["both"] = VARIABLES["venv"] | VARIABLES["conda"]
VARIABLES["stale"] = {"VIRTUAL_ENV": "gone"}
VARIABLES["stale venv, conda"] = VARIABLES["stale"] | VARIABLES["conda"]
VARIABLES["venv, stale conda"] = VARIABLES["venv"] | {"CONDA_PREFIX": "gone"}
VARIABLES["a folder in it"] = {"VIRTUAL_ENV": "active/bin"}
VARIABLES["blank"] = {"VIRTUAL_ENV": "active ", "CONDA_PREFIX": "conda\n"}
VARIABLES["empty"] = {"VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
OF_VARIABLES = {"venv": "active", "conda": "conda", "both": "active", "stale venv, conda": "conda"}
OF_VARIABLES["venv, stale conda"] = "active"
NO_PYTHON = {
    "stale": "; VIRTUAL_ENV={}/gone has no Python",
    "stale venv, conda": "; VIRTUAL_ENV={}/gone has no Python",
    "a folder in it": "; VIRTUAL_ENV={}/active/bin has no Python",
    "blank": "; VIRTUAL_ENV='{0}/active ' has no Python; CONDA_PREFIX='{0}/conda\n' has no Python",
}
FOLDERS = {"project/src/code": "project/.venv", "project": "project/.venv", "project/src": "project/.venv", "": None}
PATHS = {
    None: None,
    "": None,
    "path/bin": "path",
    "path/bin:other/bin": "path",
    "other/bin:path/bin": "other",
    "base:other/bin": "other",
    "base": None,
    "own": None,
    "own:path/bin": "path",
    "base:/usr/bin": None,
    "own:/usr/bin:/bin:path/bin": "path",
    "gone:directory:plain:path/bin": "path",
    "works": "other",
    "chatty": "other",
    "shows-base:path/bin": "path",
    "shows-base": None,
    "fails:silent:liar:text:empty:manager:path/bin": "path",
    "fails": None,
}


def at(root: Path, folder: str) -> str:
    return str(root / folder)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("variables", VARIABLES)
def test_the_first_source_that_gives_a_python_wins(made: Path, variables: str, folder: str, path: str | None) -> None:
    """VIRTUAL_ENV, then CONDA_PREFIX, then .venv of the folder or above, then PATH, then the toolkit's own."""
    environ = {name: at(made, value) if value else "" for name, value in VARIABLES[variables].items()}
    if path is not None:
        environ["PATH"] = ":".join(at(made, entry) for entry in path.split(":")) if path else ""
    expected, why = Path(sys.executable), OWN
    for chosen, source in ((PATHS[path], "PATH"), (FOLDERS[folder], ".venv")):
        if chosen:
            expected, why = made / chosen / "bin" / ("python3" if source == "PATH" else "python"), source
    if of_variables := OF_VARIABLES.get(variables):
        expected = made / of_variables / "bin" / "python"
        why = "CONDA_PREFIX" if of_variables == "conda" else "VIRTUAL_ENV"

    said = why + NO_PYTHON.get(variables, "").format(made)
    assert (expected, said) == choose_python(made / folder, environ)


# What one entry of PATH is: a Python, the toolkit's own, the system's, or nothing that runs.
ENTRIES = {
    "path/bin": "path/bin/python3",
    "works": "other/bin/python3",
    "conda/bin": "conda/bin/python3",
    "own": OWN,
    "base": OWN,
    "shows-base": OWN,
    "/usr/bin": "/usr/bin/python3",
    **dict.fromkeys(("gone", "directory", "plain", "fails", "liar", "text", "manager", ""), None),
}


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(list(ENTRIES)), max_size=6),
    st.sampled_from(["active", "gone", "text", None]),
    st.sampled_from(["conda", "gone", None]),
    st.sampled_from(["project/src/code", "project", ""]),
)
def test_nothing_but_the_order_of_the_rule_decides(
    made: Path, path: list[str], active: str | None, conda: str | None, folder: str
) -> None:
    """Whatever is set and in whatever order the folders stand on PATH; the answer is always a program."""
    given_ = {"VIRTUAL_ENV": active, "CONDA_PREFIX": conda}
    environ = {name: at(made, value) for name, value in given_.items() if value}
    environ["PATH"] = ":".join(at(made, entry) if entry else "" for entry in path)
    sources = [
        (active == "active", "active/bin/python", "VIRTUAL_ENV"),
        (conda == "conda", "conda/bin/python", "CONDA_PREFIX"),
    ]
    sources.append((folder != "", "project/.venv/bin/python", ".venv"))
    found = [(made / python, why) for is_there, python, why in sources if is_there]
    is_own_passed = False
    for entry in path:
        if ENTRIES[entry] == OWN:
            is_own_passed = True
        elif (python := ENTRIES[entry]) and not (entry == "/usr/bin" and (is_own_passed or not SYSTEM)):
            found.append((made / python, "PATH"))

    chosen = choose_python(made / folder, environ)

    python, why = [*found, (Path(sys.executable), OWN)][0]
    assert (chosen.path, chosen.why.partition(";")[0]) == (python, why)
    assert is_program(chosen.path)
    assert str(chosen) == f"{chosen.path} ({chosen.why})"


def test_a_plain_program_is_not_started(tmp_path: Path) -> None:
    """Only a script, or a link to a program of another name, is asked which Python it starts."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").write_bytes(b"\x7fELF\x02\x01\x01\0 and nothing that runs")
    (tmp_path / "bin" / "python3").chmod(0o755)

    assert choose_python(tmp_path, {"PATH": str(tmp_path / "bin")}) == (tmp_path / "bin" / "python3", "PATH")


def test_what_is_relative_counts_from_the_current_folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also an empty entry of PATH, as for a shell; the answer is absolute. A `..` leads where it leads a shell."""
    monkeypatch.chdir(made / "other" / "bin")

    assert choose_python(made, {"PATH": "../../path/bin"}).path == made / "path" / "bin" / "python3"
    assert choose_python(made, {"PATH": ":/usr/bin"}).path == made / "other" / "bin" / "python3"
    assert choose_python(made, {"VIRTUAL_ENV": "../../active"}).path == made / "active" / "bin" / "python"
    assert choose_python(Path("../../project/src"), {}).path == made / "project" / ".venv" / "bin" / "python"
    assert choose_python(made / "project" / ".." / "other", {}).why == OWN


def test_a_shim_is_asked_in_the_current_folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Like pyenv, which reads the file .python-version there, and finds its own settings in the variables."""
    shim(tmp_path / "shims", f'exec {made}/"$(cat .python-version)"/bin/python3 "$@"')
    for folder in ("path", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ".python-version").write_text(folder)
        monkeypatch.chdir(tmp_path / folder)
        found = choose_python(tmp_path, {"PATH": f"{tmp_path}/shims:/bin"})

        assert found == (made / folder / "bin" / "python3", "PATH"), folder


def test_a_shim_that_takes_long_is_passed_over(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen_python, "SHIM_TIMEOUT_S", 0.2)
    shim(tmp_path / "hangs", f'/bin/sleep 5; exec {made}/other/bin/python3 "$@"')

    assert choose_python(tmp_path, {"PATH": str(tmp_path / "hangs")}).why == OWN


@pytest.mark.parametrize("name", ["Scripts/python.exe", "python.exe"])
def test_an_environment_of_windows_has_other_names(tmp_path: Path, name: str) -> None:
    (tmp_path / ".venv" / name).parent.mkdir(parents=True)
    (tmp_path / ".venv" / name).symlink_to(BASE)

    assert choose_python(tmp_path, {}) == (tmp_path / ".venv" / name, ".venv")
    assert choose_python(Path("/"), {"CONDA_PREFIX": str(tmp_path / ".venv")}).path == tmp_path / ".venv" / name


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files to others")
def test_an_environment_above_the_code_must_not_be_of_somebody_else(tmp_path: Path) -> None:
    """Such as /tmp/.venv: unless the code is of the same person."""
    code = tmp_path / "code"
    code.mkdir()
    venv.create(tmp_path / ".venv")
    python = tmp_path / ".venv" / "bin" / "python"
    os.chown(tmp_path / ".venv", 12345, -1)
    assert choose_python(code, {}).why == OWN
    os.chown(code, 12345, -1)

    assert choose_python(code, {}) == (python, ".venv")


def test_an_environment_whose_python_was_copied_is_another_one(tmp_path: Path) -> None:
    """And a copy or a link of a Python is told by where it leads, or by what stands beside it."""
    venv.create(tmp_path / "copied", symlinks=False)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "python3").symlink_to(sys.executable)

    assert choose_python(tmp_path, {"PATH": str(tmp_path / "copied" / "bin")}).why == "PATH"
    assert choose_python(tmp_path, {"PATH": str(tmp_path / "links")}).why == OWN


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("path/bin/python3", "path/bin/python3"),
        ("works/python3", "other/bin/python3"),
        ("path/bin/../../works/python3", "other/bin/python3"),
        ("~/works/python3", "other/bin/python3"),
        ("python3", "other/bin/python3"),
        ("fails/python3", "is not a Python that runs"),
        ("manager/python3", "is not a Python that runs"),
        ("/bin/ls", "is not a Python that runs"),
        ("true", "is not a Python that runs"),
        ("plain/python3", "is not a program"),
        ("gone", "is neither a program nor a command"),
        ("gone/python3", "is not a program"),
    ],
)
def test_what_an_option_names_is_a_python_or_starts_one(
    made: Path, monkeypatch: pytest.MonkeyPatch, named: str, expected: str
) -> None:
    """A path, relative to the current folder, or the name of a command; a file goes first."""
    monkeypatch.chdir(made)
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("PATH", f"{made}/works:/bin")
    if " " in expected:
        with pytest.raises(EmulatorError, match=expected):
            named_python(Path(named), "--engine")
    else:
        assert named_python(Path(named), "--engine") == made / expected


@pytest.mark.parametrize("toolkit", ["--symlinks", "--copies", None])
def test_the_own_python_is_that_of_the_process_and_the_one_that_its_environment_was_made_from(
    made: Path, tmp_path: Path, toolkit: str | None
) -> None:
    """Whether the toolkit is in an environment of links or of copies, or in none."""
    if toolkit is not None:
        subprocess.run([BASE, "-m", "venv", "--without-pip", toolkit, tmp_path], check=True)
    own = str(BASE if toolkit is None else tmp_path / "bin" / "python")
    code = (
        f"import sys; sys.path.insert(0, {str(Path(chosen_python.__file__).parents[2])!r}); from pathlib import Path;"
        "from modelarts_emulator.settings.chosen_python import choose_python;"
        "print(*choose_python(Path('/'), {'PATH': sys.argv[1]}), sep='|')"
    )
    for path, expected in (
        (f"{tmp_path}/bin:{made}/base", f"{own}|{OWN}"),
        (f"{made}/base:{made}/path/bin", f"{made}/path/bin/python3|PATH"),
        (f"{Path(sys.executable).parent}", f"{sys.executable}3|PATH"),
    ):
        done = subprocess.run([own, "-I", "-c", code, path], capture_output=True, text=True, check=True)

        assert done.stdout.strip() == expected, path
