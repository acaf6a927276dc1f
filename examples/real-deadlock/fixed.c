// Two halves of a rod exchange the cells at their common edge; ranks 2 and 3 wait for the result.
//
// Fixed: MPI_Sendrecv sends and receives at once.
//
// ranks: 4

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
        MPI_Sendrecv(&edge, 1, MPI_DOUBLE, other, 0, &beyond, 1, MPI_DOUBLE, other, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    double flow = rank < 2 ? beyond - edge : 0, largest = 0;
    MPI_Allreduce(&flow, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 3)
        printf("largest flow: %.1f\n", largest);
    MPI_Finalize();
    return 0;
}
