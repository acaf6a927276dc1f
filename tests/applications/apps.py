"""Runs the applications of `apps/`, plain and under mpivet, and prints a table of what it costs and what it finds.

A folder is an application: `app.toml` says which packages it needs, which MPI and how many ranks, how its input is made
(`prepare`, `files`), what each rank runs (`command`), and which findings are known, with the verdict on each
(`[verdicts]`). `scripts/test-apps` is the way in.
"""

import argparse
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
MPIVET = os.environ.get("MPIVET", "")
LIMIT_SECONDS = 600
# Open MPI refuses to run as root and with more ranks than processors; MUNGE is not asked for credentials.
SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PMIX_MCA_psec": "native",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "LC_ALL": "C",
}
UNJUDGED = "**not judged yet**"
RECORDING_ALONE = {"MPIVET_CHECKS": "-*", "MPIVET_CHECKSUMS": "off", "MPIVET_QUEUES": "off"}


@dataclass
class App:
    name: str
    title: str
    packages: list[str]
    mpi: str
    ranks: int
    command: str
    prepare: str = ""
    files: tuple[str, ...] = ()
    # Findings that somebody has looked into, by check: whether they are true, and why.
    verdicts: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def read(folder: Path) -> "App":
        return App(name=folder.name, **tomllib.loads((folder / "app.toml").read_text()))

    def job(self) -> list[str]:
        return [f"mpiexec.{self.mpi}", "-n", str(self.ranks), *shlex.split(self.command)]

    def make_ready(self, place: Path) -> None:
        place.mkdir(parents=True)
        for file in self.files:
            shutil.copy(HERE / "apps" / self.name / file, place)
        if self.prepare:
            subprocess.run(["bash", "-ec", self.prepare], cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@dataclass
class Run:
    """How a run of a program ended: its exit status, and the processor time of all its processes in seconds."""

    status: int
    seconds: float
    place: Path


def execute(command: list[str], place: Path, more: dict[str, str], out: str = "stdout") -> Run:
    """Runs a command in `place`, with its output in files there; its process group is ended after `LIMIT_SECONDS`."""
    before = processor_time()
    environment = {**os.environ, **SETTINGS, **more}
    with open(place / out, "wb") as stdout, open(place / f"{out}.err", "wb") as stderr:
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
        try:
            status = process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = -signal.SIGKILL
    return Run(status, processor_time() - before, place)


def processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_once(app: App, work: Path, way: str, more: dict[str, str]) -> Run:
    place = work / app.name / way
    shutil.rmtree(place, ignore_errors=True)
    app.make_ready(place)
    return execute(app.job(), place, {name: value.format(place=place) for name, value in more.items()})


def ways() -> dict[str, dict[str, str]]:
    """The variables that are put into the environment of the job for each way to run it."""
    library = str(Path(MPIVET).resolve().parent / "libmpivet.so")
    recorded = {"LD_PRELOAD": library, "MPIVET_DIR": "{place}/trace"}
    return {"plain": {}, "recording": {**recorded, **RECORDING_ALONE}, "default": recorded}


def measure(app: App, work: Path, rounds: int) -> dict[str, Run]:
    """The cheapest run of each way, of so many rounds in turns."""
    best: dict[str, Run] = {}
    for _ in range(rounds):
        for way, more in ways().items():
            run = run_once(app, work, way, more)
            if way not in best or run.seconds < best[way].seconds:
                best[way] = run
    return best


def findings(default: Run) -> dict:
    """The report of the run with all default checks."""
    execute([MPIVET, "analyze", "trace", "--report", "report.json", "--report", "report.txt"], default.place, {}, "analysis")
    try:
        return json.loads((default.place / "report.json").read_text())
    except (OSError, ValueError) as error:
        said = (default.place / "analysis.err").read_text(errors="replace")
        return {"findings": [], "failed": f"{error} {said}".strip()}


def cell(report: dict) -> str:
    """The findings as words: `2 leak-datatype (W)`."""
    if "failed" in report:
        return f"no report: {report['failed'][:200]}"
    count: dict[tuple[str, str], int] = {}
    for finding in report["findings"]:
        key = (finding["check"], finding["severity"][0].upper())
        count[key] = count.get(key, 0) + 1
    return ", ".join(f"{number} {check} ({severity})" for (check, severity), number in count.items()) or "none"


def row(app: App, best: dict[str, Run], report: dict) -> str:
    plain = best["plain"]
    seconds = [f"{best[way].seconds:.2f}" for way in ("plain", "recording", "default")]
    calls = sum(rank["calls"] for rank in report.get("task", {}).get("ended", []))
    end = "" if all(run.status == plain.status for run in best.values()) else " **ends otherwise**"
    columns = [app.title, app.mpi, app.ranks, calls, *seconds]
    return "| " + " | ".join(map(str, [*columns, cell(report) + end])) + " |"


def judged(app: App, report: dict) -> list[str]:
    """A line for each check that found something: the verdict, or that nobody has looked into it."""
    checks = dict.fromkeys(finding["check"] for finding in report["findings"])
    return [f"- {app.title}: {check}: {app.verdicts.get(check, UNJUDGED)}" for check in checks]


def install(apps: list[App]) -> None:
    wanted = sorted({package for app in apps for package in app.packages})
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def chosen(names: list[str]) -> list[App]:
    apps = [App.read(folder) for folder in sorted((HERE / "apps").iterdir())]
    unknown = set(names) - {app.name for app in apps}
    if unknown:
        sys.exit(f"test-apps: no application is called {', '.join(sorted(unknown))}; there are {', '.join(a.name for a in apps)}")
    return [app for app in apps if not names or app.name in names]


def tell(document: Path | None, lines: list[str]) -> None:
    """Puts the table and the verdicts between the marks of a document, instead of what stood there."""
    if document:
        before, begin, rest = document.read_text().partition("<!-- by scripts/test-apps -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        if not begin or not end:
            sys.exit(f"test-apps: {document} has no marks between which the table stands")
        document.write_text(before + begin + "\n" + "\n".join(lines) + "\n\n" + end + after)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/test-apps")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--document", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    apps = chosen(options.names)
    if options.install:
        install(apps)
    work = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="mpivet-apps-"))
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    say("| application | MPI | ranks | calls | CPU s plain | recording alone | default checks | findings |")
    say("|---|---|---|---|---|---|---|---|")
    failed = False
    verdicts: list[str] = []
    for app in apps:
        try:
            best = measure(app, work, options.rounds)
        except subprocess.CalledProcessError as error:
            say(f"| {app.title} | not run: its input cannot be made ({error}); --install installs its packages |")
            failed = True
            continue
        report = findings(best["default"])
        failed |= "failed" in report or len({run.status for run in best.values()}) > 1
        verdicts += judged(app, report)
        say(row(app, best, report))
    say("")
    for verdict in verdicts:
        say(verdict)
    tell(options.document, lines)
    if not options.keep:
        shutil.rmtree(work)
    return int(failed or any(line.endswith(UNJUDGED) for line in verdicts))


if __name__ == "__main__":
    sys.exit(main())
