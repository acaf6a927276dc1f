// The program of bug-isend.c with the receive before the wait.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 16 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    float mine[CELLS], theirs[CELLS];
    for (int i = 0; i < CELLS; i++)
        mine[i] = (float)(rank * CELLS + i);
    MPI_Request request;
    MPI_Isend(mine, CELLS, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(theirs, CELLS, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    if (rank == 0)
        printf("the first cell beyond the border: %.0f\n", theirs[0]);
    MPI_Finalize();
    return 0;
}
