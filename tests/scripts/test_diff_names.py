"""scripts/diff_names.py: public Python names that were removed, or are called in another way."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scripts.conftest import git

import diff_names

STUB = "from .shop import Shop as Shop\n"
SHOP = """
class Shop:
    def __init__(self, name: str) -> None: ...
    def open(self, *, hour: int = 9) -> None: ...
    def close(self) -> None: ...
    def _count(self) -> int: ...
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a class that is exported; what follows is not committed."""
    for name in diff_names.PACKAGES:
        source = name.removeprefix("modelarts_") if name.endswith(("emulator", "contract")) else "overlays"
        (tmp_path / source / name).mkdir(parents=True)
        (tmp_path / source / name / "__init__.py").touch()
    write(tmp_path, SHOP, "## 0.2.0\n\n## 0.1.0\n\n* `close` is gone.\n")
    (tmp_path / diff_names.STUB).write_text(STUB)
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    (tmp_path / "docs" / "reference" / "python.md").write_text("# Python\n\n::: modelarts_toolkit.shop\n")
    program = "```python\nfrom modelarts_contract import tried\n```\n"
    (tmp_path / "docs" / "page.md").write_text(f"{program}`modelarts_emulator.Served` is the other.\n")
    (tmp_path / "contract" / "modelarts_contract" / "__init__.py").write_text("def tried() -> None: ...\n")
    (tmp_path / "emulator" / "modelarts_emulator" / "__init__.py").write_text("class Served: ...\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "One"]):
        git(tmp_path, *command)
    monkeypatch.setattr(diff_names, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["diff_names.py", "HEAD"])
    return tmp_path


def write(tree: Path, shop: str, changelog: str = "") -> None:
    (tree / "overlays" / "modelarts_toolkit" / "shop.py").write_text(shop)
    if changelog:
        (tree / "CHANGELOG.md").write_text(changelog)


def test_what_is_the_same_or_new_or_not_public_breaks_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, SHOP.replace("    def _count(self) -> int: ...", "    def count(self, kind: str = '') -> int: ..."))

    assert diff_names.main() == 0
    assert "0 changes" in capsys.readouterr().out


def test_a_revision_that_git_does_not_have_is_one_sentence(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the first release there is no tag; in a checkout of another user git reads none, and says the remedy."""
    monkeypatch.setattr("sys.argv", ["diff_names.py", "v0.1.0"])
    statuses = [diff_names.main()]
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    statuses.append(diff_names.main())

    printed = capsys.readouterr()
    assert (statuses, printed.out) == ([2, 2], "")
    unknown, foreign = printed.err.split("\n", 1)
    assert unknown == "git archive v0.1.0: fatal: not a valid object name: v0.1.0"
    assert "git config --global --add safe.directory" in foreign


@pytest.mark.parametrize(
    ("line", "is_explained"),
    [
        ("* **Breaking:** `Shop.close()` is gone.", True),
        ("* `Shop.close()` is gone.", False),
        ("* **Breaking:** `close` is gone.", False),
        ("* **Breaking:** `MyShop.close` and `Shop.closed` are gone, and Shop.close is no code here.", False),
        ("* **Breaking:** a shop.\n\n## 0.1.0\n\n* **Breaking:** `Shop.close` is gone.", False),
    ],
)
def test_a_removed_name_has_to_be_in_a_line_about_breaks_of_the_newest_section(
    tree: Path, capsys: pytest.CaptureFixture[str], line: str, is_explained: bool
) -> None:
    """With the name of its class; that the same word stands anywhere says nothing."""
    write(tree, SHOP.replace("    def close(self) -> None: ...\n", ""), f"# Changes\n\n## 0.2.0\n\n{line}\n")

    assert diff_names.main() == (0 if is_explained else 1)
    ending = " (in CHANGELOG.md)" if is_explained else ""
    assert f"modelarts_toolkit.Shop.close: Public object was removed{ending}\n" in capsys.readouterr().out


def test_an_async_class_is_named_by_its_twin_and_a_class_that_moved_by_its_public_path(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / diff_names.STUB).write_text("from .shop import AsyncShop as AsyncShop\n")
    write(tree, SHOP.replace("Shop", "AsyncShop"))
    git(tree, "commit", "-q", "-a", "-m", "Two")
    (tree / diff_names.STUB).write_text("from .market import AsyncShop as AsyncShop\n")
    moved = tree / "overlays" / "modelarts_toolkit" / "market.py"
    moved.write_text(SHOP.replace("Shop", "AsyncShop").replace("name: str", "title: str"))
    write(tree, "", "## 0.2.0\n\n* **Breaking:** `AsyncShop` moved; `Shop.__init__` takes a title.\n")

    assert diff_names.main() == 0
    assert "modelarts_toolkit.AsyncShop.__init__: Parameter was removed (in CHANGELOG.md)" in capsys.readouterr().out


def test_what_pages_import_or_name_in_full_is_public(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("contract", "emulator"):
        (tree / name / f"modelarts_{name}" / "__init__.py").write_text("")
    assert diff_names.main() == 1
    found = capsys.readouterr().out.splitlines()
    assert found[:2] == ["modelarts_contract.tried: removed", "modelarts_emulator.Served: removed"]


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("class Shop:", "class Store:", "modelarts_toolkit.Shop: removed"),
        ("hour: int = 9", "hour: int", "modelarts_toolkit.Shop.open: Parameter is now required"),
        ("name: str", "title: str", "modelarts_toolkit.Shop.__init__: Parameter was removed"),
    ],
)
def test_a_change_that_breaks_callers_is_named(
    tree: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, change: str
) -> None:
    write(tree, SHOP.replace(old, new))

    assert diff_names.main() == 1
    assert change in capsys.readouterr().out
