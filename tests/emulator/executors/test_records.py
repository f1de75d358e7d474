"""Records on disk."""

import stat
import threading
from pathlib import Path

from modelarts_emulator.executors import Channel, JobSpec, records


def test_a_specification_survives_being_written_down(tmp_path: Path) -> None:
    job = JobSpec(
        job_id="1",
        name="job",
        node_count=2,
        code_dir="/b/c/",
        boot_file="/b/c/x.py",
        parameters=(("a", "1"), ("a", "2")),
        inputs=(Channel("in", "/b/in/", "/home/x"),),
        outputs=(Channel("out", "/b/out/"),),
        environments={"ü": "ö"},
        service_environments={},
    )
    records.write(tmp_path / "spec.json", records.spec_to_json(job))

    assert records.spec_from_json(records.read(tmp_path / "spec.json") or {}) == job


def test_of_many_writers_one_is_first(tmp_path: Path) -> None:
    wins: list[int] = []

    def claim(number: int) -> None:
        if records.write_once(tmp_path / "claim", {"number": number}):
            wins.append(number)

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [records.read(tmp_path / "claim")] == [{"number": number} for number in wins]
    assert [path.name for path in tmp_path.iterdir()] == ["claim"]


def test_a_record_is_for_its_owner_only(tmp_path: Path) -> None:
    records.write(tmp_path / "spec.json", {"secret": 1})

    assert stat.S_IMODE((tmp_path / "spec.json").stat().st_mode) == 0o600


def test_the_first_end_stands(tmp_path: Path) -> None:
    place = records.TaskPlace(tmp_path, "1", 0, "worker-0")
    place.folder.mkdir(parents=True)
    first = records.Exit(1.0, 2.0, 0, None)
    records.write_exit(place, first)

    assert not records.write_exit(place, records.Exit(None, 3.0, 137, "later"))
    assert records.read_exit(place) == first


def test_an_attempt_exists_from_its_specification_on(tmp_path: Path) -> None:
    places = [records.TaskPlace(tmp_path, "1", attempt, "worker-0") for attempt in (0, 9, 10)]
    assert records.newest_attempt(tmp_path, "1") is None
    for place in places:
        place.folder.mkdir(parents=True)
    for place in places[:2]:
        records.write(place.spec, {})

    assert records.newest_attempt(tmp_path, "1") == places[1]


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert records.read(tmp_path / "none.json") is None
    assert records.read(tmp_path / "file" / "none.json") is None
