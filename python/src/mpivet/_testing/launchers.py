"""Is this process one that an MPI launcher has started, and how was that launcher started?"""

import os
from typing import Dict, List, NamedTuple, Optional

# Variables by which launchers number their processes: Hydra (MPICH, Intel MPI) and flux, Open MPI, PMIx.
_RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")
_NAMES = ("mpiexec", "mpirun", "orterun", "prterun", "prun")


class Launcher(NamedTuple):
    """The process of a launcher."""

    command: List[str]
    environment: Dict[str, str]
    directory: str


def rank() -> Optional[int]:
    """The rank that a launcher has given this process; None: no launcher has started it."""
    for name in _RANKS:
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return None


def launcher() -> Optional[Launcher]:
    """The launcher among the processes that this one descends from; None if it is on another node, or a daemon's."""
    process = os.getppid()
    while process > 1:
        try:
            command = [os.fsdecode(word) for word in _read(process, "cmdline").split(b"\0")[:-1]]
            if command and os.path.basename(command[0]).startswith(_NAMES):
                entries = [os.fsdecode(entry) for entry in _read(process, "environ").split(b"\0") if b"=" in entry]
                environment = dict(entry.split("=", 1) for entry in entries)
                return Launcher(command, environment, os.readlink(f"/proc/{process}/cwd"))
            # "PID (NAME) STATE PARENT ...": a name may hold blanks and parentheses.
            process = int(_read(process, "stat").rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            return None
    return None


def _read(process: int, file: str) -> bytes:
    with open(f"/proc/{process}/{file}", "rb") as opened:
        return opened.read()
