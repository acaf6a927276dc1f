// Two ranks exchange blocks, and add up what they get.
//
// What is wrong: rank 1 adds up the block that it is still receiving. Nothing changes there: no checksum tells of it.
// The fix: MPI_Wait first.
//
// ranks: 2
// options: --precise
// expect: access-in-flight ranks 1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1 << 13 };

static double sum_of(const double *block)
{
    double sum = 0;
    for (int i = 0; i < LENGTH; i += 512)
        sum += block[i];                                                            //~ access-in-flight
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
    MPI_Irecv(received, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request); //~ access-in-flight
    if (rank == 1)
        sum = sum_of(received);
    MPI_Send(sent, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum > 1e300)
        printf("%g\n", sum);
    free(received);
    free(sent);
    MPI_Finalize();
    return 0;
}
