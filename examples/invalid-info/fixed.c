// Hints for files are collected.
//
// Correct: the info object is made before hints are added.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Info hints = MPI_INFO_NULL;
    MPI_Info_create(&hints);
    if (rank == 0)
        MPI_Info_set(hints, "cb_nodes", "2");
    MPI_Barrier(MPI_COMM_WORLD);
    if (hints != MPI_INFO_NULL)
        MPI_Info_free(&hints);
    MPI_Finalize();
    return 0;
}
