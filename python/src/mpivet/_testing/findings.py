"""Findings of a report, by the tests that they belong to."""

import json
import os
import re
import subprocess
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from _pytest._code.code import ReprFileLocation, TerminalRepr

from .marks import region_name
from .plan import SEVERITIES

# Where a call is in a trace: rank and thread.
_Thread = Tuple[int, int]
_MARK = re.compile(r'mpivet_region_(begin|end)\((".*")\)')


class Found(TerminalRepr):
    """A finding, as a failure of a test."""

    def __init__(self, finding: Dict[str, Any]) -> None:
        self.severity: str = finding["severity"]
        self.headline = f"{self.severity}[{finding['code']}] {finding['check']}: {finding['message']}"
        self.text = "\n".join([self.headline, *_places(finding)])
        places = [site for site in finding["sites"] if site["file"]]
        # Sources of the interpreter, say, are not on this machine.
        place = next((site for site in places if os.path.exists(site["file"])), places[0] if places else None)
        # As an exception has it, for the last lines of pytest and for JUnit.
        self.reprcrash = ReprFileLocation(
            _short(place["file"]) if place else "", place["line"] or 0 if place else 0, self.headline
        )

    def counts(self, fail_on: str) -> bool:
        """Does it make a test fail?"""
        return fail_on in SEVERITIES and SEVERITIES.index(self.severity) <= SEVERITIES.index(fail_on)

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        first, *rest = self.text.splitlines()
        tw.line(first, red=self.severity == "error", yellow=self.severity == "warning", bold=True)
        for line in rest:
            tw.line(line)


def _places(finding: Dict[str, Any]) -> Iterator[str]:
    last = None
    for site in finding["sites"]:
        if site["file"] and (site["file"], site["line"]) != last:
            last = (site["file"], site["line"])
            yield f"  --> {_short(site['file'])}:{site['line']}"
            if site["source"]:
                yield f"      {site['source'].strip()}"
        call = site["call"] or site["function"]
        role = f": {site['role']}" if site["role"] else ""
        yield f"    rank {site['rank']}{f' in {call}' if call else ''}{role}"
        stack = list(_own_frames(site))
        if stack:
            yield f"    stack: {' < '.join(stack)}"
    yield from (f"  = {note}" for note in finding["notes"])
    yield f"  = more: mpivet explain {finding['check']}"


def _own_frames(site: Dict[str, Any]) -> Iterator[str]:
    """The frames between MPI and pytest."""
    stack = site["stack"]
    starts = (at for at, frame in enumerate(stack) if (frame["file"], frame["line"]) == (site["file"], site["line"]))
    for frame in stack[next(starts, 0) :]:
        if not frame["function"] or "-packages/_pytest/" in (frame["file"] or ""):
            break
        yield f"{frame['function']} ({os.path.basename(frame['file'] or '')}:{frame['line'] or '?'})"


def _short(path: str) -> str:
    """A path below the working directory, as it is typed there."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


class Report(NamedTuple):
    """The report of `mpivet run`."""

    # Findings with the tests that they belong to: none, if that is not known.
    findings: List[Tuple[Found, List[str]]]
    # Why there is no report.
    failure: Optional[str]
    # The job was ended by mpivet, as it could never have gone on.
    stopped: bool
    # MPI jobs that were seen.
    jobs: int


def read(report: str, trace: str, mpivet: str, tests: Iterable[str]) -> Report:
    """Reads the report of a run; `tests` are the node ids of its tests."""
    try:
        with open(report, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError) as error:
        return Report([], f"mpivet has written no report: {error}", False, 0)
    if "failure" in data:
        return Report([], data["failure"], False, 0)
    owners = _Owners(data, trace, mpivet, tests)
    findings = [(Found(finding), owners.tests_of(finding)) for finding in data["findings"]]
    tasks = [job["task"] for job in data.get("jobs", [])] or [data["task"]]
    return Report(findings, None, any(task["stopped"] for task in tasks), len(tasks))


class _Owners:
    """Which test a finding belongs to: the region in which its call was made, or what the job says, or the call stack."""

    def __init__(self, data: Dict[str, Any], trace: str, mpivet: str, tests: Iterable[str]) -> None:
        self._by_region = {region_name(test): test for test in tests}
        self._tests = list(self._by_region.values())
        self._jobs = {job["job"]: job for job in data.get("jobs", [])}
        self._trace, self._mpivet = trace, mpivet
        self._regions: Dict[str, Dict[_Thread, List[Tuple[int, str]]]] = {}

    def tests_of(self, finding: Dict[str, Any]) -> List[str]:
        numbers = finding.get("jobs", [])
        first = self._jobs.get(numbers[0]) if numbers else None
        found: Set[str] = set()
        # Other callers come to the same lines, maybe from other tests.
        for sites in [finding["sites"], *(path["sites"] for path in finding.get("paths", []))]:
            found |= self._of_sites(sites, first)
        for number in numbers[1 if found else 0 :]:
            said = self._jobs.get(number, {}).get("test", "")
            found |= self._known(re.sub(r" \((setup|call|teardown)\)$", "", said))
        return sorted(found)

    def _of_sites(self, sites: List[Dict[str, Any]], job: Optional[Dict[str, Any]]) -> Set[str]:
        trace = os.path.join(self._trace, job["dir"]) if job else self._trace
        for site in sites:
            if "world" not in site and site["event"]:
                marks = self._of_trace(trace).get((site["rank"], site["thread"]), [])
                before = [name for event, name in marks if event <= site["event"]]
                if before and before[-1]:
                    return self._known(before[-1])
        for site in sites:
            for frame in site["stack"]:
                name = (frame["function"] or "").rpartition(".")[2]
                file = os.path.basename(frame["file"] or "")
                fitting = {
                    test
                    for test in self._tests
                    if file == os.path.basename(test.split("::")[0]) and name == test.split("::")[-1].split("[")[0]
                }
                if name and len(fitting) == 1:
                    return fitting
        return set()

    def _known(self, name: str) -> Set[str]:
        """The test with this name of a region. A job of mpi-pytest may see it from another directory."""
        if name in self._by_region:
            return {self._by_region[name]}
        return {test for test in self._tests if name and (name.endswith(f"/{test}") or test.endswith(f"/{name}"))}

    def _of_trace(self, trace: str) -> Dict[_Thread, List[Tuple[int, str]]]:
        """The events from which on a thread is in a region, with its name; an empty name: it has left that of a test."""
        if trace not in self._regions:
            self._regions[trace] = self._read_regions(trace)
        return self._regions[trace]

    def _read_regions(self, trace: str) -> Dict[_Thread, List[Tuple[int, str]]]:
        regions: Dict[_Thread, List[Tuple[int, str]]] = {}
        last: Dict[_Thread, int] = {}
        printed = subprocess.Popen(
            [self._mpivet, "print", "--format", "json", trace],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
        assert printed.stdout is not None
        with printed:
            for line in printed.stdout:
                # This package asks for MPI_Finalized before it marks anything. Few lines are worth a parser.
                if '"MPI_Finalized"' not in line and '"kind":"mark"' not in line:
                    continue
                record = json.loads(line)
                thread = (record["rank"], record["thread"])
                if record["kind"] == "call":
                    last[thread] = record.get("return_event") or record["event"]
                    continue
                mark = _MARK.match(record.get("text", ""))
                name = _unquoted(mark.group(2)) if mark else ""
                # Regions of the program itself lie within those of tests.
                if mark and self._known(name):
                    begins = mark.group(1) == "begin"
                    regions.setdefault(thread, []).append((last.get(thread, 0), name if begins else ""))
        return regions


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]
