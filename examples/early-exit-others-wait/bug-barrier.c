// All ranks read their settings and meet in a barrier.
//
// What is wrong: rank 1 does not know the mode that it was given, and calls exit(). The others wait in the barrier.
// The fix: MPI_Abort, which ends all.
//
// ranks: 3
// expect: early-exit-others-wait ranks 0,1,2

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const modes[3] = {"fast", "fsat", "fast"};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); //~ early-exit-others-wait

    if (strcmp(modes[rank], "fast") != 0) {
        sleep(1); // looks for a file of modes
        fprintf(stderr, "unknown mode %s\n", modes[rank]);
        exit(0);
    }
    MPI_Barrier(MPI_COMM_WORLD); //~ early-exit-others-wait
    MPI_Finalize();
    return 0;
}
