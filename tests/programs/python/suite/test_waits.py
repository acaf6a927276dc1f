"""A test that the user does not wait for."""

import time

from mpi4py import MPI


def test_quick():
    MPI.COMM_WORLD.Barrier()


def test_long():
    MPI.COMM_WORLD.Barrier()
    time.sleep(100)
