// The program of bug.c; each kind of message has a tag of its own.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT = 1, VALUES = 2 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        int count;
        double values[3];
        MPI_Recv(&count, 1, MPI_INT, MPI_ANY_SOURCE, COUNT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, 3, MPI_DOUBLE, MPI_ANY_SOURCE, VALUES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d values, the last is %g\n", count, values[2]);
    } else if (rank == 1) {
        int count = 3;
        MPI_Send(&count, 1, MPI_INT, 0, COUNT, MPI_COMM_WORLD);
    } else if (rank == 2) {
        double values[3] = {0.5, 1.5, 2.5};
        usleep(300000);
        MPI_Send(values, 3, MPI_DOUBLE, 0, VALUES, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
