// Each process puts a block into the window of the other one (MPI 4.1, 12.3).
//
// What is wrong: it changes the block before MPI_Win_flush has completed the operation at its origin.
// The fix: MPI_Win_flush before the change.
//
// ranks: 2
// options: --precise
// expect: access-in-flight ranks 0,1

#include <mpi.h>

enum { LENGTH = 1 << 15 };

static _Alignas(4096) double out[LENGTH];

int main(int argc, char **argv)
{
    double *window;
    int rank;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(LENGTH * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(out, LENGTH, MPI_DOUBLE, 1 - rank, 0, LENGTH, MPI_DOUBLE, win);
    out[1000] = 1;                                                                  //~ access-in-flight
    MPI_Win_flush(1 - rank, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
