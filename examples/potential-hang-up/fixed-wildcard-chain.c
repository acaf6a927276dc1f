// The program of bug-wildcard-chain.c; rank 2 receives its part from rank 3, whatever comes from rank 1 before.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { PART, GO };

static int take(int source, int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void give(int value, int to, int tag)
{
    MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        take(2, GO);
        give(10, 1, PART);
    } else if (rank == 1) {
        int sum = take(MPI_ANY_SOURCE, PART);
        give(sum, 2, PART);
        sum += take(MPI_ANY_SOURCE, PART);
        printf("rank 1 has %d\n", sum);
    } else if (rank == 2) {
        int part = take(3, PART);
        give(0, 0, GO);
        part += take(1, PART);
        printf("rank 2 has %d\n", part);
    } else {
        int part = 1;
        MPI_Request request;
        MPI_Isend(&part, 1, MPI_INT, 2, PART, MPI_COMM_WORLD, &request);
        usleep(900000);
        give(2, 1, PART);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
