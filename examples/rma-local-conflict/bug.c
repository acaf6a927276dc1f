// Each rank puts its halo cell into the memory of the other one, and gets the other's.
//
// What is wrong: MPI_Get writes into the cell that MPI_Put still reads; the fence completes both.
// The fix: a cell for each.
//
// ranks: 2
// expect: rma-local-conflict ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double cell = 1.5, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = rank;

    MPI_Win_fence(0, win);
    MPI_Put(&cell, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, win); //~ rma-local-conflict
    MPI_Get(&cell, 1, MPI_DOUBLE, 1 - rank, 1, 1, MPI_DOUBLE, win); //~ rma-local-conflict
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
