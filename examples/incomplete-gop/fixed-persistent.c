// The twin of bug-persistent.c: both ranks describe the broadcast.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

static double parameters[8];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Request request;
    MPI_Bcast_init(parameters, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
