// Each rank takes memory from MPI_Alloc_mem, exposes it by a window, and gives both back at the end.
//
// What is wrong: the memory is given back first. It may be freed when MPI_Win_free has returned.
// The fix: the other order.
//
// ranks: 2
// expect: rma-epoch ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 7, *counter;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Alloc_mem(sizeof *counter, MPI_INFO_NULL, &counter);
    *counter = 0;
    MPI_Win_create(counter, sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);

    MPI_Free_mem(counter); //~ rma-epoch
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
