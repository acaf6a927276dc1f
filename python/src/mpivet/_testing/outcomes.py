"""How tests ended on all ranks that ran them, as these wrote it down."""

from __future__ import annotations

import glob
import json
import os
from typing import Any, Dict, List, Optional, Set, Tuple

import pytest

from .worker import WRITTEN

# A line of a rank that begins a test begins with this.
_BEGINS = '{"begins": '

PHASES = ("setup", "call", "teardown")


def begun_so_far(directory: str) -> int:
    """The number of tests that some rank has begun, while they run."""
    most = 0
    for path in _written(directory):
        with open(path, encoding="utf-8", errors="replace") as file:
            most = max(most, sum(line.startswith(_BEGINS) for line in file))
    return most


def _written(directory: str) -> List[str]:
    return sorted(glob.glob(os.path.join(glob.escape(directory), f"{WRITTEN}*.jsonl")))


class Outcomes:
    """Everything that the ranks of one run have written."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        # Node ids, in the order of the tests.
        self.collected: List[str] = []
        self.locations: Dict[str, Any] = {}
        # By node id, phase and rank.
        self._reports: Dict[str, Dict[str, Dict[int, pytest.TestReport]]] = {}
        # Ranks that have begun a test, and those that have ended it.
        self._begun: Dict[str, Set[int]] = {}
        self._ended: Dict[str, Set[int]] = {}
        self.not_collected: Dict[str, pytest.CollectReport] = {}
        self.troubles: List[str] = []
        # Each once, in their order: module and name of its class, text, file, line, phase, test.
        self.warnings: Dict[Tuple[Any, ...], None] = {}
        # Exit codes of pytest, by rank; None: it did not come to its end.
        self.codes: Dict[int, Optional[int]] = {}

    def read(self, directory: str) -> None:
        for path in _written(directory):
            rank = 0
            with open(path, encoding="utf-8") as file:
                for line in file:
                    # The last line of a process that was killed may be a part of one.
                    if line.endswith("\n"):
                        record = json.loads(line)
                        if "rank" in record:
                            rank = record["rank"]
                            self.codes[rank] = None
                        self._take(record, rank)

    def _take(self, record: Dict[str, Any], rank: int) -> None:
        if "collected" in record:
            known = set(self.collected)
            self.collected += [test for test in record["collected"] if test not in known]
        elif "begins" in record:
            test = record["begins"]
            self.locations[test] = tuple(record["location"])
            self._begun.setdefault(test, set()).add(rank)
        elif "report" in record:
            report = self._config.hook.pytest_report_from_serializable(config=self._config, data=record["report"])
            # JSON knows no tuples, and this place, line and reason of a test that was skipped must be one.
            if report is not None and isinstance(report.longrepr, list):
                report.longrepr = tuple(report.longrepr)
            if isinstance(report, pytest.CollectReport):
                self.not_collected.setdefault(report.nodeid, report)
            elif report is not None:
                self._reports.setdefault(report.nodeid, {}).setdefault(report.when, {})[rank] = report
                if report.when == "teardown":
                    self._ended.setdefault(report.nodeid, set()).add(rank)
        elif "warning" in record:
            self.warnings.setdefault(tuple(record["warning"]))
        elif "trouble" in record:
            self.troubles.append(record["trouble"])
        elif "ends" in record:
            self.codes[rank] = record["ends"]

    @property
    def begun(self) -> List[str]:
        """The tests that some rank has begun, in their order."""
        return list(self._begun)

    def unfinished(self, test: str) -> List[int]:
        """The ranks that have begun a test and not ended it."""
        return sorted(self._begun.get(test, set()) - self._ended.get(test, set()))

    def is_over(self) -> bool:
        """Has pytest come to its end on all ranks?"""
        return bool(self.codes) and all(code is not None for code in self.codes.values())

    def reports(self, test: str) -> Dict[str, pytest.TestReport]:
        """A report for each phase that some rank has come through: that of a rank on which it failed, if there is one."""
        merged = {}
        for phase in PHASES:
            by_rank = self._reports.get(test, {}).get(phase, {})
            if by_rank:
                merged[phase] = _worst(by_rank)
        return merged


def _worst(by_rank: Dict[int, pytest.TestReport]) -> pytest.TestReport:
    order = {"failed": 0, "passed": 1, "skipped": 2}
    rank, worst = min(sorted(by_rank.items()), key=lambda entry: order[entry[1].outcome])
    if worst.outcome == "failed" and len(by_rank) > 1:
        failed = [str(rank) for rank, report in sorted(by_rank.items()) if report.outcome == "failed"]
        text = f"failed on ranks {','.join(failed)} of {len(by_rank)}; this is rank {rank}"
        worst.sections.append(("ranks", text))
    worst.duration = max(report.duration for report in by_rank.values())
    return worst
