"""`modelarts contract diff`: states of the documents are found, compared and shown; the exit status has the result."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from tests.local_servers import LocalHandler, serving

from modelarts_contract.commands import contract

ROOT = Path(__file__).parents[4]
SHOP = yaml.safe_load((ROOT / "tests/data/diff/shop.yaml").read_text("utf-8"))
BUNDLED = Path("generated/modelarts_openapi")


def diff(*arguments: str | Path) -> Result:
    return CliRunner().invoke(contract, ["diff", *map(str, arguments)])


def changed(change: Callable[[Any], object]) -> dict[str, Any]:
    """The shop's document after a change of an operation."""
    document: dict[str, Any] = copy.deepcopy(SHOP)
    change(document["paths"]["/{shop_id}/orders/{order_id}"]["post"])
    return document


def narrow(operation: Any) -> None:
    """Make a client's request invalid."""
    operation["requestBody"]["required"] = True
    operation["parameters"].append({"name": "colour", "in": "query", "required": True, "schema": {"type": "string"}})


class Repository:
    """A repository with documents, in the current folder."""

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], capture_output=True, check=True)

    def commit(self, documents: dict[str, Any]) -> None:
        BUNDLED.mkdir(parents=True, exist_ok=True)
        for name, document in documents.items():
            (BUNDLED / f"{name}.json").write_text(json.dumps(document))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change the documents")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.chdir(tmp_path)
    found = Repository()
    found.git("init", "--quiet", "--initial-branch=main")
    found.commit({})
    found.commit({"shop": SHOP})
    return found


def test_the_same_documents_have_no_change(repository: Repository) -> None:
    done = diff("HEAD", "main")

    assert (done.exit_code, done.output) == (0, "Nothing changed since HEAD.\n")


def test_what_no_program_notices_is_named_and_not_counted(repository: Repository) -> None:
    """Neither the descriptions of a document beside one that changes, nor an untouched document."""
    described = {**SHOP, "info": {**SHOP["info"], "description": "Others words.", "summary": "Words."}}
    repository.commit({"market": SHOP, "fair": SHOP})
    repository.commit({"market": described})
    repository.commit({"fair": changed(narrow)})

    words, both = diff("HEAD~2", "HEAD~1"), diff("HEAD~2", "HEAD")
    markdown = diff("HEAD~2", "HEAD~1", "--output", "markdown").output.splitlines()

    but = "descriptions, examples, links and the like"
    assert words.exit_code == 0
    assert words.output == (
        f"Breaks no client:\n  market: nothing changed but {but}\n\nNothing changed since HEAD~2 but {but}.\n"
    )
    assert markdown[2] == f"Nothing changed since HEAD~2 but {but}."
    assert "  market: nothing changed but " in both.output
    assert "shop" not in both.output
    assert both.output.endswith("\n2 of 2 changes since HEAD~2 break a client.\n")


def test_what_breaks_whom_is_reported_with_its_place_and_exits_with_1(repository: Repository) -> None:
    def change(operation: Any) -> None:
        narrow(operation)
        operation["responses"].pop("201")
        operation["operationId"] = "renamedOrder"

    repository.commit({"shop": changed(change)})

    done = diff("HEAD~1", "HEAD")

    lines = done.output.splitlines()
    assert done.exit_code == 1
    assert lines[0] == "Breaks clients that send such requests:"
    assert "  shop changeOrder query colour: new and mandatory" in lines
    readers = lines.index("Breaks clients that read such responses:")
    assert lines[readers + 1].startswith("  shop changeOrder response 201: removed")
    callers = lines.index("Breaks programs that use the generated client (requests and responses stay):")
    assert lines[callers + 1].startswith("  shop changeOrder: operationId is renamedOrder")
    assert lines[-1] == "4 of 4 changes since HEAD~1 break a client."


def test_news_break_nothing_and_are_named_once_for_all_operations(repository: Repository) -> None:
    document = copy.deepcopy(SHOP)
    document["components"]["schemas"]["Error"]["properties"]["text"] = {"type": "string"}
    document["components"]["schemas"]["Order"]["properties"]["phase"]["x-known-values"].append("Suspended")
    document["paths"]["/{shop_id}/orders"]["get"]["responses"]["400"] = {"$ref": "#/components/responses/Refusal"}
    repository.commit({"shop": document})
    document["components"]["schemas"]["Error"]["properties"]["hint"] = {"type": "string"}
    repository.commit({"shop": document})

    new_phase, new_field = diff("HEAD~2", "HEAD~1"), diff("HEAD~1", "HEAD")

    assert new_phase.exit_code == new_field.exit_code == 0
    assert "response 201 phase: x-known-values adds Suspended" in new_phase.output
    assert "  shop changeOrder, listOrders response hint: new\n" in new_field.output


def test_the_same_is_there_for_programs_and_for_a_merge_request(repository: Repository) -> None:
    document = changed(narrow)
    document["info"]["version"] = "2"
    document["components"]["schemas"]["Order"]["properties"]["gift"] = {"type": "boolean"}
    repository.commit({"shop": document})

    listed = json.loads(diff("HEAD~1", "HEAD", "--output", "json").output)
    markdown = diff("HEAD~1", "HEAD", "--output", "markdown").output

    colour = next(change for change in listed["changes"] if change["place"] == "query colour")
    assert (listed["base"], listed["breaking"]) == ("HEAD~1", True)
    assert (colour["document"], colour["operation"], colour["breaks"]) == ("shop", "changeOrder", "senders")
    assert "2 of 4 changes since HEAD~1 break a client." in markdown
    assert "### Breaks clients that send such requests\n\n* `shop changeOrder " in markdown
    assert "<details><summary>Breaks no client</summary>\n\n* `shop " in markdown


def test_a_break_that_the_changelog_names_is_accepted(repository: Repository, tmp_path: Path) -> None:
    """In its newest section only: what an earlier release said does not count."""
    repository.commit({"shop": changed(narrow)})
    changelog = tmp_path / "CHANGELOG.md"
    explained = "# Changelog\n\n## 2 (unreleased)\n\n* `changeOrder` wants a colour: pass one.\n\n## 1\n\n* First.\n"

    changelog.write_text(explained)
    accepted = diff("HEAD~1", "HEAD", "--changelog", changelog)
    changelog.write_text(explained.replace("changeOrder", "an order") + "* `changeOrder` is new.\n")
    rejected = diff("HEAD~1", "HEAD", "--changelog", changelog)

    assert (accepted.exit_code, rejected.exit_code) == (0, 1)
    assert f"0 of the breaking changes are not in {changelog}." in accepted.output


def test_a_break_of_a_whole_document_is_accepted_if_the_changelog_names_what_changed(
    repository: Repository, tmp_path: Path
) -> None:
    """The name of the document alone does not say it."""
    repository.commit({"shop": {**SHOP, "webhooks": {"news": {}}}})
    changelog = tmp_path / "CHANGELOG.md"

    changelog.write_text("## 2\n\n* The shop has more.\n")
    rejected = diff("HEAD~1", "HEAD", "--changelog", changelog)
    changelog.write_text("## 2\n\n* The shop has webhooks.\n")
    accepted = diff("HEAD~1", "HEAD", "--changelog", changelog)

    assert (rejected.exit_code, accepted.exit_code) == (1, 0)


@pytest.mark.parametrize("path", ["", ":openapi", ":generated/modelarts_openapi"])
def test_what_git_says_is_in_the_message(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    """A checkout of another user, as in a container; no repository; no git. A name that it lacks needs no more."""
    folder, unknown = Path.cwd(), diff(f"v9{path}")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    foreign = diff(f"HEAD{path}")
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))
    outside = diff(f"HEAD{path}")
    monkeypatch.setenv("PATH", "")
    without = diff(f"HEAD{path}")

    assert {2} == {done.exit_code for done in (unknown, foreign, outside, without)}
    assert unknown.output.endswith(" nor a revision of the git repository in " + f"{folder}\n")
    assert ": detected dubious ownership in repository at " in foreign.output
    assert " call: git config --global --add safe.directory /" in foreign.output
    assert ": not a git repository (or any of the parent directories): .git" in outside.output
    assert ": git is not installed: name files or folders instead" in without.output


def test_a_clone_without_history_says_what_it_lacks(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """As CI makes it: the tag of the last release is not there."""
    repository.git("tag", "v1")
    repository.commit({"shop": changed(narrow)})
    repository.git("clone", "--quiet", "--depth=1", Path.cwd().as_uri(), "clone")
    monkeypatch.chdir("clone")

    assert diff("v1").output.endswith("whose history is cut off: git fetch --unshallow --tags\n")
    repository.git("fetch", "--quiet", "--unshallow", "--tags")
    assert diff("v1", "HEAD").exit_code == 1
    assert diff("v2").output.endswith(f"nor a revision of the git repository in {Path.cwd()}\n")


def test_states_are_compared_while_toolkit_and_client_cannot_be_loaded(repository: Repository, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import sys\nsys.modules.update(dict.fromkeys(['modelarts_toolkit', 'modelarts_api', 'modelarts_runtime']))\n"
    )
    command = [sys.executable, "-m", "modelarts_contract", "diff", "HEAD", "main"]

    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(broken)}, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "Nothing changed since HEAD.\n"), done.stderr


def test_documents_that_come_and_go_are_reported(repository: Repository) -> None:
    """An older revision than the documents has none; a removed document breaks."""
    empty = diff("HEAD~1", "HEAD")
    (BUNDLED / "shop.json").unlink()
    repository.commit({"branch": SHOP, "market": SHOP})
    removed = diff("HEAD~1", "HEAD")

    assert (empty.exit_code, removed.exit_code) == (0, 1)
    assert "  shop: new, with 2 operations" in empty.output
    assert "  shop: removed, with 2 operations" in removed.output


def test_files_folders_and_paths_in_a_revision_are_states_too(repository: Repository, tmp_path: Path) -> None:
    """JSON or YAML; of two documents alone the names do not matter."""
    new, folder = tmp_path / "new.yaml", tmp_path / "documents"
    new.write_text(yaml.safe_dump(changed(narrow)))
    folder.mkdir()
    (folder / "new.json").write_text(json.dumps(SHOP))

    committed = f"main:{BUNDLED.as_posix()}"

    assert "new changeOrder query colour: new and mandatory" in diff(f"{committed}/shop.json", new).output
    assert "new changeOrder query colour: removed" in diff(new, folder).output
    assert diff(committed, folder).output == f"Nothing changed since {committed}.\n"


def test_documents_of_many_files_are_states_too(repository: Repository) -> None:
    """References to files are followed, in a folder as in a revision; a schema can refer to itself."""
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "Tree.yaml"}}}}
    response = {"content": {"application/json": {"schema": {"$ref": "../schemas/Tree.yaml"}}}}
    path = {"get": {"operationId": "showTree", "responses": {"200": response}}}
    for name, content in (
        ("openapi.yaml", {"openapi": "3.1.0", "paths": {"/tree": {"$ref": "paths/tree.yaml"}}}),
        ("paths/tree.yaml", path),
        ("schemas/Tree.yaml", tree),
    ):
        file = Path("openapi/forest") / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    repository.commit({})
    tree["properties"]["size"] = {"type": "integer"}  # type: ignore[index]
    Path("openapi/forest/schemas/Tree.yaml").write_text(yaml.safe_dump(tree))

    done = diff("main:openapi", "openapi")

    assert "  forest showTree response 200 size: new\n" in done.output
    assert "  openapi showTree response 200 size: removed\n" in diff("openapi", "main:openapi/forest").output


def written(folder: Path, files: dict[str, Any]) -> Path:
    """The root file of a document that is divided into these."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    return folder / next(iter(files))


def reading(**schemas: Any) -> dict[str, Any]:
    """A document with an operation for each of the responses."""
    paths = {
        f"/{name}": {"get": {"operationId": name, "responses": {"200": response}}} for name, response in schemas.items()
    }
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}


def holding(schema: Any) -> dict[str, Any]:
    return {"description": "d", "content": {"application/json": {"schema": schema}}}


def text_or(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": {"type": kind}}}


DIVIDED: dict[str, Callable[[str], dict[str, Any]]] = {
    "files of one name in several folders": lambda kind: {
        "openapi.yaml": reading(
            dogs={"$ref": "resources/dogs/responses/list.yml"}, cats={"$ref": "resources/cats/responses/list.yml"}
        ),
        "resources/dogs/responses/list.yml": holding(text_or("string")),
        "resources/cats/responses/list.yml": holding(text_or(kind)),
    },
    "a component in another file": lambda kind: {
        "openapi.yaml": reading(cats=holding({"$ref": "common.yaml#/components/schemas/Cat"})),
        "common.yaml": {"components": {"schemas": {"Cat": text_or(kind)}}},
    },
    "a definition within a file": lambda kind: {
        "openapi.yaml": reading(cats=holding({"$ref": "schemas/Cat.yaml"})),
        "schemas/Cat.yaml": {"definitions": {"T": {"type": kind}}, "properties": {"x": {"$ref": "#/definitions/T"}}},
    },
    "a model that refers to itself": lambda kind: {
        "openapi.yaml": reading(cats=holding({"$ref": "models/node.yml"})),
        "models/node.yml": {"properties": {"x": {"type": kind}, "kids": {"items": {"$ref": "node.yml"}}}},
    },
    "texts in files": lambda kind: {
        "openapi.yaml": {**reading(cats=holding(text_or(kind))), "info": {"description": {"$ref": "texts.yml#/a"}}},
        "texts.yml": {"a": "A text."},
    },
}


@pytest.mark.parametrize("layout", DIVIDED)
def test_changes_are_found_however_a_document_is_divided(tmp_path: Path, layout: str) -> None:
    old, same, new = (
        written(tmp_path / name, DIVIDED[layout](kind))
        for name, kind in (("old", "string"), ("same", "string"), ("new", "integer"))
    )

    done = diff(old, new)

    assert done.exit_code == 1
    assert "cats response 200 x: type string -> integer\n" in done.output
    assert diff(old, same).output == f"Nothing changed since {old}.\n"
    assert diff(old.parent, same.parent).output == f"Nothing changed since {old.parent}.\n"


def test_faults_of_a_revision_are_named_as_in_it(repository: Repository) -> None:
    written(Path("api"), {"openapi.yaml": reading(cats={"$ref": "none.yaml"})})
    repository.commit({})

    done = diff("main:api")

    assert done.exit_code == 2
    assert "main:api/openapi.yaml:" in done.output


def test_make_compares_what_the_client_is_made_of_and_what_cannot_be_compared_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a clone with a renamed property of the client; published documents do not say how the client is made."""
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, tmp_path / "clone"], check=True)
    monkeypatch.chdir(tmp_path / "clone")
    status = Path("openapi/v2/schemas/JobStatus.yaml")
    status.write_text(status.read_text("utf-8").replace("x-time-name: started_at", "x-time-name: begun_at"), "utf-8")
    make = ["make", "--dry-run", "--assume-old=.venv/dev.installed", "diff-api"]
    printed = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    ((old, new),) = re.findall(r"modelarts_contract diff (\S+) (\S+)", printed)

    sources, published, listed = diff(old, new), diff("HEAD", new), diff("HEAD", new, "--output", "json")

    assert sources.exit_code == 1
    assert "x-time-name started_at -> begun_at: the property with the time changes" in sources.output
    assert "Not compared" not in sources.output
    assert "Not compared: x-converted-from, x-duration-name, x-facts, x-time-name," in published.output
    assert "x-time-name" in json.loads(listed.output)["not_compared"]


class Shop(LocalHandler):
    """Serves the shop's document."""

    def do_GET(self) -> None:
        is_known = self.path.startswith("/shop.json")
        self.respond(200 if is_known else 404, json.dumps(SHOP).encode() if is_known else b"")


def test_a_url_is_a_state_and_its_secrets_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "new.json").write_text(json.dumps(changed(narrow)))

    with serving(Shop) as url:
        place = url.replace("//", "//user:secret@")
        done = diff(f"{place}/shop.json?token=secret", tmp_path / "new.json")
        missing = diff(f"{place}/none.json?token=secret")

    assert "new changeOrder query colour: new and mandatory" in done.output
    assert f"changes since {url}/shop.json break a client." in done.output
    assert missing.exit_code == 2
    assert "the server responds with 404" in " ".join(missing.output.split())
    assert "secret" not in done.output + missing.output


def test_the_documents_of_the_toolkit_are_the_new_state_unless_named() -> None:
    """Those in `openapi/` are the same."""
    done = diff(ROOT / BUNDLED)

    assert (done.exit_code, done.output) == (0, f"Nothing changed since {ROOT / BUNDLED}.\n")
    assert f"Nothing changed since {ROOT / 'openapi'} but descriptions" in diff(ROOT / "openapi").output


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("[", "is neither JSON nor YAML"),
        ("{}", "v2.json:1: this is not an OpenAPI document: it has no paths"),
        ('{"paths": {"/a": {"$ref": "paths/a.yaml"}}}', "paths/a.yaml cannot be read: No such file"),
        ('{"paths": {"/a": {"$ref": "v2.json#/paths/~1a"}}}', "leads back to itself"),
        ('{"paths": {"/a": {"$ref": "#/components/x"}}}', "`$ref: #/components/x` names nothing in"),
    ],
)
def test_a_file_that_is_not_a_document_is_named_with_the_reason(tmp_path: Path, content: str, fact: str) -> None:
    file = tmp_path / "v2.json"
    file.write_text(content)

    done = diff(file)

    assert done.exit_code == 2
    assert fact in " ".join(done.output.split())


@pytest.mark.parametrize("place", ["modelarts_openapi", "lib/python3.12/site-packages/modelarts_openapi", "wheel"])
def test_another_installation_is_compared_without_a_clone(tmp_path: Path, place: str) -> None:
    """A folder of `pip install --target`, an environment, and a wheel."""
    documents = tmp_path / (place if place != "wheel" else "unpacked/modelarts_openapi")
    documents.mkdir(parents=True)
    for file in (ROOT / BUNDLED).glob("v[12].json"):
        (documents / file.name).write_text(file.read_text("utf-8").replace("running_records", "run_records"), "utf-8")
    next_version = tmp_path
    if place == "wheel":
        next_version = tmp_path / "modelarts_toolkit-9.9.9-py3-none-any.whl"
        with zipfile.ZipFile(next_version, "w") as wheel:
            for file in documents.glob("*"):
                wheel.write(file, f"modelarts_openapi/{file.name}")

    done = diff("installed", next_version)

    assert done.exit_code == 1
    assert "v2 listTrainingJobStages response 200 running_records: removed" in done.output
    assert "v1" not in done.output


def test_a_damaged_wheel_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_text("no archive")

    done = diff("installed", tmp_path / "a.whl")

    assert done.exit_code == 2
    assert "a.whl cannot be read" in " ".join(done.output.split())


def test_what_cannot_be_found_is_wrong_usage(repository: Repository) -> None:
    Path("empty").mkdir()

    unknown, empty, lost = diff("no-such-branch"), diff("empty"), diff("main:openapi")

    assert {done.exit_code for done in (unknown, empty, lost)} == {2}
    assert "no-such-branch is neither a URL, a file, a folder, nor a revision of" in unknown.output
    assert "empty holds no document" in empty.output
    assert "openapi holds no document" in lost.output
