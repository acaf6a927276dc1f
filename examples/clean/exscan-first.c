// Exclusive scans in every form, for which the first process has no receive buffer.
//
// Correct: at the process of rank 0 the receive buffer is not significant (MPI 4.1, 6.11.2). MPICH wants an address there
// all the same; nothing is written to it.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3 };

static const int nowhere[N] = {7, 7, 7};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value[N], wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        value[i] = rank + i;
#ifdef OPEN_MPI
    void *nothing = NULL;
#else
    void *nothing = (void *)nowhere;
#endif
    int *before = rank == 0 ? nothing : malloc(sizeof value);
    MPI_Request request;

    MPI_Exscan(value, before, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; rank && i < N; i++)
        wrong += before[i] != rank * (rank - 1) / 2 + rank * i;
    MPI_Iexscan(value, before, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; rank && i < N; i++)
        wrong += before[i] != rank - 1 + i;
#if MPI_VERSION >= 4
    MPI_Exscan_init(value, before, N, MPI_INT, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    for (int i = 0; rank && i < N; i++)
        wrong += before[i] != i;
#endif
    /* its own values are what the first process gives; what it gets there means nothing */
    MPI_Exscan(MPI_IN_PLACE, value, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; rank && i < N; i++)
        wrong += value[i] != rank * (rank - 1) / 2 + rank * i;
    if (rank)
        free(before);
    wrong += nowhere[rank] != 7;
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
