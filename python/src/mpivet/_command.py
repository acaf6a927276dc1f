"""Finds the executable `mpivet`, and becomes it."""

import os
import signal
import sys
from typing import Iterator, Optional

# Laid out as every installation of mpivet is: bin/ and lib/. The executable looks for its libraries in ../lib.
_FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_files")


class MpivetNotFound(RuntimeError):
    """There is no executable `mpivet`."""


def executable() -> str:
    """The path of the executable `mpivet`: the one of this package, else what the environment variable MPIVET names, else the
    first one in PATH.

    Raises MpivetNotFound if there is none.
    """
    own = os.path.join(_FILES, "bin", "mpivet")
    if _is_program(own):
        return own
    named = os.environ.get("MPIVET")
    if named:
        if not _is_program(named):
            raise MpivetNotFound(f"MPIVET names {named}, which is no executable file")
        return named
    for path in _in_path():
        return path
    raise MpivetNotFound(
        "no mpivet: this package was installed without it, MPIVET is not set, and PATH has none; "
        "on Linux x86-64 `pip install mpivet` brings it along"
    )


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _in_path() -> Iterator[str]:
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory, "mpivet")
        if _is_program(path) and not _is_ours(path):
            yield path


def _is_ours(path: str) -> bool:
    """Is it the script that starts this package? It would call itself for ever."""
    try:
        with open(path, "rb") as file:
            head = file.read(1024)
    except OSError:
        return True
    return head.startswith(b"#!") and b"from mpivet" in head


def main() -> Optional[str]:
    """Becomes mpivet, with the arguments of this process. Returns why that is not possible."""
    try:
        program = executable()
    except MpivetNotFound as error:
        return f"mpivet: {error}"
    _undo_what_python_did()
    try:
        os.execv(program, ["mpivet", *sys.argv[1:]])
    except OSError as error:
        return f"mpivet: cannot run {program}: {error.strerror}"


def _undo_what_python_did() -> None:
    """The program under test inherits what mpivet has. An interpreter ignores two signals, and in the locale C it sets LC_CTYPE
    (PEP 538)."""
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        with open("/proc/self/environ", "rb") as file:
            begun_with = file.read().split(b"\0")
    except OSError:
        return
    if not any(entry.startswith(b"LC_CTYPE=") for entry in begun_with):
        os.environ.pop("LC_CTYPE", None)
