"""Control characters that come from the service do not reach the terminal."""

import json

from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator

KEY = "\x1b[31mRED\x1b]0;title\x07\n\x9b\u202e"
SHOWN = r"\x1b[31mRED\x1b]0;title\x07\n\x9b\u202e"


def test_control_characters_of_keys_are_shown_escaped(run: Run, service: Emulator) -> None:
    """Each object has one line; JSON has the key as it is, and still no control character."""
    service.objects.put(f"obs://work/odd/{KEY}", "1")

    done = run("obs", "ls", "obs://work/odd/")

    assert [line.split(maxsplit=4)[-1] for line in done.stdout.splitlines()] == ["URL", f"obs://work/odd/{SHOWN}"]
    done = run("obs", "ls", "obs://work/odd/", "-o", "json")
    assert [each["url"] for each in json.loads(done.stdout)] == [f"obs://work/odd/{KEY}"]
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout)


def test_a_log_is_printed_as_the_script_wrote_it(run: Run, service: Emulator, submit: Submit) -> None:
    service.plans.add(job="bell", duration=1, log=["done\x07"])
    job = submit("bell")
    service.clock.advance(60)

    assert "done\x07" in run("job", "logs", job.id).stdout
