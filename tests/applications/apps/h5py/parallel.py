"""All ranks write one HDF5 file, and read what the others wrote."""

import numpy
from mpi4py import MPI
import h5py._debian_h5py_mpi as h5py

comm = MPI.COMM_WORLD
with h5py.File("parallel.h5", "w", driver="mpio", comm=comm) as file:
    table = file.create_dataset("table", (comm.size, 1000), dtype="f8")
    table[comm.rank] = numpy.full(1000, comm.rank)
with h5py.File("parallel.h5", "r", driver="mpio", comm=comm) as file:
    other = (comm.rank + 1) % comm.size
    assert (file["table"][other] == other).all()
if comm.rank == 0:
    print("all rows are there")
