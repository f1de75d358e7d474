"""What was committed is compared with what lies in the work tree; the exit status carries the result."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from diff_api import documents_at, documents_in

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/diff_api.py"
SHOP = ROOT / "tests/data/openapi/shop"
ORDER = "openapi/shop/schemas/Order.yaml"
REQUEST = "openapi/shop/schemas/CreateOrderRequest.yaml"


class Repository:
    """A repository with the shop's documents."""

    def __init__(self, folder):
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("Begin")
        shutil.copytree(SHOP, folder / "openapi/shop")
        self.commit("Describe the shop")

    def git(self, *arguments):
        who = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def replace(self, file, old, new):
        text = (self.folder / file).read_text(encoding="utf-8")
        assert old in text
        (self.folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    def diff(self, *arguments):
        command = [sys.executable, str(SCRIPT), "--repository", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder)


def test_a_tree_as_it_was_committed_has_no_change(repository):
    done = repository.diff("HEAD")

    assert (done.returncode, done.stdout, done.stderr) == (0, "The documents are as they were at HEAD.\n", "")


def test_a_change_that_breaks_is_told_with_its_place_and_exits_with_1(repository):
    repository.replace(REQUEST, "enum: [plain, gift]", "enum: [plain]")
    repository.replace(ORDER, "  notes:\n", "  quite_new: {type: string}\n  notes:\n")
    repository.replace(ORDER, "description: ", "description: Now ")
    done = repository.diff("HEAD")

    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0] == "Breaks a client:"
    assert lines[1] == '  shop createOrder request kind: enum removes "gift"'
    assert "  shop createOrder response 201 quite_new: new" in lines[lines.index("Breaks no client:") :]
    assert lines[-2] == "Descriptions, examples, links or extensions changed at 1 places (--json names them)."


def test_a_change_that_breaks_nothing_exits_with_0(repository):
    repository.replace(REQUEST, "enum: [plain, gift]", "enum: [plain, gift, loan]")
    done = repository.diff("HEAD")

    assert done.returncode == 0
    assert '  shop createOrder request kind: enum adds "loan"' in done.stdout.splitlines()


def test_the_same_is_there_for_programs(repository):
    repository.replace(REQUEST, "enum: [plain, gift]", "enum: [plain]")
    done = repository.diff("HEAD", "--json")

    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "base": "HEAD",
        "breaking": True,
        "changes": [
            {
                "document": "shop",
                "operation": "createOrder",
                "place": "request kind",
                "what": 'enum removes "gift"',
                "breaking": True,
                "reach": "wire",
            }
        ],
    }


def test_committed_changes_are_seen_from_an_older_revision(repository):
    repository.replace(REQUEST, "enum: [plain, gift]", "enum: [plain]")
    repository.commit("Take gifts out")

    assert repository.diff("HEAD").returncode == 0
    assert repository.diff("HEAD~1").returncode == 1


def test_a_file_that_git_does_not_know_yet_counts(repository):
    shutil.copytree(repository.folder / "openapi/shop", repository.folder / "openapi/branch")
    done = repository.diff("HEAD")

    assert done.returncode == 0
    assert "  branch: new, with 5 operations" in done.stdout.splitlines()


def test_a_removed_document_breaks(repository):
    shutil.rmtree(repository.folder / "openapi/shop")
    done = repository.diff("HEAD")

    assert done.returncode == 1
    assert "  shop: removed, with 5 operations" in done.stdout.splitlines()


def test_before_the_first_document_everything_is_new(repository):
    done = repository.diff("HEAD~1")

    assert done.returncode == 0
    assert "  shop: new, with 5 operations" in done.stdout.splitlines()


def test_one_document_can_be_looked_at_alone(repository):
    shutil.copytree(repository.folder / "openapi/shop", repository.folder / "openapi/branch")
    repository.replace(REQUEST, "enum: [plain, gift]", "enum: [plain]")

    assert repository.diff("HEAD", "--document", "branch").returncode == 0
    assert repository.diff("HEAD", "--document", "shop").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["no-such-branch"], "cannot compare: no-such-branch is not a revision of "),
        (["--", "--help"], "cannot compare: --help is not a revision of "),
        (["HEAD", "--document", "garage"], "cannot compare: no document is named garage; there are shop"),
        ([], "usage: "),
    ],
)
def test_what_cannot_be_compared_exits_with_2_and_says_why(repository, arguments, fact):
    done = repository.diff(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(fact)


def test_a_faulty_document_of_the_base_is_named_with_its_revision(repository):
    repository.replace(ORDER, "type: object", "type: [object")
    repository.commit("Break the shop")
    repository.replace(ORDER, "type: [object", "type: object")
    done = repository.diff("HEAD")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "cannot compare: at HEAD, a document cannot be bundled: openapi/shop/schemas/Order.yaml:"
    )


def test_a_faulty_document_of_the_work_tree_is_named(repository):
    repository.replace(ORDER, "type: object", "type: [object")
    done = repository.diff("HEAD")

    assert (done.returncode, done.stdout) == (2, "")
    assert str(repository.folder / ORDER) in done.stderr


def test_the_history_of_our_own_documents_can_be_compared():
    """The latest states of the documents, each against the work tree: the exit status is what the changes say."""
    command = ["git", "-C", str(ROOT), "log", "--format=%h", "-n", "2", "--", "openapi"]
    revisions = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert revisions
    for revision in revisions:
        command = [sys.executable, str(SCRIPT), revision, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)

        assert done.returncode == int(any(change["breaking"] for change in found["changes"]))
        assert found["base"] == revision


def test_the_documents_at_a_revision_are_those_of_its_files(repository):
    assert documents_at(repository.folder, "HEAD") == documents_in(repository.folder / "openapi")
