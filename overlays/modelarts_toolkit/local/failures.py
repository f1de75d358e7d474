"""What to say of a script that failed on this machine, and with which exit status."""

from modelarts_toolkit.errors import JobFailed

KEPT = "The job is gone; with --keep and an emulator that runs, modelarts job explain and job logs can read it."


def failure_text(error: JobFailed, python: str | None, *, otherwise: str | None = KEPT, is_run: bool = True) -> str:
    """Return why the script failed and what to do, as `job explain` says it; `python` is the one that ran it.

    `otherwise` is said if nothing but commands about the job would help, which is gone; None if it is kept. Without
    `is_run`, the command that ran it has not the options of `modelarts run`.
    """
    verdict = error.verdict
    if verdict is None:
        return str(error).splitlines()[0]
    if verdict.cause == "missing-module":
        interpreter = "the emulator's engine" if python is None else python
        text = f"{verdict.text.rstrip('.')}: it was {interpreter}."
        if not is_run:
            return f"{text} Install the module there, or activate an environment that has it."
        remedy = "Install the module there, choose another Python with --engine, or name a file with --requirements."
        return f"{text} {remedy} A module of your own: pass its parent folder as --code, and run with -m."
    if verdict.cause == "out-of-memory":
        return f"{verdict.text} Read the data in parts, or use a smaller batch: this machine has no more memory."
    return str(verdict) if otherwise is None else f"{verdict.text} {verdict.lasting.remedy or otherwise}".strip()


def script_status(error: JobFailed) -> int:
    """Return the exit status of the script; 1 if no task has one."""
    return next((code for code in error.exit_codes.values() if code), 1)
