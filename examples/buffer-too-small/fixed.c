// The twin of bug.c: as many numbers are sent as the array has.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double measured[10] = {0}, all[12];
    if (rank == 0)
        MPI_Send(measured, 10, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(all, 12, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
