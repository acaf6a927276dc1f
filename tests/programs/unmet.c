// Two ranks that do not meet, by argument; with a second argument they do.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void barriers(int rank, int right)
{
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Barrier(rank == 0 || right ? first : second);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

static void receive(int rank, int right)
{
    int number = rank;
    if (rank == 0) {
        MPI_Ssend(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Recv_init(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request); // made
        if (right)
            MPI_Start(&request);
        else
            MPI_Recv(&number, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (right)
            MPI_Recv(&number, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
}

#if MPI_VERSION >= 4
static void collective(int rank, int right)
{
    MPI_Request request;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request); // made
    if (rank == 0 || right)
        MPI_Start(&request);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
#endif

int main(int argc, char **argv)
{
    int rank, right = argc > 2;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "barriers") == 0)
        barriers(rank, right);
    else if (strcmp(what, "receive") == 0)
        receive(rank, right);
#if MPI_VERSION >= 4
    else if (strcmp(what, "collective") == 0)
        collective(rank, right);
#endif
    MPI_Finalize();
    return 0;
}
