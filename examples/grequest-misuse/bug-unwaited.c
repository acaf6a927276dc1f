// A generalized request is completed, and then neither waited for nor freed: its free_fn is never called.
//
// ranks: 1
// expect: grequest-misuse ranks 0

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
    int elements = 1, flag;
    MPI_Request request;
    MPI_Status status;
    MPI_Grequest_start(query, release, cancel, &elements, &request); //~ grequest-misuse
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, &status);
    printf("complete: %d\n", flag);
    MPI_Finalize();
    return 0;
}
