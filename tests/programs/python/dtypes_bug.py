"""Datatypes that are not those of the arrays."""

from array import array

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank
COUNT = 24

reals = numpy.ones(COUNT)


class Halo:
    def __init__(self):
        self.border = numpy.ones(COUNT, numpy.float32)

    def exchange(self):
        if rank == 0:
            comm.Send([self.border, MPI.DOUBLE], dest=1, tag=1)  # mistake: is an array of dtype float32 (4 bytes)
        else:
            comm.Recv([numpy.zeros(COUNT // 2), MPI.DOUBLE], source=0, tag=1)


def integers():
    counts = numpy.ones(COUNT, numpy.int64)
    if rank == 0:
        comm.Send([counts, COUNT, MPI.INT], dest=1, tag=2)  # mistake: is counts, an array of dtype int64 (8 bytes)
    else:
        comm.Recv([numpy.zeros(COUNT, numpy.int32), MPI.INT], source=0, tag=2)


def of_closure():
    values = numpy.ones(COUNT, numpy.complex128)

    def broadcast():
        comm.Bcast([values, MPI.FLOAT], root=0)  # mistake: is values, an array of dtype complex128 (16 bytes)

    broadcast()


def of_module_array():
    values = array("d", range(COUNT))
    if rank == 0:
        comm.Ssend(buf=(values, MPI.LONG_LONG), dest=1)  # mistake: is values, an array of typecode d (8 bytes)
    else:
        comm.Recv([array("q", range(COUNT)), MPI.LONG_LONG], source=0)


def derived():
    pair = MPI.INT.Create_contiguous(2).Commit()
    values = numpy.ones((COUNT, 2), numpy.float32)
    requests = [comm.Isend([values, COUNT, pair], dest=other, tag=3)]  # mistake: is made of MPI_INT (4 bytes), but buf is values
    requests.append(comm.Irecv([numpy.zeros((COUNT, 2), numpy.int32), pair], source=other, tag=3))
    MPI.Request.Waitall(requests)
    pair.Free()


total = numpy.zeros(2 * COUNT, numpy.int32)
if rank == 0:
    comm.Send([reals, MPI.INT], dest=1)  # mistake: is MPI_INT (4 bytes), but buf is reals, an array of dtype float64
else:
    comm.Recv([total, MPI.INT], source=0)
Halo().exchange()
integers()
of_closure()
of_module_array()
derived()
comm.Allreduce(numpy.ones(COUNT, numpy.int32), [reals, COUNT, MPI.INT], op=MPI.SUM)  # mistake: but recvbuf is reals, an array of dtype float64
