// The boundary temperature is broadcast while every rank prepares its own cells.
//
// What is wrong: the last rank has no boundary and leaves out the wait. It has started the broadcast like
// all others, but never completes it.
// The fix: who starts a collective operation completes it.
//
// ranks: 4
// expect: unfinished-gop ranks 3

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
    MPI_Ibcast(&boundary, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request); //~ unfinished-gop

    double cells[8];
    for (int i = 0; i < 8; i++)
        cells[i] = 20.0 + rank;
    if (rank < size - 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        cells[0] = boundary;
    }

    printf("rank %d: first cell %.1f, last cell %.1f\n", rank, cells[0], cells[7]);
    MPI_Finalize();
    return 0;
}
