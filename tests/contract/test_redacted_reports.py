"""The reports about a real service show as little as its recording: no names, ids, descriptions or logs."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.contract.corpus.changes import at
from tests.contract.played import Colleague, Played, run, with_json

from modelarts_contract import har
from modelarts_contract.documents import Documents
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse

PLANTED = {
    "name": "zanzibar-payroll-2031",
    "user": "rosalind.quist@example.org",
    "word": "Zanzibar",
    "text": "Wages of 'Rosalind' at 10.77.66.55 \"quoted\" \u00fc",
    "host": "10.77.66.55",
    "field": "zanzibarQuist",
}


def put(new: str, _: object) -> str:
    return new


def planting(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Names, users and texts in many places, most of them where a rule finds something wrong."""
    found = Documents(["v2"]).find(request.method, request.path)
    id_ = found[0].operation_id if found else ""
    response = forward(request)
    if id_ == "listTrainingJobs":
        for place, value in {
            "items.*.metadata.name": PLANTED["name"],
            "items.*.metadata.description": PLANTED["text"],
            "items.*.metadata.user_name": PLANTED["user"],
            "items.*.status.start_time": PLANTED["text"],
            "items.*.status.duration": PLANTED["name"],
            f"items.*.{PLANTED['field']}": PLANTED["word"],
            "sort_by": PLANTED["word"],
        }.items():
            response = with_json(response, at(place, partial(put, value)))
    if id_ == "showTrainingJobDetails":
        response = with_json(response, at("metadata.name", partial(put, PLANTED["word"])))
        response = with_json(response, at("algorithm", partial(put, PLANTED["text"])))
    if id_ == "showTrainingJobFlavors":
        body = {"error_code": "ModelArts.0010", "error_msg": f"{PLANTED['name']} of {PLANTED['user']} fails"}
        return replace(response, status=400, body=json.dumps(body).encode())
    if id_ == "showSearchAlgorithms":
        return replace(response, body=f"<html>{PLANTED['text']} {PLANTED['user']}</html>".encode())
    return response


def test_no_report_shows_what_the_recording_hides(played: Played, tmp_path: Path) -> None:
    """A name has one stand-in in all of them."""
    Colleague(played)
    played.interfere = planting

    done = run(played, "--documents", "v2", "--report", str(tmp_path / "report"))

    assert done.exit_code == 1, done.output
    texts = {file.name: file.read_text("utf-8") for file in (tmp_path / "report").iterdir()} | {"terminal": done.output}
    parts = (*PLANTED.values(), "Rosalind", "Wages", "zanzibar", "quist")
    for name, text in texts.items():
        assert [part for part in parts if part in text] == [], name
    recorded = {
        item["metadata"]["name"]
        for exchange in har.read(tmp_path / "report" / "session.har")
        if exchange.url.endswith("training-job-searches") and exchange.status == 200
        for item in json.loads(exchange.response_body).get("items", ())
    }
    assert any(name in texts["report.txt"] for name in recorded)
