// Rank 1 says that nobody changes its memory before the next fence, so that the library need not look.
//
// What is wrong: rank 0 puts a value there.
// The fix: the fence does not assert it.
//
// ranks: 2
// expect: rma-epoch ranks 0,1
// not-at-once: rma-epoch (what another process does belies it)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 7;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int assertions = rank == 1 ? MPI_MODE_NOPUT : 0;
    MPI_Win_fence(assertions, win); //~ rma-epoch
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, win); //~ rma-epoch
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
