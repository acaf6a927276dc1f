// Rank 0 puts its number into the memory of rank 1, which prints what it has got.
//
// Correct: the second fence completes the access, and says that no other follows.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, *got;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof *got, sizeof *got, MPI_INFO_NULL, MPI_COMM_WORLD, &got, &win);
    *got = -1;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (rank == 0)
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 1)
        printf("a number from the ranks: %s\n", *got < size ? "yes" : "no");

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
