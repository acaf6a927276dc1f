"""The plugin of pytest: `pytest --mpivet` runs the tests under mpivet, and its findings make them fail.

Three processes are told apart. The one that the user has started with --mpivet runs no test itself: it starts `mpivet run` with
pytest once more, and reports what that tells (`_testing/controller.py`). The processes that it has started run the tests and
write down how they end (`_testing/worker.py`). And any pytest under mpivet marks each test as a region of the program, so
that findings name it (`_testing/marks.py`).
"""

from __future__ import annotations

from typing import Optional

import pytest

from . import _annotations
from ._testing import launchers
from ._testing.controller import Controller
from ._testing.marks import Marks
from ._testing.plan import Plan, add_options
from ._testing.worker import Worker


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Optional[int]:
    if config.getoption("mpivet_into") and hasattr(config.option, "xmlpath"):
        # The file of --junitxml is written by the pytest that the user has started.
        config.option.xmlpath = None
    # Started by a launcher, rank 0 starts that launcher again, under mpivet, and this rank has nothing to do.
    if _is_controller(config) and launchers.rank() not in (None, 0):
        return int(pytest.ExitCode.OK)
    return None


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if _annotations.active():
        config.pluginmanager.register(Marks(), "mpivet-marks")
    if config.getoption("mpivet_into"):
        config.pluginmanager.register(Worker(config), "mpivet-worker")
    elif _is_controller(config):
        config.pluginmanager.register(Controller(config, Plan(config)), "mpivet-controller")


def _is_controller(config: pytest.Config) -> bool:
    option = config.getoption
    if not option("mpivet") or option("mpivet_into") or _annotations.active():
        return False
    # Options that only print something, and workers of pytest-xdist, are as without mpivet.
    return not (option("collectonly") or option("help") or option("version", 0)) and not hasattr(config, "workerinput")
