// Each rank counts the values of its own part in a histogram, and the histogram is a window.
//
// What is wrong: the last value belongs behind the last of the four bins.
// The fix: values that are too large are counted in the last bin.
//
// ranks: 2
// expect: rma-range ranks 0,1

#include <mpi.h>

enum { BINS = 4, VALUES = 3 };

int main(int argc, char **argv)
{
    static const int values[VALUES] = {3, 17, 40};
    static int bins[2 * BINS];
    int rank, one = 1;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(bins, BINS * sizeof *bins, sizeof *bins, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int i = 0; i < VALUES; i++) {
        int bin = values[i] / 10;
        MPI_Accumulate(&one, 1, MPI_INT, rank, bin, 1, MPI_INT, MPI_SUM, win); //~ rma-range
    }
    MPI_Win_unlock(rank, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
