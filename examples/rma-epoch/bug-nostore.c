// A message is received into the memory of a window, and then read from there by the process that sent it.
//
// What is wrong: the fence asserts that nothing was stored in the memory, so that the library need not make it visible.
// The fix: the fence asserts nothing.
//
// ranks: 2
// expect: rma-epoch ranks 1
// not-at-once: rma-epoch (the report says it)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 7;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&memory[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ rma-epoch
    }
    MPI_Win_fence(MPI_MODE_NOSTORE, win); //~ rma-epoch
    if (rank == 0) {
        MPI_Get(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
