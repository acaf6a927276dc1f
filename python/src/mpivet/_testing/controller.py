"""The pytest that the user has started: it has the tests run under mpivet, and reports how they ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from typing import Dict, List, Optional, Set, Tuple

import pytest
from _pytest.terminal import TerminalReporter

from . import findings
from .findings import Found
from .outcomes import PHASES, Outcomes, begun_so_far
from .plan import Plan
from .worker import DONE

# Exit codes of `mpivet run` when the user has ended it, by Ctrl-C or SIGTERM.
INTERRUPTED = (130, 143)
# Stands for what belongs to no test.
NO_TEST = "mpivet"


class Controller:
    """Runs no test in this process, since MPI should be used by those under mpivet alone."""

    def __init__(self, config: pytest.Config, plan: Plan) -> None:
        self._config, self._plan = config, plan
        self._failed = False
        # Findings that make no test fail.
        self._others: List[str] = []
        self._remarks: List[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        os.makedirs(self._plan.directory, exist_ok=True)
        done: Set[str] = set()
        number = 1
        while self._run(session, number, done):
            # A job that has come to a stop has left tests out. They are run by another one.
            number += 1
        return True

    def _run(self, session: pytest.Session, number: int, done: Set[str]) -> bool:
        """Runs the tests but those that are `done`, and reports them. Returns whether some could not be run, and others were."""
        place = os.path.join(self._plan.directory, f"run-{number}")
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        if done:
            with open(os.path.join(place, DONE), "w", encoding="utf-8") as file:
                json.dump(sorted(done), file)
        report, trace = os.path.join(place, "report.json"), os.path.join(place, "trace")
        code = self._start(place, report, trace, len(done))
        outcomes = Outcomes(self._config)
        outcomes.read(place)
        session.testscollected = max(session.testscollected, len(done) + len(outcomes.collected))
        for refused in outcomes.not_collected.values():
            self._config.hook.pytest_collectreport(report=refused)
        self._warn(outcomes)
        found = findings.read(report, trace, self._plan.mpivet, outcomes.collected)
        by_test: Dict[str, List[Found]] = {}
        for finding, tests in found.findings:
            if not finding.counts(self._plan.fail_on):
                where = f" ({', '.join(tests)})" if tests else ""
                self._others.append(f"{finding.headline}{where}")
                continue
            for test in tests or [NO_TEST]:
                by_test.setdefault(test, []).append(finding)
        interrupted = code is None
        for test in outcomes.begun:
            if not interrupted or test in by_test or not outcomes.unfinished(test):
                self._report(test, outcomes, by_test.pop(test, []))
        rest = [finding for those in by_test.values() for finding in those]
        if rest:
            self._tell(NO_TEST, ("mpivet", None, "outside of the tests"), {}, rest)
        if code is None:
            raise KeyboardInterrupt
        self._look_at_end(session, place, code, found, outcomes)
        if outcomes.not_collected and not outcomes.begun:
            raise session.Interrupted(f"{len(outcomes.not_collected)} errors during collection")
        done.update(outcomes.begun)
        left = [test for test in outcomes.collected if test not in done]
        return bool(left and outcomes.begun) and not outcomes.is_over()

    def _start(self, place: str, report: str, trace: str, done: int) -> Optional[int]:
        """Runs mpivet, when so many tests are done; its exit code, None if the user has interrupted it."""
        command, environment, directory = self._plan.command(place, report, trace)
        shown = self._config.option.capture == "no"
        with open(os.path.join(place, "output.txt"), "wb") as output:
            out = None if shown else output
            process = subprocess.Popen(command, env=environment, cwd=directory, stdout=out, stderr=out)
            try:
                code = self._wait(process, place, done)
                return None if code in INTERRUPTED else code
            except KeyboardInterrupt:
                # It has got the signal, too, and ends the job.
                process.send_signal(signal.SIGINT)
                process.wait()
                return None

    def _wait(self, process: subprocess.Popen[bytes], place: str, done: int) -> int:
        """Waits for mpivet, and shows on a terminal how far the tests are; its exit code."""
        reporter: Optional[TerminalReporter] = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or not reporter.isatty or self._config.option.capture == "no":
            return process.wait()
        reporter.ensure_newline()
        while True:
            try:
                code = process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                reporter.rewrite(f"mpivet: test {done + begun_so_far(place)}", erase=True)
            else:
                reporter.rewrite("", erase=True)
                return code

    def _warn(self, outcomes: Outcomes) -> None:
        """Passes warnings of Python on, each once."""
        for module, name, text, file, line, when, test in outcomes.warnings:
            kind = getattr(sys.modules.get(module), name, UserWarning)
            if not (isinstance(kind, type) and issubclass(kind, Warning)):
                kind = UserWarning
            message = warnings.WarningMessage(text, kind, file, line)
            arguments = {"warning_message": message, "when": when, "nodeid": test, "location": None}
            self._config.hook.pytest_warning_recorded.call_historic(kwargs=arguments)

    def _report(self, test: str, outcomes: Outcomes, found: List[Found]) -> None:
        """Reports a test: as pytest says, and as failed if there are findings."""
        reports = outcomes.reports(test)
        location = outcomes.locations[test]
        unfinished = outcomes.unfinished(test)
        if unfinished and not found:
            text = f"ranks {','.join(map(str, unfinished))} ended, or were ended, in this test"
            self._tell(test, location, reports, [], text)
        else:
            self._tell(test, location, reports, found)

    def _tell(
        self,
        test: str,
        location: Tuple[str, Optional[int], str],
        reports: Dict[str, pytest.TestReport],
        found: List[Found],
        text: Optional[str] = None,
    ) -> None:
        hook = self._config.hook
        if text is not None or found:
            failed = reports.get("call") or pytest.TestReport(test, location, {}, "failed", None, "call")
            if hasattr(failed, "wasxfail"):
                # The test is known to fail.
                failed.outcome = "skipped"
            elif failed.outcome == "failed" and failed.longrepr:
                failed.sections += [("mpivet", str(finding)) for finding in found]
            else:
                failed.outcome = "failed"
                failed.longrepr = text if text is not None else found[0]
                failed.sections += [("mpivet", str(finding)) for finding in found[1:]]
            reports["call"] = failed
        hook.pytest_runtest_logstart(nodeid=test, location=location)
        for phase in PHASES:
            if phase in reports:
                hook.pytest_runtest_logreport(report=reports[phase])
                self._failed = self._failed or reports[phase].failed
        hook.pytest_runtest_logfinish(nodeid=test, location=location)

    def _look_at_end(
        self, session: pytest.Session, place: str, code: int, found: findings.Report, outcomes: Outcomes
    ) -> None:
        """Whatever went wrong beside tests and findings makes the session fail, too."""
        if found.failure is not None and "called MPI_Init" in found.failure and outcomes.is_over():
            self._remarks.append("no test has used MPI")
            return
        why: List[str] = list(outcomes.troubles)
        if found.failure is not None:
            why.append(found.failure)
        elif code == 2 or (code == 3 and not session.testsfailed):
            why.append(f"mpivet has ended with {code}")
        elif not outcomes.codes:
            why.append("pytest was not started on any rank")
        elif not session.testsfailed and (not outcomes.is_over() or any(outcomes.codes.values())):
            # Without a test and without a finding.
            codes = {rank: end for rank, end in outcomes.codes.items() if end != pytest.ExitCode.OK}
            if set(codes.values()) == {int(pytest.ExitCode.NO_TESTS_COLLECTED)}:
                return
            why += [f"pytest on rank {rank} ended with {end}" if end else f"rank {rank} is gone" for rank, end in codes.items()]
        if why:
            output = _last_lines(os.path.join(place, "output.txt"))
            self._tell(NO_TEST, ("mpivet", None, "the run as a whole"), {}, [], "\n".join([*why, *output]))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._failed and not self._others and not self._plan.kept:
            shutil.rmtree(self._plan.directory, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if self._others:
            terminalreporter.section("mpivet: findings that make no test fail", "=")
            for headline in self._others:
                terminalreporter.line(headline)
        for remark in self._remarks:
            terminalreporter.line(f"mpivet: {remark}")
        if os.path.isdir(self._plan.directory):
            terminalreporter.line(f"mpivet: traces, reports and output are in {os.path.relpath(self._plan.directory)}")


def _last_lines(path: str, lines: int = 40) -> List[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in file][-lines:]
    except OSError as error:
        return [str(error)]
