// Two ranks tell each other how many particles leave their half of the box.
//
// What is wrong: both ranks send first. Nobody receives until a send has returned, and MPI_Send may wait for its
// receive. It returns here because the MPI library buffers a message that small; with a longer one the ranks hang.
// The fix: MPI_Sendrecv does both at once.
//
// ranks: 2
// expect: potential-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int leaving[3] = {3 + rank, 1, 4}, coming[3];
    MPI_Send(leaving, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); //~ potential-deadlock
    MPI_Recv(coming, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    if (rank == 0)
        printf("%d go, %d come\n", leaving[0], coming[0]);
    MPI_Finalize();
    return 0;
}
