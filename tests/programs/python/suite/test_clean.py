"""Tests without a mistake, but for one that is known."""

import array
import warnings

import pytest
from mpi4py import MPI

comm = MPI.COMM_WORLD


@pytest.mark.parametrize("count", [1, 100])
def test_ring(count):
    warnings.warn(f"{count} elements")
    data, got = array.array("i", [comm.rank] * count), array.array("i", [-1] * count)
    request = comm.Isend(data, (comm.rank + 1) % comm.size)
    comm.Recv(got, (comm.rank - 1) % comm.size)
    request.Wait()
    assert list(got) == [(comm.rank - 1) % comm.size] * count


@pytest.mark.skip(reason="nothing to do")
def test_skipped():
    comm.Barrier()


@pytest.mark.xfail(reason="float is not int")
def test_known():
    other = (comm.rank + 1) % comm.size
    comm.Sendrecv([bytearray(4), MPI.INT], other, recvbuf=[bytearray(4), MPI.FLOAT])
