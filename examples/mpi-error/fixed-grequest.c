// The operation of a generalized request fails.
//
// Correct: query_fn tells of the failure in the state of the request, and returns MPI_SUCCESS.
//
// ranks: 1

#include <mpi.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, ((int *)state)[0]);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    ((int *)state)[1] = 1;
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
    int state[2] = {1, 0};
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, state, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("done, failed: %d\n", state[1]);
    MPI_Finalize();
    return 0;
}
