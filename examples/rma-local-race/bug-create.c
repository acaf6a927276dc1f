// Each process exposes an array of its own (MPI_Win_create), into which the other one puts its results.
//
// What is wrong: a process marks the place of the results as empty in the epoch in which they come.
// The fix: the place is marked in front of the fence that begins the epoch.
//
// ranks: 2
// options: --precise
// expect: rma-local-race ranks 0,1

#include <mpi.h>
#include <stdlib.h>

enum { LENGTH = 300 };

int main(int argc, char **argv)
{
    int rank, results[LENGTH] = {1};
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *inbox = calloc(LENGTH, sizeof *inbox);
    MPI_Win_create(inbox, LENGTH * sizeof *inbox, sizeof *inbox, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(results, 200, MPI_INT, 1 - rank, 50, 200, MPI_INT, win);
    inbox[249] = -1;                                                                //~ rma-local-race
    inbox[250] = -1;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(inbox);
    MPI_Finalize();
    return 0;
}
