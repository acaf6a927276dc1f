// Each rank puts its halo cell into the memory of the other one, and gets the other's.
//
// Correct: each access has a cell of its own; the first one's is used again when a flush has completed it.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double cell = 1.5, other, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = rank;

    MPI_Win_fence(0, win);
    MPI_Put(&cell, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, win);
    MPI_Get(&other, 1, MPI_DOUBLE, 1 - rank, 1, 1, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
    MPI_Put(&cell, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, win);
    MPI_Win_flush_local(1 - rank, win);
    cell += other;
    MPI_Get(&cell, 1, MPI_DOUBLE, 1 - rank, 1, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1 - rank, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
