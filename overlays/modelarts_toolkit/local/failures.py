"""What to say of a script that failed on this machine, and with which exit status."""

from modelarts_toolkit.errors import JobFailed

KEPT = "The job is gone; with --keep and an emulator that runs, modelarts job explain and job logs can read it."


def failure_text(error: JobFailed, python: str | None, *, is_kept: bool = False) -> str:
    """Return why the script failed and what to do, as `job explain` says it.

    `python` is the one that ran it. Unless the job `is_kept`, the text has no commands about it.
    """
    verdict = error.verdict
    if verdict is None:
        return str(error).splitlines()[0]
    if verdict.cause == "missing-module":
        interpreter = "the emulator's engine" if python is None else python
        text = f"{verdict.text.rstrip('.')}: it was {interpreter}."
        remedy = "Install the module there, choose another Python with --engine, or name a file with --requirements."
        return f"{text} {remedy} A module of your own: pass its parent folder as --code, and run with -m."
    if verdict.cause == "out-of-memory":
        return f"{verdict.text} Read the data in parts, or use a smaller batch: this machine has no more memory."
    return str(verdict) if is_kept else f"{verdict.text} {verdict.lasting.remedy or KEPT}"


def script_status(error: JobFailed) -> int:
    """Return the exit status of the script; 1 if no task has one."""
    return next((code for code in error.exit_codes.values() if code), 1)
