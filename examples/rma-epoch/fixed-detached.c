// Rank 1 attaches a table to a window and detaches it at the end.
//
// Correct: MPI_Win_detach is given the address that MPI_Win_attach was given.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, table[3][16] = {{0}};
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 1) {
        MPI_Win_attach(win, table, sizeof table);
        MPI_Win_detach(win, table);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
