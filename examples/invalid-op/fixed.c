// The ranks put their flags together.
//
// Correct: MPI_BOR is defined for integers.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    long long mine = 1, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_BOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
