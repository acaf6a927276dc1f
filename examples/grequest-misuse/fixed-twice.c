// Correct: each request is completed once, and the next one, which may well have the same handle, once again.
//
// ranks: 1

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
    int elements = 1;
    MPI_Request request, handle;
    for (int i = 0; i < 3; i++) {
        MPI_Grequest_start(query, release, cancel, &elements, &request);
        handle = request;
        MPI_Grequest_complete(handle);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("done\n");
    MPI_Finalize();
    return 0;
}
