// Two groups of two exchange their results through an intercommunicator.
//
// Fixed: both at once, with MPI_Sendrecv.
//
// ranks: 4

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
    MPI_Sendrecv(&rank, 1, MPI_INT, partner, 0, &theirs, 1, MPI_INT, partner, 0, both, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("the other half has rank %d\n", theirs);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
