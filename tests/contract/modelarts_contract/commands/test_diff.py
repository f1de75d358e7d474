"""`modelarts contract diff`: states of the documents are found, compared and shown; the exit status has the result."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelarts_contract.commands import contract

ROOT = Path(__file__).parents[4]
SHOP = json.loads((ROOT / "tests/data/diff/shop.json").read_text("utf-8"))
BUNDLED = Path("generated/modelarts_openapi")


def diff(*arguments: str | Path) -> Result:
    return CliRunner().invoke(contract, ["diff", *map(str, arguments)])


def changed(change: Callable[[Any], object]) -> dict[str, Any]:
    """The shop's document after a change of its operation."""
    document: dict[str, Any] = copy.deepcopy(SHOP)
    [item] = document["paths"].values()
    change(item["post"])
    return document


def narrow(operation: Any) -> None:
    """Make a client's request invalid."""
    operation["requestBody"]["required"] = True
    operation["parameters"].append({"name": "colour", "in": "query", "required": True, "schema": {"type": "string"}})


class Repository:
    """A repository with bundled documents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / BUNDLED).mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit({})

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=self.folder, capture_output=True, check=True)

    def commit(self, documents: dict[str, Any]) -> None:
        for name, document in documents.items():
            (self.folder / BUNDLED / f"{name}.json").write_text(json.dumps(document))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change the documents")

    def diff(self, *arguments: str | Path) -> Result:
        return diff(*arguments, "--repository", self.folder)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "repository")
    found.commit({"shop": SHOP})
    return found


def test_the_same_documents_have_no_change(repository: Repository) -> None:
    done = repository.diff("HEAD", "main")

    assert (done.exit_code, done.output) == (0, "The documents are as they were at HEAD.\n")


def test_what_breaks_whom_is_reported_with_its_place_and_exits_with_1(repository: Repository) -> None:
    def change(operation: Any) -> None:
        narrow(operation)
        operation["responses"].pop("200")
        operation["operationId"] = "renamedOrder"
        operation["description"] = "Otherwise."

    repository.commit({"shop": changed(change)})

    done = repository.diff("HEAD~1", "HEAD")

    lines = done.output.splitlines()
    assert done.exit_code == 1
    assert lines[0] == "Breaks clients that send such requests:"
    assert "  shop changeOrder query colour: new and mandatory" in lines
    readers = lines.index("Breaks clients that read such responses:")
    assert lines[readers + 1].startswith("  shop changeOrder response 200: removed")
    callers = lines.index("Breaks programs that use the generated client (requests and responses stay):")
    assert lines[callers + 1].startswith("  shop changeOrder: operationId is renamedOrder")
    assert lines[-1].endswith("changes since HEAD~1 break a client.")


def test_a_change_that_breaks_nothing_exits_with_0(repository: Repository) -> None:
    def change(operation: Any) -> None:
        operation["parameters"].append({"name": "colour", "in": "query", "schema": {"type": "string"}})

    repository.commit({"shop": changed(change)})

    done = repository.diff("HEAD~1", "HEAD")

    assert done.exit_code == 0
    assert "Breaks no client:\n  shop changeOrder query colour: new\n" in done.output


def test_the_same_is_there_for_programs_and_for_a_changelog(repository: Repository) -> None:
    repository.commit({"shop": changed(narrow)})

    listed = json.loads(repository.diff("HEAD~1", "HEAD", "--output", "json").output)
    markdown = repository.diff("HEAD~1", "HEAD", "--output", "markdown").output

    colour = next(change for change in listed["changes"] if change["place"] == "query colour")
    assert (listed["base"], listed["breaking"]) == ("HEAD~1", True)
    assert (colour["document"], colour["operation"], colour["breaks"]) == ("shop", "changeOrder", "senders")
    assert "### Breaks clients that send such requests\n\n* `shop changeOrder " in markdown


def test_a_break_that_the_changelog_names_is_accepted(repository: Repository, tmp_path: Path) -> None:
    """In its newest section only: what an earlier release said does not count."""
    repository.commit({"shop": changed(narrow)})
    changelog = tmp_path / "CHANGELOG.md"
    explained = "# Changelog\n\n## 2 (unreleased)\n\n* `changeOrder` wants a colour: pass one.\n\n## 1\n\n* First.\n"

    changelog.write_text(explained)
    accepted = repository.diff("HEAD~1", "HEAD", "--changelog", changelog)
    changelog.write_text(explained.replace("changeOrder", "an order") + "* `changeOrder` is new.\n")
    rejected = repository.diff("HEAD~1", "HEAD", "--changelog", changelog)

    assert (accepted.exit_code, rejected.exit_code) == (0, 1)
    assert f"0 of the breaking changes are not in {changelog}." in accepted.output


def test_the_last_tag_is_the_default_and_without_one_there_is_nothing_to_compare(repository: Repository) -> None:
    before = repository.diff()
    repository.git("tag", "v1")
    repository.commit({"shop": changed(narrow)})
    after = repository.diff("", "main")

    assert (before.exit_code, after.exit_code) == (2, 1)
    assert "there is no tag to compare with: name a revision" in before.output
    assert after.output.splitlines()[-1].endswith("changes since v1 break a client.")


def test_documents_that_come_and_go_are_reported(repository: Repository, tmp_path: Path) -> None:
    """An older revision than the documents has none; a removed document breaks."""
    empty = repository.diff("HEAD~1", "HEAD")
    (repository.folder / BUNDLED / "shop.json").unlink()
    repository.commit({"branch": SHOP})
    removed = repository.diff("HEAD~1", "HEAD")

    assert (empty.exit_code, removed.exit_code) == (0, 1)
    assert "  shop: new, with 1 operations" in empty.output
    assert "  shop: removed, with 1 operations" in removed.output
    assert repository.diff("HEAD~1", "HEAD", "--document", "branch").exit_code == 0


def test_files_and_folders_are_states_too(tmp_path: Path) -> None:
    """JSON or YAML; of two files the names do not matter."""
    old, new, folder = tmp_path / "old.json", tmp_path / "new.yaml", tmp_path / "documents"
    old.write_text(json.dumps(SHOP))
    new.write_text(json.dumps(changed(narrow), indent=1).replace("\t", " "))
    folder.mkdir()
    shutil.copy(old, folder / "new.json")

    assert "new changeOrder query colour: new and mandatory" in diff(old, new).output
    assert "new changeOrder query colour: removed" in diff(new, folder).output


def test_the_documents_of_the_toolkit_are_the_new_state_unless_named() -> None:
    done = diff(ROOT / BUNDLED)

    assert (done.exit_code, done.output) == (0, f"The documents are as they were at {ROOT / BUNDLED}.\n")


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("[", "is neither JSON nor YAML"),
        ("{}", "is not an OpenAPI document: it has no paths"),
        ('{"paths": {"/a": {"$ref": "paths/a.yaml"}}}', "refers to paths/a.yaml: bundle its files into one document"),
        ('{"paths": {"/a": {"$ref": "#/components/x"}}}', "refers to #/components/x, which it does not have"),
        ('{"paths": {"/a": {"get": {"responses": {}}}}}', "GET /a has no operationId"),
    ],
)
def test_a_file_that_is_not_a_document_is_named_with_the_reason(tmp_path: Path, content: str, fact: str) -> None:
    file = tmp_path / "v2.json"
    file.write_text(content)

    done = diff(file)

    assert done.exit_code == 2
    assert fact in " ".join(done.output.split())


def test_what_cannot_be_found_is_wrong_usage(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    unknown = repository.diff("no-such-branch")
    empty = repository.diff(tmp_path / "empty")
    garage = repository.diff("HEAD", "HEAD", "--document", "garage")

    assert {done.exit_code for done in (unknown, empty, garage)} == {2}
    assert "no-such-branch is neither a file, a folder, nor a revision of" in unknown.output
    assert "holds no document" in empty.output
    assert "no document is named garage; there are shop" in garage.output


def test_the_history_of_our_own_documents_can_be_compared() -> None:
    """The exit status is what the changes say."""
    command = ["git", "-C", str(ROOT), "log", "--format=%h", "-n", "2", "--", "openapi"]
    revisions = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert revisions
    for revision in revisions:
        done = diff(revision, "--repository", ROOT, "--output", "json")
        found = json.loads(done.output)

        assert done.exit_code == int(any(change["breaking"] for change in found["changes"]))
        assert found["base"] == revision
