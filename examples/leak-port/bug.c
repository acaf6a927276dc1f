// A server opens a port and tells it to another rank; in this run no client comes.
//
// What is wrong: the port is never closed.
// The fix: close it in the end.
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
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port); //~ leak-port
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
