// The twin of bug-loop.c: no more numbers are sent than the array has room for.
//
// ranks: 2

#include <mpi.h>

enum { STEPS = 60000, ROOM = 120 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double leaving[ROOM] = {0}, all[ROOM + 10];
    for (int step = 0; step < STEPS; step++) {
        int count = 1 + step % 40;
        if (rank == 0)
            MPI_Send(leaving, 3 * count, MPI_DOUBLE, 1, step % 1000, MPI_COMM_WORLD);
        else
            MPI_Recv(all, ROOM + 10, MPI_DOUBLE, 0, step % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
