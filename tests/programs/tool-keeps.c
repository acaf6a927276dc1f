// Another tool that wraps MPI, and keeps a communicator of its own until the process ends.
#include <mpi.h>

int MPI_Init(int *argc, char ***argv)
{
    static MPI_Comm own;
    int result = PMPI_Init(argc, argv);
    PMPI_Comm_dup(MPI_COMM_WORLD, &own);
    return result;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    return PMPI_Comm_dup(comm, copy);
}
