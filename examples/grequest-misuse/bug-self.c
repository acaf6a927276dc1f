// The only thread waits for a generalized request that it would complete itself behind the wait.
//
// ranks: 2
// expect: grequest-misuse ranks 1
// not-at-once: grequest-misuse (what the other threads do is known to the analyzer)

#include <mpi.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, elements = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Request request, handle;
        MPI_Grequest_start(query, release, cancel, &elements, &request);
        handle = request;
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ grequest-misuse
        MPI_Grequest_complete(handle);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: done\n", rank);
    MPI_Finalize();
    return 0;
}
