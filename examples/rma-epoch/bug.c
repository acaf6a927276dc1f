// Rank 0 puts its number into the memory of rank 1, which prints what it has got.
//
// What is wrong: a barrier stands where the second fence should be: nothing completes the access, or makes it visible.
// The fix: a fence.
//
// ranks: 2
// expect: rma-epoch ranks 0
// allow: rma-local-race

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

    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win); //~ rma-epoch
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        printf("a number from the ranks: %s\n", *got < size ? "yes" : "no");

    MPI_Win_free(&win); //~ rma-epoch
    MPI_Finalize();
    return 0;
}
