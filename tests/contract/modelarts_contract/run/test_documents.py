"""Overlays: what they say is understood, and what is not is an error with file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import modelarts_openapi
from modelarts_contract import declarations, documents
from modelarts_contract.commands import contract
from modelarts_contract.declarations import OverlayError
from modelarts_contract.documents import Documents, Operation
from modelarts_contract.exchange import Exchange
from modelarts_contract.rules.facts import WORDS, varies
from modelarts_contract.rules.kinds import KINDS
from modelarts_contract.rules.session import Session

NOTE = {"type": "object", "properties": {"id": {"type": "string"}, "tags": {"items": {"properties": {"key": {}}}}}}
REFERENCE = {"$ref": "#/components/schemas/Note"}
DOCUMENT: dict[str, Any] = {
    "paths": {
        "/notes/{note_id}": {
            "parameters": [{"name": "note_id", "in": "path"}, {"name": "line", "in": "query"}],
            "get": {"operationId": "showNote", "responses": {}},
        }
    },
    "components": {"schemas": {"Note": NOTE}},
}


def error_of(text: str, folder: Path) -> str:
    """What is said of an overlay of the document with this text; empty if it is understood."""
    file = folder / "notes.yaml"
    file.write_text(text, "utf-8")
    try:
        declarations.checked("notes", DOCUMENT, declarations.read(file), file)
    except OverlayError as error:
        return str(error)
    return ""


FACTS = "facts:\n  Note:\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fact: {}", "1: unknown key 'fact': did you mean 'facts'?"),
        ("# one\nfacts:\n  Notes: []", "3: unknown schema 'Notes': did you mean 'Note'?"),
        (f"{FACTS}  - present: [id]\n  - presnt: [id]", "4: unknown kind 'presnt': did you mean 'present'?"),
        (f"{FACTS}  - present: [id]\n    unlike:\n    - tags.*.kez", "5: schema Note has no place tags.*.kez"),
        (f"{FACTS}  - present: [id.a]", "3: schema Note has no place id.a"),
        (f"{FACTS}  - {{same-for: {{id: [name]}}}}", "3: schema Note has no place name"),
        (f"{FACTS}  - {{when: {{ids: [null]}}, present: [id]}}", "3: schema Note has no place ids"),
        (f"{FACTS}  - {{offers: {{'tags of {{note}}': tags.*.key}}}}", "3: schema Note has no place note"),
        (f"{FACTS}  - {{offers: {{'tags of {{note_id}}': tags.*.key}}}}", ""),
        (f"{FACTS}  - {{agrees: {{'{{note_id}} as note': [tags.*.key as labels]}}}}", ""),
        (f"{FACTS}  - {{within: {{id: [1]}}}}", '3: [1] has less than 2 items'),
        (f"{FACTS}  - {{present: id}}", """3: "id" is not of type "array\""""),
        ("operations:\n  showNotes: {}", "2: unknown operation 'showNotes': did you mean 'showNote'?"),
        ("operations:\n  showNote:\n    x-contract: {lead: []}", "3: unknown key 'lead': did you mean 'leads'?"),
        ("setup:\n  a:\n  - {call: showNote,\n     pth: {}}", "4: unknown key 'pth': did you mean 'path'?"),
        ("setup:\n  a:\n  - {call: showNote, path: {note: x}}", "3: unknown parameter 'note': did you mean 'note_id'?"),
        ("parameters:\n  note_id: $knwn.note", "2: unknown expression $knwn.note"),
        ("effects:\n  a: &a {steps: []}\n  b: {<<: *a, step: []}", "3: unknown key 'step': did you mean 'steps'?"),
        ("facts: {a: [b}", "1: did not find expected ',' or ']'"),
        (f"{FACTS}  - {{at-most: {{id: ids}}}}", "3: schema Note has no place ids"),
        (f"{FACTS}  - {{at-most: {{id: 'ids of {{note_id}}'}}}}", "3: no fact offers 'ids of {note_id}'"),
        (f"{FACTS}  - {{offers: {{ids: id}}, among: {{id: idz}}}}", "3: no fact offers 'idz': did you mean 'ids'?"),
        (f"{FACTS}  - {{offers: {{'ids of {{id}}': id}}, among: {{id: 'ids of {{note_id}}'}}}}", ""),
        (f"{FACTS}  - {{lasts: {{id: [Date, idz, 1]}}}}", "3: schema Note has no place idz"),
        (f"{FACTS}  - {{continues: {{id: [line, lin, x]}}}}", "3: unknown query 'lin': did you mean 'line'?"),
        ("query: {lines: 1}", "1: unknown query 'lines': did you mean 'line'?"),
        (f"{FACTS}  - {{counts: {{tags.*.key: tags}}}}", "3: 'tags.*.key' has a *, and has to be one place"),
        (f"{FACTS}  - {{same: {{id: tags.*.key}}}}", "3: 'tags.*.key' has a *, and has to be one place"),
        (f"{FACTS}  - {{same-for: {{id: [tags.*.key]}}}}", "3: 'tags.*.key' has a *, and has to be one place"),
        (f"{FACTS}  - {{when: {{tags.*.key: [a]}}, url: [id]}}", "3: 'tags.*.key' has a *, and has to be one place"),
        (f"{FACTS}  - {{when: {{id: [a]}}, recent: id}}", "3: no kind says what is true"),
        (f"{FACTS}  - {{present: []}}", "3: [] has less than 1 item"),
        (f"{FACTS}  -", '3: null is not of type "object"'),
        ("facts:", '1: null is not of type "object"'),
        (f"{FACTS}  - present: [id]\n  Note: []", "4: 'Note' stands here twice"),
        (f"{FACTS}  - {{same: {{yes: id}}}}", "3: a key has to be a text: quote it"),
        (f"{FACTS}  - {{equal: {{id: 2026-01-01}}}}", "3: a time has to be a text: quote it"),
        ("known: &known\n  a: *known", "1: an anchor that is used within itself"),
        ("known: {a: \0}", "1: the file is not text in UTF-8: control characters are not allowed"),
        ("- facts", "1: an overlay is a mapping"),
        ("# nothing to say yet", ""),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_an_error_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    assert error_of(text, tmp_path) == (f"overlays/notes.yaml:{message}" if message else "")


KIND = "|".join(sorted(KINDS, key=len, reverse=True))
WORD = re.compile(
    rf"^  ([A-Z]\w+):|[{{ ]({KIND}): [\[{{*&]|call: (\w+)|present: \[([\w.]+)|^    ?x-(contract):", re.MULTILINE
)


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_any_misspelt_word_of_our_overlays_is_an_error_at_its_line(name: str, tmp_path: Path) -> None:
    """Kinds, schemas, operations, places and keys: the message names the wrong word and the line where it stands."""
    file, document = tmp_path / f"{name}.yaml", documents.load(name)
    text = (declarations.OVERLAYS / file.name).read_text("utf-8").split("\nassumptions:")[0]
    words = [(found[found.lastindex], found.end(found.lastindex)) for found in WORD.finditer(text) if found.lastindex]

    @settings(max_examples=30, deadline=None, derandomize=True, database=None)
    @given(st.sampled_from(words))
    def misspelt(word: tuple[str, int]) -> None:
        name_, end = word
        file.write_text(f"{text[:end]}x{text[end:]}", "utf-8")
        with pytest.raises(OverlayError) as error:
            declarations.checked(name, document, declarations.read(file), file)
        start = f"overlays/{file.name}:{text.count(chr(10), 0, end) + 1}: "
        assert any(line.startswith(start) and f"{name_}x" in line for line in str(error.value).splitlines()), word

    misspelt()


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_our_overlays_are_understood(name: str) -> None:
    assert documents.load(name)["x-contract"]["facts"]


def test_the_schema_of_overlays_has_every_kind_of_facts() -> None:
    schema, _ = declarations.grammar()

    assert schema["$defs"]["fact"]["properties"].keys() == {*KINDS, *WORDS}


MOVING = [each for each in Documents().operations if "shows" in each.contract]


PLACES = ["config", "config.x", "configs", "name", "names", "metadata", "metadata.name", "metadata.names", "x.name"]


@pytest.mark.parametrize("sent", PLACES)
@pytest.mark.parametrize("operation", MOVING, ids=lambda each: each.operation_id)
def test_what_a_response_shows_leads_back_to_what_was_sent(operation: Operation, sent: str) -> None:
    """Whichever member of a body it is, and wherever the overlay says that responses show it."""
    shown = operation.shown_at(sent)

    assert sent in operation.sent_at(shown) or shown == ""
    assert [operation.shown_at(each) for each in operation.sent_at(sent)[1:]] in ([], [sent])
    assert shown == sent or any(f"{sent}.".startswith(f"{each}.") for each in operation.contract["shows"])


@pytest.mark.parametrize(
    ("place", "is_varying"), [("tags.0.key", True), ("tags.7.key.x", True), ("tags.0", False), ("id", False)]
)
def test_what_varies_may_be_a_member_of_every_entry(place: str, is_varying: bool) -> None:
    show = {"operationId": "showNote", "responses": {"200": {"content": {"application/json": {"schema": REFERENCE}}}}}
    document = {**DOCUMENT, "paths": {"/notes": {"get": show}}}
    documents.add("varying", document, {"facts": {"Note": [{"varies": ["tags.*.key"]}]}})

    assert varies(documents.operations("varying")["showNote"], 200, place) is is_varying


def test_a_document_without_an_overlay_can_be_read() -> None:
    assert documents.overlay("no-such-document") == {"operations": {}, "setup": {}}


def test_a_document_of_others_is_added_only_with_an_overlay_that_is_understood() -> None:
    documents.add("notes-of-others", DOCUMENT, {"facts": {"Note": [{"presnt": ["id"]}]}})

    with pytest.raises(OverlayError, match=r"overlay of notes-of-others:facts\.Note\.0\.presnt: unknown kind 'presnt'"):
        documents.operations("notes-of-others")


def test_a_command_names_what_is_not_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With exit status 1, and without a traceback."""
    (tmp_path / "v1.yaml").write_text("facts: {Eror: []}", "utf-8")
    monkeypatch.setattr(declarations, "OVERLAYS", tmp_path)
    for cached in (documents.overlay, documents.load, documents.operations):
        monkeypatch.setattr(documents, cached.__name__, cached.__wrapped__)
    (tmp_path / "x.har").write_text('{"log": {"entries": []}}', "utf-8")

    done = CliRunner().invoke(contract, ["check", str(tmp_path / "x.har")])

    assert (done.exit_code, done.output) == (
        1,
        "Error: overlays/v1.yaml:1: unknown schema 'Eror': did you mean 'Error'?\n",
    )


def test_the_readme_has_a_table_of_all_kinds_with_an_example_of_each() -> None:
    """Their meaning is that of the docstrings, in one line each; no example has a kind of arguments that is wrong."""
    rows = [(name, each.meaning, each.example) for name, each in KINDS.items()]
    rows += [(name, meaning, example) for name, (meaning, example) in WORDS.items()]

    readme = (declarations.OVERLAYS / "README.md").read_text("utf-8")
    table = readme.rpartition("|---|---|---|\n")[2].splitlines()
    assert table == [f"| `{name}` | {meaning} | `{name}: {example}` |" for name, meaning, example in rows]
    assert [name for name, meaning, _ in rows if "\n" in meaning] == []


POOLS: dict[str, Any] = {
    "paths": {
        "/v1/{project_id}/quotas": {
            "get": {
                "operationId": "showOsQuota",
                "parameters": [{"name": "project_id", "in": "path"}],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/All"}}}}
                },
            }
        }
    },
    "components": {
        "schemas": {
            "All": {
                "type": "object",
                "properties": {"resources": {"items": {"$ref": "#/components/schemas/PoolQuota"}}},
            },
            "PoolQuota": {"type": "object", "properties": {"type": {}, "quota": {}, "used": {}}},
        }
    },
}


@pytest.mark.parametrize("is_declared", [True, False])
def test_a_deviation_that_no_rule_knows_is_found_after_one_line_of_an_overlay(is_declared: bool) -> None:
    """The line is that of the how-to, and so is what is found."""
    page = (Path(__file__).parents[4] / "docs/how-to/add-a-document.md").read_text("utf-8")
    overlay = page.partition("overlays/pools.yaml\nfacts:")[2].partition("```")[0]
    name = f"pools-{is_declared}"
    documents.add(name, POOLS, yaml.safe_load(f"facts:{overlay}") if is_declared else {})
    body = b'{"resources": [{"type": "pool", "quota": 15, "used": 16}]}'
    exchange = Exchange("GET", "https://pools.example.com/v1/0123/quotas", 200, {}, b"", {}, body)

    found = Session(Documents([name])).see(exchange)

    assert [f"{each.kind}: {each.message}" for each in found] == ["total: used is 16, and quota is 15"] * is_declared
    assert not is_declared or f"   total: {found[0].message}\n" in page
