// Correct: the program completes the request before it gives it up (MPI 4.1, 13.2). The handle that it completes is the
// one that MPI_Grequest_start has given it, also behind MPI_Request_free.
//
// ranks: 2

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
    int rank, elements = 1, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request, handle;
        MPI_Grequest_start(query, release, cancel, &elements, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        handle = request;
        MPI_Request_free(&request);
        MPI_Grequest_complete(handle);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: flag %d\n", rank, flag);
    MPI_Finalize();
    return 0;
}
