"""What a script says that it needs, in its block `# /// script` (PEP 723), and how the service installs it."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.jobfiles.checks import Problem
from modelarts_toolkit.jobfiles.plan import AnyPlan
from modelarts_toolkit.jobs.reading import read
from modelarts_toolkit.storage.local_files import IgnoreRules

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

REQUIREMENTS = "pip-requirements.txt"
# The service installs one of these files of the code directory. Source: the page "How Do I Create a Training Job When
# a Dependency Package Is Referenced by the Model to Be Trained?".
REQUIREMENT_FILES = (REQUIREMENTS, "pip-requirement.txt", "requirements.txt", "requirement.txt")

# The expression of PEP 723.
_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_PACKAGE = re.compile(r"[A-Za-z0-9][^\n]*")
_PYTHON_OF_ENGINE = re.compile(r"(?:^|[-_])py(?:thon)?_?(\d+\.\d+)(?:\.\d+)?")
_LAST_PATCH = 99  # an engine names its Python as 3.7, which may be any 3.7


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """The block of a script: packages as pip takes them, and the versions of Python such as `>=3.11`, or empty."""

    script: Path
    dependencies: tuple[str, ...]
    requires_python: str

    @property
    def requirements(self) -> str:
        """The text of a file of requirements for pip."""
        return "".join(f"{each}\n" for each in self.dependencies)

    def check_python(self, versions: Sequence[str], what: str) -> None:
        """Raise ConfigError if the script takes none of these versions of Python; `what` names the Python."""
        allowed = _specifiers(self.script, self.requires_python)
        if not any(allowed.contains(version, prereleases=True) for version in versions):
            raise ConfigError(f"{self.script} requires Python {self.requires_python} (in its script block), not {what}")


def script_block(script: Path) -> ScriptBlock | None:
    """The block of a script, None if it has none; raises ConfigError if it has two or if one is wrong."""
    text = script.read_text("utf-8", "replace")
    found = [each["content"] for each in _BLOCK.finditer(text) if each["type"] == "script"]
    if len(found) > 1:
        raise ConfigError(f"{script} has {len(found)} script blocks: keep one")
    if not found:
        return None
    lines = (line[2:] if line.startswith("# ") else line[1:] for line in found[0].splitlines(keepends=True))
    try:
        document = tomllib.loads("".join(lines))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the script block of {script} is not valid TOML: {error}") from error
    requires_python = document.get("requires-python", "")
    if not isinstance(requires_python, str):
        raise _wrong(script, 'requires-python must be a text such as ">=3.11"')
    if requires_python:
        _specifiers(script, requires_python)
    return ScriptBlock(script, tuple(_packages(script, document.get("dependencies", []))), requires_python)


def _packages(script: Path, dependencies: Any) -> Iterator[str]:
    if not isinstance(dependencies, list):
        raise _wrong(script, 'dependencies must be a list such as ["numpy>=2"]')
    for each in dependencies:
        if not isinstance(each, str) or not _PACKAGE.fullmatch(each):
            raise _wrong(script, f'dependencies must name packages, such as "numpy>=2", not {each!r}')
        yield each.strip()


def _specifiers(script: Path, text: str) -> "SpecifierSet":
    try:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
    except ModuleNotFoundError as error:
        raise ConfigError(f"requires-python needs one more library: {install_command('obs')}") from error
    try:
        return SpecifierSet(text)
    except InvalidSpecifier as error:
        raise _wrong(script, f'requires-python must be versions such as ">=3.11", not {text!r}') from error


def _wrong(script: Path, reason: str) -> ConfigError:
    return ConfigError(f"the script block of {script} is wrong: {reason}")


def conflicting_file(code: Path, ignore: Sequence[str] = ()) -> str | None:
    """The file of requirements that the user's code has in addition to the block, unless an upload leaves it out."""
    rules = IgnoreRules(code, ignore, is_code=True)
    return next((name for name in REQUIREMENT_FILES if (code / name).is_file() and not rules.match(name)), None)


def conflict_text(code: Path, ignore: Sequence[str] = ()) -> str | None:
    """What is wrong if the code has both; None if nothing is."""
    if (name := conflicting_file(code, ignore)) is None:
        return None
    return (
        f"the script has a block with dependencies, and the code folder has {name}:"
        f" remove one of them, or name {name} in .modelartsignore"
    )


def block_of(plan: AnyPlan) -> ScriptBlock | None:
    """The block of the local boot file, if an engine of the service runs it; raises ConfigError if it is wrong."""
    image = read(lambda: plan.request["algorithm"]["engine"]["image_url"], str)
    if plan.code is None or plan.boot is None or image:
        return None
    script = plan.code / plan.boot
    return script_block(script) if script.is_file() else None


def problems_of(plan: AnyPlan) -> Iterator[Problem]:
    """What is wrong with the block of the plan's boot file: its form, its Python, and files in its place."""
    path = ("algorithm", "boot_file")
    try:
        block = block_of(plan)
        if block is None or plan.code is None:
            return
        if block.dependencies and (text := conflict_text(plan.code, plan.ignore)) is not None:
            yield Problem(path, text)
        check_engine(plan, block)
    except ConfigError as error:
        yield Problem(path, str(error))


def check_engine(plan: AnyPlan, block: ScriptBlock) -> None:
    """Raise ConfigError if the engine's name says that it has a Python that the script does not take."""
    engine_id = read(lambda: plan.request["algorithm"]["engine"]["engine_id"], str)
    version = read(lambda: plan.request["algorithm"]["engine"]["engine_version"], str)
    for name in (plan.engine, engine_id, version):
        if block.requires_python and (found := _PYTHON_OF_ENGINE.search(name or "")):
            what = f"{found[1]} of the engine {name}: choose another engine"
            block.check_python([found[1], f"{found[1]}.{_LAST_PATCH}"], what)
