// Each rank attaches an array to a window that takes memory at any time, and writes to the array of the other one.
//
// What is wrong: the array is freed while it is attached. The library may keep its pages registered until it is detached.
// The fix: MPI_Win_detach before free(3).
//
// ranks: 2
// expect: rma-epoch ranks 0,1

#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 500 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Aint own, other;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int *list = calloc(CELLS, sizeof *list);
    MPI_Win_attach(win, list, CELLS * sizeof *list);
    MPI_Get_address(list, &own);
    MPI_Sendrecv(&own, 1, MPI_AINT, 1 - rank, 0, &other, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, other, 1, MPI_INT, win);
    MPI_Win_fence(0, win);

    free(list);
    MPI_Win_detach(win, (void *)own); //~ rma-epoch
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
