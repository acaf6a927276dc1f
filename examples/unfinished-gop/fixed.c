// The boundary temperature is broadcast while every rank prepares its own cells.
//
// Fixed: all ranks complete the broadcast.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    double boundary = rank == 0 ? 80.0 : 0.0;
    MPI_Request request;
    MPI_Ibcast(&boundary, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);

    double cells[8];
    for (int i = 0; i < 8; i++)
        cells[i] = 20.0 + rank;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank < size - 1)
        cells[0] = boundary;

    printf("rank %d: first cell %.1f, last cell %.1f\n", rank, cells[0], cells[7]);
    MPI_Finalize();
    return 0;
}
