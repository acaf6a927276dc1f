// Every rank passes a number on to the next one.

#include <mpi.h>
#include <mpivet.h>

static void pass_on(int to, int from)
{
    int out = to, in;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpivet_region_begin("ring");
    pass_on((rank + 1) % size, (rank + size - 1) % size);
    mpivet_region_end("ring");
    MPI_Finalize();
    return 0;
}
