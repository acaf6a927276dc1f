// The correct twin of bug-noput.c: the fence asserts what is true, that no store of rank 1 is before it.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 7;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int assertions = rank == 1 ? MPI_MODE_NOSTORE : 0;
    MPI_Win_fence(assertions, win);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
