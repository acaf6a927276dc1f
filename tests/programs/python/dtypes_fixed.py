"""Datatypes that are those of the arrays, or of which nothing can be said."""

from array import array
from functools import partial

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank
COUNT = 24


def exchange(sent, received):
    comm.Sendrecv(sent, dest=other, recvbuf=received, source=other)


def of_fitting_types():
    pairs = [
        (numpy.float64, MPI.DOUBLE),
        (numpy.float64, MPI.REAL8),
        (numpy.float64, MPI.DOUBLE_PRECISION),
        (numpy.float32, MPI.REAL),
        (numpy.int32, MPI.INTEGER),
        (numpy.int32, MPI.INT32_T),
        (numpy.uint32, MPI.INT),
        (numpy.int64, MPI.LONG),
        (numpy.int64, MPI.INT64_T),
        (numpy.longlong, MPI.LONG_LONG),
        (numpy.int16, MPI.SHORT),
        (numpy.bool_, MPI.C_BOOL),
        (numpy.complex128, MPI.DOUBLE_COMPLEX),
        (numpy.complex128, MPI.C_DOUBLE_COMPLEX),
        (numpy.complex64, MPI.C_FLOAT_COMPLEX),
        (numpy.complex128, MPI.DOUBLE),
        (numpy.longdouble, MPI.LONG_DOUBLE),
    ]
    # Arrays of many types at one place.
    for dtype, datatype in pairs:
        sent, received = numpy.ones(COUNT, dtype), numpy.zeros(COUNT, dtype)
        comm.Sendrecv([sent, datatype], dest=other, recvbuf=[received, datatype], source=other)
        exchange([sent, datatype], [received, datatype])


def found_by_mpi4py():
    for dtype in "?hHiIlLqQfdFD":
        exchange(numpy.ones(COUNT, dtype), numpy.zeros(COUNT, dtype))
    comm.Sendrecv(numpy.ones(COUNT), dest=other, recvbuf=numpy.zeros(COUNT), source=other)
    comm.Bcast(array("d", range(COUNT)))


def views():
    reals = numpy.ones(COUNT)
    comm.Bcast([reals.view(numpy.int32), MPI.INT])
    integers = reals.view(numpy.int64)
    comm.Bcast([integers, MPI.INT64_T])
    comm.Bcast([reals, MPI.DOUBLE])
    as_shorts = reals.view
    short = as_shorts(numpy.int16)
    exchange([short, MPI.SHORT], [numpy.zeros(4 * COUNT, numpy.int16), MPI.SHORT])
    comm.Bcast([memoryview(reals).cast("B").cast("i"), MPI.INT])
    broadcast = partial(comm.Bcast, [integers, MPI.LONG])
    broadcast()
    list(map(comm.Bcast, [[short, MPI.SHORT], [reals, MPI.DOUBLE], [integers, MPI.LONG]]))
    comm.Bcast(*[[integers, MPI.LONG]], **{"root": 0})
    # The datum begins elsewhere.
    comm.Bcast([reals[10:].view(numpy.int32), MPI.INT])


def anything():
    text = numpy.frombuffer(bytearray(b"x" * 8 * COUNT), numpy.uint8)
    exchange([numpy.ones(COUNT), MPI.BYTE], [numpy.zeros(COUNT), MPI.BYTE])
    comm.Bcast([text, MPI.DOUBLE])
    comm.Bcast([bytearray(8 * COUNT), MPI.INT])
    comm.Bcast([numpy.zeros(COUNT, "f8,i4"), MPI.BYTE])
    comm.Bcast([numpy.zeros(COUNT, "M8[s]"), MPI.INT64_T])
    comm.Bcast([numpy.zeros(COUNT, "S4"), MPI.INT])
    comm.Bcast([numpy.zeros(COUNT, numpy.float16), MPI.SHORT])
    comm.Bcast([numpy.zeros(COUNT, ">f8"), MPI.INT64_T])
    # Counted in bytes.
    reals = numpy.ones(COUNT)
    comm.Bcast([reals, reals.nbytes // 4, MPI.INT])
    comm.Bcast([reals, 2 * COUNT, MPI.INT])
    for datatype in (MPI.INT64_T,):
        comm.Bcast([reals, datatype])
    packed = numpy.zeros(1024, "B")
    MPI.DOUBLE.Pack(reals, packed, 0, comm)
    comm.Bcast([packed, MPI.PACKED])


def of_memory_that_is_used_again():
    # One place, often one address.
    for dtype, datatype in [(numpy.float64, MPI.DOUBLE), (numpy.int64, MPI.LONG), (numpy.float64, MPI.DOUBLE)]:
        values = numpy.ones(COUNT, dtype)
        comm.Bcast([values, datatype])
        del values


def columns():
    matrix = numpy.zeros((COUNT, COUNT))
    column = MPI.DOUBLE.Create_vector(COUNT, 1, COUNT).Commit()
    comm.Bcast([matrix, 1, column])
    column.Free()


def objects():
    values = numpy.ones(COUNT)
    assert comm.sendrecv(values, dest=other, source=other).sum() == COUNT
    assert comm.bcast(values).sum() == COUNT


of_fitting_types()
found_by_mpi4py()
views()
anything()
of_memory_that_is_used_again()
columns()
objects()
