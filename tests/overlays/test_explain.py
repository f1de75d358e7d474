"""Verdicts on jobs that failed; `tests/data/failures.toml` has the ends of logs."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit.jobs.explain import Verdict, catalogue, explain
from modelarts_toolkit.jobs.state import JobState

CORPUS = tomllib.loads((Path(__file__).parents[1] / "data" / "failures.toml").read_text("utf-8"))
FATAL: Sequence[Mapping[str, Any]] = CORPUS["fatal"]
HANDLED: Sequence[Mapping[str, Any]] = CORPUS["handled"]
OPEN = [entry for entry in FATAL if "is_closed" not in entry]  # lines can precede and follow them
ORDINARY, AFTER, PREFIXES = (st.sampled_from(CORPUS[key]) for key in ("ordinary", "after", "prefixes"))
UNKNOWN = ["Traceback (most recent call last):", '  File "train.py", line 90, in <module>', "strange.Fault: of no kind"]


def prefixed(prefix: str, text: str) -> list[str]:
    """The lines with a prefix each."""
    return [prefix.format(n=number % 60) + line for number, line in enumerate(text.splitlines())]


def verdict_of(exit_code: int = 1, log: Sequence[str] = (), events: Sequence[str] = (), message: str = "") -> Verdict:
    """The verdict on a job that failed."""
    task = {"task": "worker-0", "exit_code": exit_code, "message": message}
    job = {"metadata": {"id": "i", "name": "digits"}, "status": {"phase": "Failed", "task_statuses": [task]}}
    verdict = explain(JobState.of_job(TrainingJob.from_dict(job)), log, events)
    assert verdict is not None
    return verdict


def problems(entry: Mapping[str, Any], log: Sequence[str]) -> list[str]:
    """What is wrong with the verdict on a log that ends as the text of the corpus."""
    verdict = verdict_of(entry.get("exit_code", 1), log)
    found = [] if verdict.cause == entry["cause"] else [f"cause {verdict.cause}"]
    found += [f"lacks {words}" for words in entry.get("says", ()) if words not in str(verdict)]
    said = f"{verdict.text} {verdict.evidence}"
    found += [f"has {words}" for words in entry.get("never", ()) if words in said]
    return [f"{problem}: {verdict}" for problem in found]


@pytest.mark.parametrize("entry", [*FATAL, *HANDLED], ids=lambda entry: entry["name"])
def test_the_verdict_names_the_error_that_ended_the_script(entry: Mapping[str, Any]) -> None:
    """Behind launchers, in several lines, and never one that the script had handled."""
    assert problems(entry, (entry["log"] + entry.get("then", "")).splitlines()) == []


@pytest.mark.parametrize(("cause", "message"), CORPUS["messages"])
def test_words_of_a_message_are_no_cause_by_themselves(cause: str, message: str) -> None:
    log = [*UNKNOWN[: 2 * ("Error: " in message)], *message.splitlines()]

    verdict = verdict_of(1, log)

    assert verdict.cause == cause
    assert cause != "exception" or verdict.text == f"The script raised {log[-1]} at train.py:90."


def test_the_corpus_is_large_enough() -> None:
    """At least sixty texts, a good part of them errors that were handled."""
    assert len(FATAL) + len(HANDLED) >= 100
    assert len(HANDLED) >= 35


@settings(max_examples=400)
@given(
    st.sampled_from(OPEN),
    PREFIXES,
    st.lists(st.sampled_from(HANDLED), max_size=2),
    PREFIXES.filter(lambda prefix: "[rank" not in prefix),
    st.lists(ORDINARY, min_size=1, max_size=3),
    st.lists(AFTER),
)
def test_what_surrounds_a_fatal_error_does_not_change_its_verdict(
    entry: Mapping[str, Any],
    prefix: str,
    handled: Sequence[Mapping[str, Any]],
    other_prefix: str,
    between: Sequence[str],
    after: Sequence[str],
) -> None:
    """Prefixes of ranks, loggers and times, colours, handled errors and ordinary lines before, the end of a tracker."""
    earlier = [line for each in handled for line in prefixed(other_prefix, each["log"])]

    assert problems(entry, [*earlier, *between, *prefixed(prefix, entry["log"]), *after]) == []


@settings(max_examples=300)
@given(st.sampled_from(HANDLED), PREFIXES, st.lists(ORDINARY, max_size=3))
def test_an_unknown_error_after_a_handled_one_is_the_cause(
    entry: Mapping[str, Any], prefix: str, between: Sequence[str]
) -> None:
    verdict = verdict_of(1, [*prefixed(prefix, entry["log"]), *between, *UNKNOWN])

    assert verdict.text == "The script raised strange.Fault: of no kind at train.py:90."


@settings(max_examples=400)
@given(st.sampled_from([*HANDLED, *OPEN]), PREFIXES, st.lists(ORDINARY, min_size=1), st.lists(AFTER))
def test_an_error_after_which_the_script_went_on_is_no_cause(
    entry: Mapping[str, Any], prefix: str, ordinary: Sequence[str], after: Sequence[str]
) -> None:
    log = "\n".join([entry["log"].rstrip(), *ordinary])

    verdict = verdict_of(1, [*prefixed(prefix, log), *after])

    assert (verdict.cause, verdict.text) == ("exit-code", "worker-0 ended with exit code 1.")


def test_a_module_of_ones_own_project_has_a_remedy_of_its_own() -> None:
    """The log does not say whether pip or the project has the module, so the remedy names both."""
    verdict = verdict_of(log=["ModuleNotFoundError: No module named 'mylib.data'"])

    assert "A module of your own project: put it beside the boot file" in verdict.remedy
    assert "pip-requirements.txt" in verdict.remedy


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        ("The job may hang: worker-0 makes no progress.", "hang"),
        ("worker-0 was preempted by a job of higher priority", "preempted"),
        ("NodeLost: The node of worker-0 is gone", "peer-lost"),
        ("[worker-0] The disk is full", "no-space"),
        ("The container was OOM killed", "out-of-memory"),
        ("ModelArts.2773: get obs object content error.", "obs-access"),
        ("ModelArts.2815: Exceed quota limit of resource(gpu).", "quota"),
    ],
)
def test_events_and_error_codes_tell_the_cause(event: str, cause: str) -> None:
    verdict = verdict_of(1, ["Exception"], [event])

    assert verdict.cause == cause


def test_every_cause_has_a_verdict_and_a_remedy() -> None:
    """Identifiers are unique."""
    causes = catalogue()

    assert len({cause.id for cause in causes}) == len(causes) > 15
    assert all(cause.verdict.strip() and cause.remedy.endswith(".") for cause in causes)


def test_the_platform_s_own_diagnosis_comes_first() -> None:
    """Whatever the log says; its solution and its page are the remedy."""
    found = {
        "description": "The dataset is missing.",
        "solution": "Upload it.",
        "document_link": "https://example.com/x",
    }
    status = {"phase": "Failed", "failureAnalysisResult": {"analysis_results": [found]}}
    job = TrainingJob.from_dict({"metadata": {"id": "i"}, "status": status})

    verdict = explain(JobState.of_job(job), ["MemoryError"])

    assert verdict is not None
    assert (verdict.cause, verdict.text) == ("platform", "The platform says: The dataset is missing.")
    assert verdict.remedy == "Upload it. See https://example.com/x"


def test_a_traceback_in_the_message_of_a_task_is_read_like_its_log() -> None:
    message = (
        "Traceback (most recent call last):\n  File \"train.py\", line 1\nModuleNotFoundError: No module named 'numpy'"
    )

    verdict = verdict_of(message=message)

    assert verdict.cause == "missing-module"


def test_outputs_that_were_not_uploaded_are_the_cause_and_no_error_that_the_script_had_handled() -> None:
    log = [*UNKNOWN, "[ModelArts Service Log][INFO][2026/11/28 13:49:11,408]: worker-0 exit with 0"]
    message = (
        "output train_url: cannot upload to /b/out/: 1 file(s) could not be uploaded: x: a link; the files remain in /y"
    )
    verdict = verdict_of(1, log, message=message)

    assert (verdict.cause, verdict.text) == (
        "outputs-left",
        "Not all outputs were uploaded: 1 file(s) could not be uploaded: x: a link.",
    )


def test_a_python_that_is_gone_or_hidden_is_named() -> None:
    """As the emulator's task says it; on a cluster after the name of the node."""
    gone = "the Python of this job, /tmp/a, b/bin/python, is not there: make it anew, or name another one"
    hidden = "node n1: the Python of this job, /cache/python, lies behind the /cache that the task has of its own: use"

    assert [verdict_of(1, [], message=message).text for message in (gone, hidden)] == [
        "The Python of this job, /tmp/a, b/bin/python, is not there.",
        "The Python of this job, /cache/python, lies behind the /cache that the task has of its own.",
    ]


def test_an_eviction_is_named_with_what_ran_low() -> None:
    event = (
        "kubelet evicted pod modelarts-job-1-worker-0: The node was low on resource: ephemeral-storage. "
        "Threshold quantity: 1016021773091, available: 991079804Ki."
    )

    verdict = verdict_of(137, ["epoch 1"], [event])

    assert verdict.cause == "evicted"
    assert verdict.text == "The node evicted the job (low on ephemeral-storage)."


FULL = "GPU 1 (NVIDIA H100, 80 GB) was almost full: 79.1 GB were in use at most"
FORGOTTEN = "RuntimeError: CUDA error: out of memory"


@pytest.mark.parametrize(
    ("event", "remedy"),
    [
        (f"{FULL}; digits/worker-0 had 40.0 GB of it, python (process 4711) 10.0 GB.", "Others held most of it: "),
        (f"{FULL}; python (process 4711) had 10.0 GB of it.", "Make the batch smaller"),
        (f"{FULL}.", "Make the batch smaller"),
        (
            "NPU 0 (910B) was almost full: 60.0 GB were in use at most; a/worker-1 had 31.0 GB of it.",
            "Others held most",
        ),
        ("GPU 0.1 (NVIDIA A100 MIG 1g.5gb, 5 GB) was almost full: 4800.0 MB were in use at most.", "Make the batch"),
    ],
)
def test_the_emulator_says_which_card_was_full_and_who_held_its_memory(event: str, remedy: str) -> None:
    """It knows the number on the machine, and names; whoever holds most of the card comes before a smaller batch."""
    verdict = verdict_of(1, [FORGOTTEN], ["[worker-0] The training code is late.", f"[worker-0] {event}"])

    assert verdict.text == f"The accelerator ran out of memory. {event}"
    assert verdict.remedy.startswith(remedy)
    assert ("modelarts emulator status" in verdict.remedy) == remedy.startswith("Others")


@pytest.mark.parametrize(
    ("events", "log", "text"),
    [
        ([f"[worker-1] {FULL}."], [FORGOTTEN], "The accelerator ran out of memory."),
        (
            [f"[worker-0] {FULL}.", f"[worker-0] {FULL.replace('1', '2', 1)}."],
            [FORGOTTEN],
            "The accelerator ran out of memory.",
        ),
        (
            [f"[worker-0] {FULL}; oom/worker-0 had 9.0 GB of it."],
            UNKNOWN,
            "The script raised strange.Fault: of no kind at train.py:90.",
        ),
        ([f"[worker-0] {FULL}; hang/worker-0 had 9.0 GB of it."], ["x"], "worker-0 ended with exit code 1."),
    ],
)
def test_a_full_card_is_no_cause_of_other_errors_nor_that_of_another_task(
    events: Sequence[str], log: Sequence[str], text: str
) -> None:
    """Frameworks reserve the whole card; with several full cards, nobody knows which one the error is about."""
    assert verdict_of(1, log, events).text == text


@settings(max_examples=150)
@given(
    st.floats(0.1, 30),
    st.floats(0.5, 2),
    st.lists(st.floats(0.1, 40), max_size=5),
    st.floats(0, 0.5),
    st.booleans(),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_others_are_blamed_only_if_they_held_more_than_half_of_the_card(
    of_pytorch: float,
    besides: float,
    others: Sequence[float],
    free: float,
    knows_itself: bool,
    is_listed: bool,
    order: Any,
) -> None:
    """Whether PyTorch recognizes its own process in the list, lists it by another number, or not at all."""
    own = of_pytorch + besides
    sentences = [f"Process {number} has {size:.2f} GiB memory in use. " for number, size in enumerate(others)]
    if knows_itself:
        sentences.append(f"Including non-PyTorch memory, this process has {own:.2f} GiB memory in use. ")
    elif is_listed:
        sentences.append(f"Process 99 has {own:.2f} GiB memory in use. ")
    order.shuffle(sentences)
    total = own + sum(others) + free
    message = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of"
        f" {total:.2f} GiB of which {free:.2f} GiB is free. {''.join(sentences)}Of the allocated memory"
        f" {of_pytorch:.2f} GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated."
    )

    verdict = verdict_of(1, [message])

    is_blamed = verdict.remedy.startswith("Free the card first")
    assert not is_blamed or 2 * sum(others) > total - 0.1 - 2 * besides * (not sentences), message
    assert is_blamed or not knows_itself or 2 * sum(others) < total + 0.1, message
    assert "the failed process (" not in verdict.text or "the failed process (99)" in verdict.text, message
