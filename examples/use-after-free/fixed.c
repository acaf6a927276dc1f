// A library keeps the communicator that it was given.
//
// Correct: the communicator is freed when the library is done.
//
// ranks: 2

#include <mpi.h>

static MPI_Comm kept;

static void synchronize(void)
{
    MPI_Barrier(kept);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    kept = own;
    synchronize();
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
