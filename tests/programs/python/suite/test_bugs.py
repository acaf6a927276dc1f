"""Tests with mistakes, of two ranks."""

import array

from mpi4py import MPI

comm = MPI.COMM_WORLD


def test_type():
    if comm.rank == 0:
        comm.Send([array.array("i", [1, 2]), MPI.INT], 1)  # mark: type
    else:
        comm.Recv([array.array("f", [0, 0]), MPI.FLOAT], 0)


def test_deadlock():
    comm.Recv(array.array("i", [1]), comm.rank ^ 1)  # mark: deadlock


def test_after_the_deadlock():
    comm.Barrier()


def test_assertion():
    assert comm.rank != 1


def test_leak():
    comm.Dup()
