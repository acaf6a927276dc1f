// The corrected twin of bug-published.c: the name is unpublished before the port is closed.
//
// ranks: 2
// mpi: openmpi (MPICH has no ports over UCX)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("solver", MPI_INFO_NULL, port);
        MPI_Unpublish_name("solver", MPI_INFO_NULL, port);
        MPI_Close_port(port);
    }
    MPI_Finalize();
    return 0;
}
