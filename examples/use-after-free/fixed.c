// A library keeps the communicator that it was given.
//
// Correct: the communicator is freed when the library is done.
//
// ranks: 2

#include <mpi.h>

static MPI_Comm kept;

static int processes(void)
{
    int size;
    MPI_Comm_size(kept, &size);
    return size;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    kept = own;
    int size = rank == 0 ? processes() : 0;
    MPI_Comm_free(&own);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return size < 0;
}
