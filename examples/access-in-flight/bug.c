// Two ranks exchange blocks while they work on the next ones.
//
// What is wrong: rank 0 fills the block that it is still sending.
// The fix: MPI_Waitall before the block is filled.
//
// ranks: 2
// options: --precise
// expect: access-in-flight ranks 0

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1 << 19 };

static _Alignas(4096) double sent[LENGTH];

static void fill(double value)
{
    for (int i = 0; i < LENGTH; i += 1000)
        sent[i] = value;                                                            //~ access-in-flight
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    double *received, sum = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (posix_memalign((void **)&received, 4096, LENGTH * sizeof *received))
        return 1;
    fill(rank);
    MPI_Irecv(received, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    if (rank == 0)
        fill(7);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += received[0];
    if (sum < 0)
        printf("%g\n", sum);
    free(received);
    MPI_Finalize();
    return 0;
}
