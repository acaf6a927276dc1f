// Two groups of two exchange their results through an intercommunicator.
//
// What is wrong: each rank waits for its partner in the other group, and sends its own result only then.
// The fix: both at once, with MPI_Sendrecv.
//
// ranks: 4
// expect: real-deadlock ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, partner, theirs;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 1, &both);
    MPI_Comm_rank(both, &partner);
    MPI_Recv(&theirs, 1, MPI_INT, partner, 0, both, MPI_STATUS_IGNORE); //~ real-deadlock
    MPI_Send(&rank, 1, MPI_INT, partner, 0, both);
    if (rank == 0)
        printf("the other half has rank %d\n", theirs);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
