// Two ranks make the same persistent collective operations in the same order, and start them in orders of their own.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

static int told[4], mine = 1, sum;

static void make_broadcast(MPI_Request *request)
{
    MPI_Bcast_init(told, 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static void make_sum(MPI_Request *request)
{
    MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request broadcast, reduction;
    make_broadcast(&broadcast);
    make_sum(&reduction);
    // The order of the starts is free.
    MPI_Start(rank == 0 ? &reduction : &broadcast);
    MPI_Start(rank == 0 ? &broadcast : &reduction);
    MPI_Wait(&broadcast, MPI_STATUS_IGNORE);
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    MPI_Request_free(&broadcast);
    MPI_Request_free(&reduction);
    MPI_Finalize();
    return 0;
}
