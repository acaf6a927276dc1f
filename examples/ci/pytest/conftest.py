"""The fixture `mpivet`: runs an MPI command under mpivet. Copy this file into your tests (or its fixture into your
conftest.py). mpivet must be in PATH, or the environment variable MPIVET says where it is.

    def test_ring(mpivet):
        run = mpivet("mpirun", "-n", "4", "./ring")          # fails on errors
        assert "done" in run.stdout
"""

import json
import os
import pathlib
import subprocess

import pytest


class Run:
    """A job that was run: its output, and the findings."""

    def __init__(self, done, report):
        self.code = done.returncode
        self.stdout = done.stdout
        self.text = done.stderr
        self.report = report

    @property
    def findings(self):
        return self.report["findings"] if self.report else []

    @property
    def checks(self):
        """The names of the checks that found something."""
        return sorted({finding["check"] for finding in self.findings})


@pytest.fixture
def mpivet(tmp_path):
    """mpivet(*command, fail_on="error", options=(), cwd=None, timeout=300): `command` is the launcher with its arguments, and
    `options` are further ones of mpivet run. The test fails if there are findings from the severity `fail_on` on
    ("error", "warning", "note", "never"), or if the job fails."""
    runs = []

    def run(*command, fail_on="error", options=(), cwd=None, timeout=300):
        place = pathlib.Path(tmp_path, f"mpivet-{len(runs)}")
        place.mkdir()
        runs.append(place)
        report = place / "report.json"
        mpivet = [os.environ.get("MPIVET", "mpivet"), "run", "--dir", str(place / "trace")]
        mpivet += ["--report", str(report), "--report", str(place / "report.xml"), "--fail-on", fail_on, *options]
        done = subprocess.run(
            [*mpivet, "--", *map(str, command)], cwd=cwd, timeout=timeout, capture_output=True, text=True
        )
        found = json.loads(report.read_text()) if report.is_file() and report.stat().st_size else None
        if done.returncode != 0:
            pytest.fail(f"mpivet: exit code {done.returncode}\n{done.stdout}\n{done.stderr}", pytrace=False)
        return Run(done, found)

    return run
