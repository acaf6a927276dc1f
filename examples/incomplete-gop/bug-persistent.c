// Rank 0 describes a broadcast that it may want to start later.
//
// What is wrong: rank 1 does not describe it. To make a persistent collective operation is collective itself: all ranks of the
// communicator must make it (MPI 4.1, 6.13).
// The fix: both describe it.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: incomplete-gop ranks 0

#include <mpi.h>

static double parameters[8];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Bcast_init(parameters, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); //~ incomplete-gop
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
