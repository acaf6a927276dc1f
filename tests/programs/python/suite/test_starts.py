"""Tests that start MPI jobs by themselves: LAUNCHER is that of MPI."""

import os
import pathlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("script", ["halo_fixed.py", "halo_bug.py"])
def test_job(script):
    path = pathlib.Path(os.environ["PROGRAMS"], script)
    subprocess.run([os.environ["LAUNCHER"], "-n", "2", sys.executable, str(path)], stdout=subprocess.DEVNULL)
