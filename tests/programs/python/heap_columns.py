"""Rank 0 sends columns of a matrix of NumPy; with an argument, one more than there are behind the first. 2 ranks."""

import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rows, columns = 40, 50
column = MPI.DOUBLE.Create_vector(rows, 1, columns).Create_resized(0, MPI.DOUBLE.Get_size()).Commit()
wanted = columns if len(sys.argv) == 1 else columns + 1
if comm.rank == 0:
    matrix = numpy.zeros((rows, columns))
    comm.Send([matrix, wanted, column], dest=1)  # mark: send
else:
    comm.Recv([numpy.empty((columns + 1) * rows), wanted * rows, MPI.DOUBLE], source=0)
column.Free()
