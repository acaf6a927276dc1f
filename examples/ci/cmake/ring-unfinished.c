// The same as ring.c, but nobody waits for the sends.

#include <mpi.h>

static void pass_on(int to, int from)
{
    int out = to, in;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pass_on((rank + 1) % size, (rank + size - 1) % size);
    MPI_Finalize();
    return 0;
}
