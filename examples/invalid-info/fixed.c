// Hints for files are collected.
//
// Correct: the info object is made before hints are added.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_Info hints = MPI_INFO_NULL;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", "2");
    if (hints != MPI_INFO_NULL)
        MPI_Info_free(&hints);
    MPI_Finalize();
    return 0;
}
