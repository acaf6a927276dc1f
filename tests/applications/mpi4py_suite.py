"""Runs modules of mpi4py's own tests and writes what came of each test to RESULTS.RANK.

Usage: mpi4py_suite.py TESTS RESULTS MODULE...
"""
import sys
import unittest

tests, results, *modules = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, tests)

import main  # noqa: E402  (mpi4py's runner)

outcomes = []


class Result(unittest.TextTestResult):
    def note(self, test, outcome):
        outcomes.append(f"{test.id()} {outcome}")

    def addSuccess(self, test):
        self.note(test, "ok")
        super().addSuccess(test)

    def addError(self, test, err):
        self.note(test, "error")
        super().addError(test, err)

    def addFailure(self, test, err):
        self.note(test, "failure")
        super().addFailure(test, err)

    def addSkip(self, test, reason):
        self.note(test, "skipped")
        super().addSkip(test, reason)


class Runner(unittest.TextTestRunner):
    resultclass = Result


arguments = ["main.py", "--no-builddir", "--quiet"]
for module in modules:
    arguments += ["-i", rf"^{module}\.py$"]
try:
    main.TestProgram(module=None, argv=arguments, testRunner=Runner)
finally:
    from mpi4py import MPI

    with open(f"{results}.{MPI.COMM_WORLD.rank}", "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(outcomes)) + "\n")
