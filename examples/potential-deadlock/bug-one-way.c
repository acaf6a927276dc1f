// Ranks 0 and 1 give what they have too much to rank 2 with MPI_Alltoallv; nothing goes the other way.
//
// What is wrong: rank 2 waits for a message of rank 0 before it takes part, rank 0 sends it afterwards. Who gets nothing of
// a rank in MPI_Alltoallv needs not wait for it, and the MPI library lets rank 0 go on; it may as well wait for all ranks.
// The fix: rank 2 receives the message after MPI_Alltoallv.
//
// ranks: 3
// mpi: mpich (in Open MPI each rank waits for all)
// expect: potential-deadlock ranks 0,2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, much[4] = {0}, last = 7, got[4] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int giving = rank < 2;
    const int out[3] = {0, 0, giving ? 2 : 0}, in[3] = {giving ? 0 : 2, giving ? 0 : 2, 0}, at[3] = {0, 2, 0};
    much[0] = rank + 1;
    if (rank == 2)
        MPI_Recv(&last, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ potential-deadlock
    MPI_Alltoallv(much, out, at, MPI_INT, got, in, at, MPI_INT, MPI_COMM_WORLD); //~ potential-deadlock
    if (rank == 0)
        MPI_Send(&last, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2)
        printf("rank 2 got %d and %d\n", got[0], got[2]);
    MPI_Finalize();
    return 0;
}
