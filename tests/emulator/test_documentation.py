"""What the page on controlling the emulator shows works as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator import catalogue, identity
from modelarts_emulator.server import Emulator

PAGE = (Path(__file__).parents[2] / "docs/emulator-control.md").read_text("utf-8")
CALL = re.compile(r"curl -X (\w+) localhost:9180(\S+) -d '(.*?)'\n", re.DOTALL)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_every_call_is_answered(tmp_path: Path, log_in: Any) -> None:
    calls = CALL.findall("".join(blocks("sh")))
    with Emulator(tmp_path, executor="simulated") as emulator:
        api = log_in(emulator)
        emulator.clock.hold()
        job_id = api.create_job()["metadata"]["id"]
        emulator.clock.advance(1)
        for method, path, body in calls:
            answer = api.http.request(method, path, content=body.replace("<job id>", job_id))
            assert answer.status_code == 200, answer.text

    assert {path for _, path, _ in calls} == {"/_emulator/plans", "/_emulator/faults"}


def test_every_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    programs = blocks("python")
    for program in programs:
        exec(compile(program, "emulator-control.md", "exec"), {})

    assert programs


def test_every_file_is_read(tmp_path: Path) -> None:
    users, offers = blocks("toml")
    (tmp_path / "users.toml").write_text(users, "utf-8")
    (tmp_path / "offers.toml").write_text(offers, "utf-8")

    assert identity.load(tmp_path / "users.toml")[0].user == "ann"
    loaded = catalogue.load(tmp_path / "offers.toml")
    assert catalogue.capacities(loaded) == {"lab.gpu": 4}
    assert loaded.pythons == {"pytorch-lab": tmp_path / "venv/bin/python"}
    assert loaded.limits == catalogue.load().limits
