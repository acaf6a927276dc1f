// Ranks 0 and 1 give what they have too much to rank 2 with MPI_Alltoallv; nothing goes the other way.
//
// Fixed: rank 2 receives the message after MPI_Alltoallv.
//
// ranks: 3

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
    MPI_Alltoallv(much, out, at, MPI_INT, got, in, at, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&last, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(&last, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        printf("rank 2 got %d and %d\n", got[0], got[2]);
    MPI_Finalize();
    return 0;
}
