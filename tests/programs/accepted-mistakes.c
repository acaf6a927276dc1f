// Ranks 0 and 1 with mistakes that a project could accept for a while. Tests make further versions of it: with other lines
// above, with one mistake more or less.

#include <mpi.h>

// A communicator that is never freed.
static void keep(MPI_Comm *comm)
{
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    MPI_Comm_set_name(*comm, "halo");
}

// Integers are received as floats.
static void exchange(int rank, MPI_Comm comm)
{
    int data[4] = {rank, 1, 2, 3};
    if (rank == 0)
        MPI_Send(data, 4, MPI_INT, 1, 7, comm);
    else if (rank == 1)
        MPI_Recv(data, 4, MPI_FLOAT, 0, 7, comm, MPI_STATUS_IGNORE);
}

// Requests that nobody completes.
static void lose(int rank, int *data)
{
    MPI_Request lost;
    if (rank == 0) {
        MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost);
        MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost);
    } else if (rank == 1) {
        MPI_Recv(data, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value[2] = {1, 2};
    MPI_Comm comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    keep(&comm);
    exchange(rank, comm);
    lose(rank, value);
    MPI_Finalize();
    return 0;
}
