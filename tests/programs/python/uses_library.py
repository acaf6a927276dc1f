import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))

from mpi4py import MPI  # noqa: E402

import leaky  # noqa: E402


def first():
    leaky.solve(MPI.COMM_WORLD)  # mark: first


def second():
    leaky.solve(MPI.COMM_WORLD)


first()
second()
