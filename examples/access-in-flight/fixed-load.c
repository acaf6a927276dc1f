// Two ranks exchange blocks, and add up what they get.
//
// Correct: the block is added up when it was received.
//
// ranks: 2
// options: --precise

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1 << 13 };

static double sum_of(const double *block)
{
    double sum = 0;
    for (int i = 0; i < LENGTH; i += 512)
        sum += block[i];
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    double *received, sum = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *sent = calloc(LENGTH, sizeof *sent);
    if (posix_memalign((void **)&received, 4096, LENGTH * sizeof *received))
        return 1;
    MPI_Irecv(received, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(sent, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        sum = sum_of(received);
    if (sum > 1e300)
        printf("%g\n", sum);
    free(received);
    free(sent);
    MPI_Finalize();
    return 0;
}
