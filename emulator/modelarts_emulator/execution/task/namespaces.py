"""Runs a program that sees directories of its own at the documented paths, by namespaces of the Linux kernel.

`start` forks the controller, because to start another Python takes longer than all that the launcher does:

    controller ── launcher ── init (number 1 of the PID namespace) ── the user's program

The network is shared. When one of launcher and init dies, the kernel ends everything behind it. SIGTERM to the launcher
reaches all processes of the namespace. The launcher's exit code is that of the user's program, as a shell counts it.
See namespaces(7), mount_namespaces(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

PathMode = Literal["mapping", "namespace"]
"""Documented paths as directories of the task's folder, or mounted where the documents say."""

PathChoice = Literal["auto", "namespace", "mapping"]
"""How users choose one."""

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 0x1, 0x2, 0x4, 0x8, 0x20
_MS_BIND, _MS_MOVE, _MS_REC = 0x1000, 0x2000, 0x4000
_MS_UNBINDABLE, _MS_PRIVATE = 1 << 17, 1 << 18
_LIBC = ctypes.CDLL(None, use_errno=True)
_REFUSALS = {
    errno.EPERM: "the system forbids user namespaces to this process",
    errno.ENOSPC: "the system allows no more namespaces (see sysctl user.max_user_namespaces)",
}
REMEDY = "name packages in pip-requirements.txt, or install them with pip install --target FOLDER"
"""What to do where a task cannot change packages for itself alone."""

_PROBE_TIMEOUT_S = 10
# A process of its own: the emulator has threads, and must not be forked.
_PROBE = """
import os, sys
sys.path.insert(0, {!r})
from {} import Launch, start
sys.exit(os.waitpid(start({}, {}, os.environ, 2), 0)[1] != 0)
"""

Targets = dict[str, Any]
"""A tree of directories by name: a string is the directory that is mounted there, a dict has what is below."""


class Launch(NamedTuple):
    """How to run a program: `mounts` are pairs of a directory, or a file, and the path at which it is seen.

    `root` is an empty directory in which the new tree is made. What the program changes in the directories of `covered`
    goes to the empty directory `changes`, or to memory where that cannot take it. It cannot open the device files of
    `closed`, unless the kernel refuses that.
    """

    directory: str
    mounts: Sequence[tuple[str, str]]
    root: str
    covered: Sequence[str] = ()
    changes: str = ""
    closed: Sequence[str] = ()


def die_with(parent: int) -> None:
    """In the child, before it becomes the user's program: if the parent is killed, so is this process."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # killed before the kernel was asked for the signal
        os.kill(os.getpid(), signal.SIGKILL)


def reset_process() -> None:
    """Be as the first process of a container, whatever the emulator was started with: for signals and new files."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none of a task's processes is lost."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def choose_path_mode(choice: PathChoice, needed: Sequence[Path]) -> tuple[PathMode, str]:
    """The mode, and why namespaces are not possible; `needed` are files that tasks use under their own paths.

    Raises EmulatorError if namespaces are demanded where they do not work, and for another choice.
    """
    from modelarts_emulator.errors import EmulatorError

    if choice == "mapping":
        return "mapping", ""
    if choice not in ("auto", "namespace"):
        raise EmulatorError(f"paths must be auto, namespace or mapping, not {choice!r}")
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), Path(__file__))
    mode, reason = find_path_mode((*own, *(path.absolute() for path in needed)))
    if choice == "namespace" and mode == "mapping":
        raise EmulatorError(f"tasks cannot have a /home/ma-user of their own here ({reason}): use --paths mapping")
    return mode, reason


def describe(mode: PathMode, reason: str) -> str:
    """The mode in a sentence for users, for the start of the emulator."""
    if mode == "mapping":
        return "tasks find /home/ma-user below $MA_HOME" + (f" ({reason})" if reason else "")
    return "tasks see their own /home/ma-user and /cache"


@cache
def find_path_mode(needed: tuple[Path, ...]) -> tuple[PathMode, str]:
    """The mode that works on this machine, found by trying; and why it is not namespaces.

    `needed` are directories that tasks must be able to see under their own paths.
    """
    from modelarts_emulator.execution.container import MOUNTED

    if sys.platform != "linux":
        return "mapping", "only Linux has mount namespaces"
    for path in map(os.path.realpath, needed):
        if hiding := [mounted for mounted in MOUNTED if path == mounted or path.startswith(f"{mounted}/")]:
            return "mapping", f"{path} would be hidden behind the task's own {hiding[0]}"
    reason = _try()
    return ("namespace", "") if reason is None else ("mapping", reason)


def _try() -> str | None:
    """Run a program that looks for its directories; why that does not work, or None if it does."""
    import subprocess  # the probe starts quickly
    import tempfile

    from modelarts_emulator.execution.container import MOUNTED

    with tempfile.TemporaryDirectory(prefix="modelarts-emulator-") as folder:
        mounts = []
        for index, mounted in enumerate(MOUNTED):
            Path(folder, str(index)).mkdir()
            Path(folder, str(index), ".found").touch()
            mounts.append((f"{folder}/{index}", mounted))
        Path(folder, "root").mkdir()
        test = " && ".join(f"test -e {mounted}/.found" for mounted in MOUNTED)
        plan, root = Launch("/", mounts, f"{folder}/root"), str(Path(__file__).parents[3])
        code = _PROBE.format(root, __name__, plan, ["/bin/sh", "-c", test])
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program
                [sys.executable, "-I", "-S", "-c", code], capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode == 0:
            return None
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return said[-1] if said else "the mounted directories are not there"


def start(plan: Launch, arguments: Sequence[str], environment: Mapping[str, str], output: int) -> int:
    """Run the program with these arguments as the plan says; returns the number of a process that ends as it ends.

    The process is a fork of this one, and ends with it; it leads a session of its own. `output` is the descriptor to
    which all write.
    """
    parent = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until the launcher passes it on
    if launcher := os.fork():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        return launcher
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        _launch(parent, plan, arguments, environment)
    except OSError as error:
        _say(f"the task's directories cannot be mounted: {error.strerror}")
    finally:
        os._exit(1)


def _launch(parent: int, plan: Launch, arguments: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    _unshare(_CLONE_NEWNS | _CLONE_NEWPID)
    die_with(parent)  # the kernel forgets it with the change of credentials
    launcher, held = os.pipe()  # closed by the end of this process
    init = os.fork()
    if init == 0:
        os.close(held)
        _run_init(plan, arguments, environment, launcher)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(init, signal.SIGTERM))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    os._exit(_exit_code(os.waitpid(init, 0)[1]))


def _say(sentence: str) -> None:
    os.write(2, f"{sentence}\n".encode(errors="backslashreplace"))


def _exit_code(wait_status: int) -> int:
    """What a shell makes of this status of waitpid(2)."""
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else 128 - code


def _run_init(plan: Launch, arguments: Sequence[str], environment: Mapping[str, str], launcher: int) -> NoReturn:
    """Be the first process of the PID namespace: start the program, and end with its exit code."""
    # In its own namespace the number of the parent is 0, also of one that has ended already.
    die_with(0)
    if select.select([launcher], [], [], 0)[0]:
        os._exit(1)
    try:
        _mount_all(plan)
    except OSError as error:
        _say(f"the task's directories cannot be mounted: {error.strerror}")
        os._exit(1)
    is_stopping = False

    def stop(*_: object) -> None:
        nonlocal is_stopping
        if not is_stopping:
            is_stopping = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    program = os.fork()
    if program == 0:
        os.setsid()
        _become(plan, arguments, environment)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    wait_status = 0
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, found = os.waitpid(-1, 0)
            wait_status = found if ended == program else wait_status
            # With its program a container ends; when it is stopped, all its processes get time to end.
            if ended == program and not is_stopping:
                break
    os._exit(_exit_code(wait_status))


def _become(plan: Launch, arguments: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Replace this process by the program."""
    reset_process()
    try:
        os.chdir(plan.directory)
        os.execvpe(arguments[0], list(arguments), environment)  # noqa: S606 - running the user's program is the purpose
    except OSError as error:
        _say(f"{arguments[0]} cannot be run: {error}")
        os._exit(127)


def _unshare(flags: int) -> None:
    """Enter new namespaces: with root's rights in them if this is root, else in a user namespace of the same user."""
    user, group = os.geteuid(), os.getegid()
    if user == 0 and _LIBC.unshare(flags) == 0:
        return
    if _LIBC.unshare(flags | _CLONE_NEWUSER) != 0:
        number = ctypes.get_errno()
        reason = _REFUSALS.get(number, f"unshare: {os.strerror(number)}")
        raise OSError(number, reason)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)


def _mount_all(plan: Launch) -> None:
    """Make a tree that is like the machine's except the mounts, and make it the root."""
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    points = _mount_points() if plan.covered else []
    _mount("tmpfs", plan.root, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755")
    _mount(None, plan.root, None, _MS_UNBINDABLE)  # or the tree, which lies in the machine's, would hold itself
    targets: Targets = {}
    for source, path in plan.mounts:
        *folders, name = path.strip("/").split("/")
        branch = targets
        for folder in folders:
            branch = branch.setdefault(folder, {})
        branch[name] = source
    _fill("/", plan.root, targets)
    for number, folder in enumerate(plan.covered):
        _cover(folder, plan, f"{plan.changes}/{number}", [each for each in points if each.startswith(f"{folder}/")])
    for path in plan.closed:
        with contextlib.suppress(OSError):
            _close(plan.root + path)
    os.chdir(plan.root)
    _mount(".", "/", None, _MS_MOVE)
    os.chroot(".")
    os.chdir("/")


def _fill(original: str, folder: str, targets: Mapping[str, Any]) -> None:
    """Fill the folder with what the original has, except the targets."""
    for name in os.listdir(original) if os.path.isdir(original) else ():  # noqa: PTH112, PTH208 - starts quickly
        if name not in targets:
            with contextlib.suppress(OSError) if original != "/" else contextlib.nullcontext():
                _show(os.path.join(original, name), os.path.join(folder, name))  # noqa: PTH118
    for name, target in targets.items():
        path = os.path.join(folder, name)  # noqa: PTH118
        if isinstance(target, str) and os.path.isfile(target):  # noqa: PTH113
            _show(target, path)
            continue
        os.mkdir(path, 0o755)  # noqa: PTH102
        if isinstance(target, str):
            _mount(target, path, None, _MS_BIND | _MS_REC)
        else:
            _fill(os.path.join(original, name), path, target)  # noqa: PTH118


def _show(source: str, path: str) -> None:
    """Show `source` at `path`, too."""
    if os.path.islink(source):  # noqa: PTH114
        os.symlink(os.readlink(source), path)  # noqa: PTH115, PTH211
    elif source == "/proc":
        os.mkdir(path)  # noqa: PTH102
        _mount("proc", path, "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    elif os.path.isdir(source):  # noqa: PTH112
        os.mkdir(path)  # noqa: PTH102
        _mount(source, path, None, _MS_BIND | _MS_REC)
    elif os.path.isfile(source):  # noqa: PTH113
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        _mount(source, path, None, _MS_BIND)


def _cover(folder: str, plan: Launch, changes: str, below: Sequence[str]) -> None:
    """Let the program change the folder for itself alone; where that does not work, it cannot change it.

    `below` is where something is mounted in the folder, which an overlay does not have. Raises OSError where neither
    works.
    """
    target = plan.root + folder
    if not os.path.isdir(target) or not os.path.samefile(folder, target):  # noqa: PTH112, PTH121 - hidden by a mount
        return
    try:
        _overlay(folder, target, changes)
    except OSError:
        try:
            _mount("tmpfs", plan.changes, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0700")
            _overlay(folder, target, changes)
        except OSError as error:
            _mount(folder, target, None, _MS_BIND | _MS_REC)
            _mount(None, target, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)
            _say(f"{folder} is read-only here ({error.strerror}): {REMEDY}")
    for point in below:
        with contextlib.suppress(OSError):
            _mount(point, plan.root + point, None, _MS_BIND | _MS_REC)


def _overlay(folder: str, target: str, changes: str) -> None:
    """Show the folder at the target, with what is changed there kept in `changes`; see overlayfs of the kernel."""
    upper, work = changes, f"{changes}-work"  # the latter is the kernel's own
    os.mkdir(upper)  # noqa: PTH102
    os.mkdir(work)  # noqa: PTH102
    space = ""
    try:  # without such an attribute a folder that is made anew could not hide what it had before
        os.setxattr(upper, "trusted.modelarts", b"")
    except PermissionError:  # not root of the machine
        os.setxattr(upper, "user.modelarts", b"")
        space = ",userxattr"
    os.chmod(upper, os.stat(folder).st_mode)  # noqa: PTH101, PTH116
    lower, upper, work = (re.sub(r"([\\:,])", r"\\\1", path) for path in (folder, upper, work))
    _mount("overlay", target, "overlay", 0, f"lowerdir={lower},upperdir={upper},workdir={work},volatile{space}")


def _close(path: str) -> None:
    """Let nobody open this device file: mounted on itself, it is in a place that has no devices.

    The file stays, as where a device cgroup forbids it, and so does its directory, in which others can still appear.
    """
    _mount(path, path, None, _MS_BIND)
    kept = os.statvfs(path).f_flag & (_MS_RDONLY | _MS_NOSUID | _MS_NOEXEC)  # only who set them could take them away
    _mount(None, path, None, _MS_REMOUNT | _MS_BIND | _MS_NODEV | kept)


def _mount_points() -> list[str]:
    """Where something is mounted, in the order in which it was."""
    points = [line.split(" ", 5)[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), point) for point in points]


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    if _LIBC.mount(*texts, ctypes.c_ulong(flags), os.fsencode(options)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mount {target}: {os.strerror(number)}")
