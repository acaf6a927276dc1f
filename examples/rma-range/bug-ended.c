// Rank 0 appends a number to the list of rank 1, of which the window shows the first half.
//
// What is wrong: the list has more numbers than the window. Open MPI ends the program, MPICH writes behind the window.
// The fix: a window over the whole list.
//
// ranks: 2
// expect: rma-range ranks 0
// not-at-once: rma-range (only the target knows the size of its window)

#include <mpi.h>

int main(int argc, char **argv)
{
    static int list[8];
    int rank, number = 7;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(list, 4 * sizeof *list, sizeof *list, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&number, 1, MPI_INT, 1, 5, 1, MPI_INT, win); //~ rma-range
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
