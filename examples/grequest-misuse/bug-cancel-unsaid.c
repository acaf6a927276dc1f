// MPI_Cancel is called in time, and query_fn does not say whether the request was cancelled.
//
// ranks: 1
// expect: grequest-misuse ranks 0

#include <mpi.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
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
    MPI_Request request;
    MPI_Status status;
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status); //~ grequest-misuse
    printf("done\n");
    MPI_Finalize();
    return 0;
}
