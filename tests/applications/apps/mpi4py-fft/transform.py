"""Transforms a distributed array and back, in three shapes."""

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

for shape in ((16, 16, 16), (32, 20, 12), (64, 64)):
    plan = PFFT(MPI.COMM_WORLD, shape, dtype=numpy.float64)
    before = newDistArray(plan, False)
    before[:] = numpy.random.random(before.shape)
    for _ in range(20):
        transformed = plan.forward(before)
        after = plan.backward(transformed)
    assert numpy.allclose(before, after)
    plan.destroy()
if MPI.COMM_WORLD.rank == 0:
    print("the same after all transforms")
