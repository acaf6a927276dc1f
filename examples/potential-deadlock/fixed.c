// The program of bug.c with sends and receives that happen at once.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int leaving[3] = {3 + rank, 1, 4}, coming[3];
    MPI_Sendrecv(leaving, 3, MPI_INT, 1 - rank, 0, coming, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    if (rank == 0)
        printf("%d go, %d come\n", leaving[0], coming[0]);
    MPI_Finalize();
    return 0;
}
