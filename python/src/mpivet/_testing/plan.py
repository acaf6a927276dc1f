"""Options of the plugin, and the command that runs the tests under mpivet."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import Dict, List, Optional, Tuple

import pytest

from .._command import MpivetNotFound, executable
from . import launchers

SEVERITIES = ("error", "warning", "note")


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("mpivet", "mistakes in MPI programs")
    group.addoption("--mpivet", action="store_true", help="run the tests under mpivet; its findings make them fail")
    group.addoption(
        "--mpivet-np",
        type=int,
        metavar="N",
        help="all tests are run by N ranks together, as with `mpirun -n N pytest`; without it, each test starts its own jobs",
    )
    group.addoption(
        "--mpivet-mpiexec",
        default="mpiexec",
        metavar="COMMAND",
        help="the launcher for --mpivet-np, with its options (default: mpiexec)",
    )
    group.addoption(
        "--mpivet-fail-on",
        choices=[*SEVERITIES, "never"],
        default="error",
        help="a finding of this severity or a worse one makes a test fail (default: error)",
    )
    group.addoption(
        "--mpivet-options", default="", metavar="OPTIONS", help="further options of `mpivet run`, in one argument"
    )
    group.addoption(
        "--mpivet-dir", metavar="DIR", help="traces and reports go to DIR, and stay there (default: mpivet-pytest-PID)"
    )
    # Tells the processes that run the tests where to write down how these end.
    group.addoption("--mpivet-into", metavar="DIR", help=argparse.SUPPRESS)


class Plan:
    """How the tests are to be run."""

    def __init__(self, config: pytest.Config) -> None:
        try:
            self.mpivet = executable()
        except MpivetNotFound as error:
            raise pytest.UsageError(f"--mpivet: {error}") from None
        if config.getoption("numprocesses", None):
            raise pytest.UsageError("--mpivet starts processes itself: leave out -n of pytest-xdist")
        self.fail_on: str = config.getoption("mpivet_fail_on")
        self.kept: Optional[str] = config.getoption("mpivet_dir")
        self.directory = os.path.abspath(self.kept or f"mpivet-pytest-{os.getpid()}")
        self._options = shlex.split(config.getoption("mpivet_options"))
        self._ranks: Optional[int] = config.getoption("mpivet_np")
        self._mpiexec = shlex.split(config.getoption("mpivet_mpiexec"))
        self._arguments = [str(argument) for argument in config.invocation_params.args]
        self._launcher: Optional[launchers.Launcher] = None
        if launchers.rank() is not None:
            self._launcher = launchers.launcher()
            if self._launcher is None:
                raise pytest.UsageError(
                    "--mpivet: a launcher that this process does not see has started pytest. Put mpivet in front of it: "
                    "mpivet run -- LAUNCHER ... pytest, or let pytest start the ranks: pytest --mpivet --mpivet-np N"
                )

    def command(self, into: str, report: str, trace: str) -> Tuple[List[str], Dict[str, str], str]:
        """The command that runs the tests, its environment and its directory. `into`: the directory for what workers write."""
        run = [self.mpivet, "run", "--dir", trace, "--report", report, "--max-findings", "0", "--fail-on", self.fail_on]
        run += self._options
        environment, directory = dict(os.environ), os.getcwd()
        if self._launcher is not None:
            # Without what the launcher has told this process, or the new one would take itself for a part of the old job.
            environment, directory = dict(self._launcher.environment), self._launcher.directory
            # Under Slurm the job that waits for this one has its processors, and srun would wait for them.
            environment["SLURM_OVERLAP"] = "1"
            command = self._launcher.command
            if "--mpivet" in command:
                command = [f"--mpivet-into={into}" if word == "--mpivet" else word for word in command]
            else:
                environment["PYTEST_ADDOPTS"] = f"{environment.get('PYTEST_ADDOPTS', '')} --mpivet-into={into}"
            return [*run, "--", *command], environment, directory
        tests = [*_pytest(), f"--mpivet-into={into}", *(word for word in self._arguments if word != "--mpivet")]
        if self._ranks is not None:
            return [*run, "--", *self._mpiexec, "-n", str(self._ranks), *tests], environment, directory
        return [*run, "--each", "--", *tests], environment, directory


def _pytest() -> List[str]:
    """pytest as it was started: `python -m pytest` puts the working directory into the path of modules, `pytest` does not."""
    program = sys.argv[0]
    if os.path.basename(program) == "__main__.py" or not os.path.isfile(program):
        return [sys.executable, "-m", "pytest"]
    return [sys.executable, program]
