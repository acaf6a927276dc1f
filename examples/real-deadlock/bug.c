// Two halves of a rod exchange the cells at their common edge; ranks 2 and 3 wait for the result.
//
// What is wrong: both halves first receive and then send. Each waits for a message that the other one
// would only send afterwards.
// The fix: MPI_Sendrecv, which does both at once.
//
// ranks: 4
// expect: real-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double edge = 10.0 * (1 + rank), beyond = 0;
    if (rank < 2) {
        int other = 1 - rank;
        MPI_Recv(&beyond, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Send(&edge, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    }

    double flow = rank < 2 ? beyond - edge : 0, largest = 0;
    MPI_Allreduce(&flow, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 3)
        printf("largest flow: %.1f\n", largest);
    MPI_Finalize();
    return 0;
}
