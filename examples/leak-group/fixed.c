// A communicator of all ranks but the first.
//
// Correct: both groups are freed.
//
// ranks: 3

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Group all, workers;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, (int[]){0}, &workers);
    MPI_Comm_create(MPI_COMM_WORLD, workers, &comm);
    MPI_Group_free(&all);
    MPI_Group_free(&workers);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
