// The twin of bug-room.c: the receive says how much room there is.
//
// ranks: 2

#include <mpi.h>

static int numbers[16];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(numbers, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
