// Every rank puts its number into the window of the next one.
//
// What is wrong: rank 0 promises in the first fence that nothing precedes it, the others do not. All must promise
// it, or none: a rank that relies on it leaves out what the others wait for.
// The fix: the same assertion on all ranks.
//
// ranks: 3
// expect: collective-argument-mismatch ranks 0,1,2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, left = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Win window;
    MPI_Win_create(&left, sizeof left, sizeof left, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    // Whether something is put or stored may differ from rank to rank.
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPRECEDE : MPI_MODE_NOSTORE, window); //~ collective-argument-mismatch
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | (rank == 0 ? MPI_MODE_NOSTORE : 0), window);
    if (rank == 0)
        printf("the last rank is %d\n", left);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
