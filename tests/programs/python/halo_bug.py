# Two neighbours exchange their borders, and both send first.
# The mistake: a synchronous send returns when the receive has begun, and both receives come after the sends.
from mpi4py import MPI


class Halo:
    def __init__(self, comm):
        self.comm = comm
        self.border = bytearray(64)

    def exchange(self):
        peer = self.comm.rank ^ 1
        if peer < self.comm.size:
            self.comm.Ssend(self.border, dest=peer)  # mark: send
            self.comm.Recv(self.border, source=peer)


def solve(halo, steps):
    for _ in range(steps):
        halo.exchange()  # mark: caller


solve(Halo(MPI.COMM_WORLD), 3)
