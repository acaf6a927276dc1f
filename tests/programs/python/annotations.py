# Words of a program to mpivet, by the package `mpivet`. With the argument `watched` it must be under mpivet, else not.
import array
import sys
import warnings

import mpivet

with mpivet.region("too early"):
    mpivet.watch(bytearray(4), "too early")

from mpi4py import MPI

comm = MPI.COMM_WORLD
data = array.array("d", [1.0, -2.5, 3.0])


def not_watched(what):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mpivet.watch(what, "none")
    assert len(said) == (1 if mpivet.active() else 0), said


@mpivet.region("whole")
def work():
    mpivet.dump(data, "data")
    mpivet.dump(array.array("i", [4, 5]), "numbers", MPI.INT)
    not_watched(memoryview(bytes(8))[::2])
    not_watched(3)
    mpivet.watch(data, name="data")
    with mpivet.region("inner"):
        comm.Barrier()
        data[1] = 7
        comm.Barrier()  # mark: changed
    mpivet.unwatch("data")
    data.append(4.0)
    with mpivet.watch(data, "again"):
        comm.Barrier()
    data[0] = 0
    comm.Barrier()


assert mpivet.active() == (sys.argv[1:] == ["watched"])
work()
rank = comm.rank
MPI.Finalize()
with mpivet.region("too late"):
    pass
if rank == 0:
    print("done")
