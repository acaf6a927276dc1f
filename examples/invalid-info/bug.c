// Hints for files are collected.
//
// What is wrong: MPI_INFO_NULL means no hints where hints are taken; it is no object to which a hint can be added.
// The fix: the info object is made first.
//
// ranks: 2
// expect: invalid-info ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Info hints = MPI_INFO_NULL;
    if (rank == 0)
        MPI_Info_set(hints, "cb_nodes", "2"); //~ invalid-info
    MPI_Barrier(MPI_COMM_WORLD);
    if (hints != MPI_INFO_NULL)
        MPI_Info_free(&hints);
    MPI_Finalize();
    return 0;
}
