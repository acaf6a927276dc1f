// Process 0 sends its measurements, which are in an array of the function, to process 1.
//
// What is wrong: the array has 10 numbers, and 12 are sent. The last two are whatever lies behind it on the stack.
// The fix: as many are sent as there are.
//
// ranks: 2
// expect: buffer-too-small ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double measured[10] = {0}, all[12];
    if (rank == 0)
        MPI_Send(measured, 12, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    else
        MPI_Recv(all, 12, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
