// Each process gets a block out of the window of the other one, with a request (MPI 4.1, 12.3.5).
//
// Correct: it adds the block up when MPI_Wait has completed the operation.
//
// ranks: 2
// options: --precise

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1 << 14 };

static double add(const double *block)
{
    double sum = 0;
    for (int i = 0; i < LENGTH; i += 600)
        sum += block[i];
    return sum;
}

int main(int argc, char **argv)
{
    double *window, sum;
    int rank;
    MPI_Request request;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *block = aligned_alloc(4096, LENGTH * sizeof *block);
    MPI_Win_allocate(LENGTH * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    MPI_Win_lock_all(0, win);
    MPI_Rget(block, LENGTH, MPI_DOUBLE, 1 - rank, 0, LENGTH, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum = add(block);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    printf("%s\n", sum == sum ? "a number" : "none");
    free(block);
    MPI_Finalize();
    return 0;
}
