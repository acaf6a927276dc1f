// A library keeps the communicator that it was given.
//
// What is wrong: the caller has freed it, and the copy of the handle stands for nothing.
// The fix: the communicator is freed when the library is done.
//
// ranks: 2
// expect: use-after-free

#include <mpi.h>

static MPI_Comm kept;

static void synchronize(void)
{
    MPI_Barrier(kept); //~ use-after-free
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    kept = own;
    MPI_Comm_free(&own);
    synchronize();
    MPI_Finalize();
    return 0;
}
