"""A pytest that runs the tests of another one: it is silent, and writes down how each test ends."""

from __future__ import annotations

import json
import os
import socket
import warnings
from typing import Any, List, Union

import pytest
from _pytest.terminal import TerminalReporter

from . import launchers

# In the directory that --mpivet-into names: node ids of tests that are over, a line each.
DONE = "done.json"
# The beginning of the names of the files that workers write.
WRITTEN = "tests-"


class Worker:
    """Writes an object of JSON a line, each with one key that says what it tells of."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._directory = config.getoption("mpivet_into")
        rank = launchers.rank()
        name = f"{WRITTEN}{socket.gethostname()}-{os.getpid()}.jsonl"
        # A line is there as soon as it is written: this process may be killed.
        self._file = open(os.path.join(self._directory, name), "w", buffering=1, encoding="utf-8")
        self._write({"rank": rank or 0})
        self._silence()

    def _silence(self) -> None:
        manager = self._config.pluginmanager
        usual = manager.get_plugin("terminalreporter")
        if usual is not None:
            manager.unregister(usual)
            nowhere = open(os.devnull, "w", encoding="utf-8")
            manager.register(TerminalReporter(self._config, nowhere), "terminalreporter")

    def _write(self, record: Any) -> None:
        self._file.write(json.dumps(record, default=str) + "\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: List[pytest.Item]) -> None:
        path = os.path.join(self._directory, DONE)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                done = set(json.load(file))
            items[:] = [item for item in items if item.nodeid not in done]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._write({"collected": [item.nodeid for item in session.items]})

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self._write({"begins": nodeid, "location": location})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write_report(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self._write_report(report)

    def _write_report(self, report: Union[pytest.TestReport, pytest.CollectReport]) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._write({"report": data})

    def pytest_internalerror(self, excrepr: Any) -> None:
        self._write({"trouble": str(excrepr)})

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str, nodeid: str) -> None:
        kind = warning_message.category
        text = [kind.__module__, kind.__name__, str(warning_message.message)]
        place = [warning_message.filename, warning_message.lineno]
        self._write({"warning": [*text, *place, when, nodeid]})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self._write({"ends": int(exitstatus)})
        # A launcher ends all ranks when one has failed, whatever they are doing.
        session.exitstatus = pytest.ExitCode.OK
