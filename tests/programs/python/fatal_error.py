# Sends to a rank that is not there, under the error handler that ends the program.
from mpi4py import MPI


def tell(comm):
    comm.Set_errhandler(MPI.ERRORS_ARE_FATAL)
    comm.Send(bytearray(4), dest=comm.size)  # mark: send


tell(MPI.COMM_WORLD)
