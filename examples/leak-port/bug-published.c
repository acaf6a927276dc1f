// A server opens a port and publishes it under a name; in this run no client comes.
//
// What is wrong: the port is closed while the name still leads to it.
// The fix: unpublish the name first.
//
// ranks: 2
// mpi: openmpi (MPICH has no ports over UCX)
// expect: leak-port ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("solver", MPI_INFO_NULL, port); //~ leak-port
        MPI_Close_port(port); //~ leak-port
        MPI_Unpublish_name("solver", MPI_INFO_NULL, port);
    }
    MPI_Finalize();
    return 0;
}
