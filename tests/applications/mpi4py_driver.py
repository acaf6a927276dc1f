"""Runs mpi4py's own tests with and without mpivet and holds the two against each other, module by module.

Every test must end alike, and mpivet must find no error but those in TRUE. Exits with 1 if that is not so.
"""
import argparse
import collections
import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Mistakes of the tests themselves: (module, check, function that makes the call): why.
TRUE = {
    ("test_comm_topo", "neighbour-mismatch", "BaseTestTopo.testDistgraphcommAdjacent"):
        "makes graphs with sources alone and with destinations alone",
    ("test_io", "file-conflict", "BaseTestIOBasic.testReadWrite"):
        "a rank writes what another one has read before a barrier, with no MPI_File_sync of both between",
    ("test_io", "file-conflict", "BaseTestIOBasic.testIReadIWrite"): "the same",
    ("test_rma", "rma-conflict", "BaseTestRMA.testPutGet"): "all ranks put to one place in one epoch",
    ("test_msgspec", "wrong-data-type", "TestMessageDLPackCPUBuf.testDtypeLanes"):
        "sends unsigned chars, receives unsigned ints",
    ("test_ulfm", "collective-mismatch", "BaseTestULFM.testIAgree"):
        "where the library has no agreement, it is an MPI_Iallreduce, which one rank calls before a barrier, the other after",
}
# Tests that do not end, or fail, without mpivet: (MPI, ranks from which on, module).
BROKEN = [
    ("mpich", 1, "test_spawn"),
    ("mpich", 1, "test_dynproc"),
    ("mpich", 2, "test_util_sync"),
]
LIBRARY = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}
LIMIT = 300


def environment(mpi):
    links = ROOT / "target/python/mpi" / mpi
    return os.environ | {
        "MPI4PY_LIBMPI": str(links / LIBRARY[mpi]),
        "LD_LIBRARY_PATH": str(links),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }


def run(command, mpi, directory):
    """Seconds, and the exit code or None if the time was over."""
    directory.mkdir(parents=True)
    start = time.monotonic()
    with open(directory / "output", "wb") as output:
        process = subprocess.Popen(
            command, env=environment(mpi), cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            code = None
    return time.monotonic() - start, code


def outcomes(directory, ranks):
    """How often each test of each rank ended in each way."""
    count = collections.Counter()
    for rank in range(ranks):
        file = directory / f"results.{rank}"
        lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else ["no results"]
        count.update((rank, line) for line in lines if line)
    return count


def errors(directory, module):
    """Findings of severity error that are no mistakes of the tests, and how many are."""
    report = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    wrong, true = [], 0
    for finding in report["findings"]:
        if finding["severity"] == "error":
            functions = {frame["function"] for site in finding["sites"] for frame in site["stack"]}
            if any((module, finding["check"], function) in TRUE for function in functions):
                true += 1
            else:
                wrong.append(finding)
    return wrong, true


def main():
    parser = argparse.ArgumentParser(prog="scripts/test-mpi4py", description=__doc__)
    parser.add_argument("--mpi", action="append", choices=sorted(LIBRARY), help="default: those that are installed")
    parser.add_argument("--ranks", type=int, action="append", help="default: 1 and 2")
    parser.add_argument("modules", nargs="*", help="default: all")
    options = parser.parse_args()
    mpivet = os.environ.get("MPIVET", str(ROOT / "target/release/mpivet"))
    tests = ROOT / f"target/python/mpi4py-{importlib.metadata.version('mpi4py')}/test"
    modules = options.modules or sorted(file.stem for file in tests.glob("test_*.py"))
    mpis = options.mpi or [m for m in LIBRARY if shutil.which(f"mpiexec.{m}")]
    bad = 0
    for mpi in mpis:
        for ranks in options.ranks or [1, 2]:
            sum_plain = sum_vetted = 0.0
            tests_run = 0
            for module in modules:
                if any(mpi == m and ranks >= n and module == b for m, n, b in BROKEN):
                    continue
                top = ROOT / "target/python/runs" / f"{mpi}-{ranks}" / module
                shutil.rmtree(top, ignore_errors=True)
                job = [f"mpiexec.{mpi}", "-n", str(ranks), sys.executable]
                job += [str(ROOT / "tests/applications/mpi4py_suite.py"), str(tests), "results", module]
                plain, code = run(job, mpi, top / "plain")
                vet = [mpivet, "run", "--format", "json", "--report", "report.json", "--dir", "trace", "--"]
                vetted, vetted_code = run(vet + job, mpi, top / "vetted")
                sum_plain, sum_vetted = sum_plain + plain, sum_vetted + vetted
                expected, got = outcomes(top / "plain", ranks), outcomes(top / "vetted", ranks)
                tests_run += sum(expected.values())
                complaints = []
                if code is None or vetted_code is None:
                    complaints.append(f"not finished after {LIMIT} s: exit codes {code} and {vetted_code}")
                for rank, line in sorted((expected - got) | (got - expected)):
                    complaints.append(f"rank {rank} {'without' if (rank, line) in expected else 'with'} mpivet: {line}")
                if (top / "vetted/report.json").exists():
                    wrong, true = errors(top / "vetted", module)
                    complaints += [f"error {f['check']}: {f['message'].splitlines()[0]}" for f in wrong]
                else:
                    complaints.append("no report")
                    true = 0
                note = f" true findings {true}" if true else ""
                print(f"{mpi} n={ranks} {module}: {plain:.1f} s, with mpivet {vetted:.1f} s{note}", flush=True)
                for complaint in complaints[:10]:
                    print(f"    {complaint}", flush=True)
                bad += len(complaints)
                if not complaints:
                    shutil.rmtree(top / "vetted/trace", ignore_errors=True)
            print(f"{mpi} n={ranks} in all: {tests_run} results, {sum_plain:.1f} s, with mpivet {sum_vetted:.1f} s")
    sys.exit(1 if bad else 0)


main()
