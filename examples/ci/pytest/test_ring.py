"""Tests of programs under mpivet. RING_LAUNCHER and RING_PROGRAMS say how jobs are started and where programs are."""

import os
import pathlib
import shlex

LAUNCHER = shlex.split(os.environ.get("RING_LAUNCHER", "mpirun -n 3"))
PROGRAMS = pathlib.Path(os.environ.get("RING_PROGRAMS", "build"))
ACCEPTED = pathlib.Path(__file__).parents[1] / "cmake" / "accepted.toml"


def test_ring(mpivet):
    run = mpivet(*LAUNCHER, PROGRAMS / "ring", fail_on="note")
    assert run.findings == []


def test_ring_unfinished(mpivet):
    """It has a mistake, and so this test fails."""
    mpivet(*LAUNCHER, PROGRAMS / "ring-unfinished")


def test_ring_that_is_looked_into(mpivet):
    run = mpivet(*LAUNCHER, PROGRAMS / "ring-unfinished", fail_on="never")
    assert run.checks == ["unfinished-send"]
    assert run.findings[0]["sites"][0]["line"] == 9


def test_ring_that_is_accepted(mpivet):
    run = mpivet(*LAUNCHER, PROGRAMS / "ring-unfinished", options=["--suppressions", str(ACCEPTED)])
    assert run.findings == []
    assert run.report["suppressed"][0]["reason"].startswith("an example")
