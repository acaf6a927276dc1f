// Another tool that wraps MPI: counts what it sees, and asks for a rank where it wants to know it.
#include <mpi.h>
#include <stdio.h>

static int sends, ranks;

int MPI_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv), rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return result;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    ranks++;
    return PMPI_Comm_rank(comm, rank);
}

int MPI_Finalize(void)
{
    printf("tool: %d sends, %d ranks\n", sends, ranks);
    return PMPI_Finalize();
}
