// Rank 0 puts four numbers into the memory of rank 1.
//
// What is wrong: they are of type float here, and rank 1 is told that they are of type int.
// The fix: the same type on both sides.
//
// ranks: 2
// expect: rma-type-mismatch ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    float numbers[4] = {1, 2, 3, 4}, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof numbers, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);

    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(numbers, 4, MPI_FLOAT, 1, 0, 4, MPI_INT, win); //~ rma-type-mismatch
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
