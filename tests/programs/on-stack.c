// Variables of functions, and arrays there, that are touched while operations use them. For tests/tests/precise.rs: lines that
// touch them end with a comment.

#include <mpi.h>
#include <stdio.h>

enum { LENGTH = 50 };

static volatile int sink;

static void touch(volatile int *at)
{
    ++*at; /* wrong */
}

static void beside(volatile int *at)
{
    ++*at;
}

int main(int argc, char **argv)
{
    MPI_Request requests[4];
    int rank, around[3] = {1, 2, 3}, others = 0, row[LENGTH] = {0}, got[LENGTH + 2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 3; round++) {
        MPI_Irecv(&others, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&around[1], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        beside(&around[0]);
        beside(&around[2]);
        sink = around[1];
        if (round == 1)
            touch(&around[1]);
        if (round == 2)
            sink = others; /* wrong */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        beside(&around[1]);
        beside(&others);
    }
    MPI_Irecv(got + 1, LENGTH, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row, LENGTH, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[3]);
    beside(got);
    beside(got + LENGTH + 1);
    for (int i = 0; i < LENGTH; i++)
        row[i] = i; /* wrong */
    MPI_Waitall(2, requests + 2, MPI_STATUSES_IGNORE);
    printf("%d %d %d\n", around[1], around[0], row[3]);
    MPI_Finalize();
    return 0;
}
