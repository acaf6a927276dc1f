// A request is complete when MPI_Cancel is called, and query_fn says all the same that it was cancelled.
//
// ranks: 1
// expect: grequest-misuse ranks 0

#include <mpi.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, ((int *)state)[1]);
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
    (void)complete;
    ((int *)state)[1] = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int state[2] = {1, 0};
    MPI_Request request;
    MPI_Status status;
    MPI_Grequest_start(query, release, cancel, state, &request);
    MPI_Grequest_complete(request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status); //~ grequest-misuse
    int cancelled;
    MPI_Test_cancelled(&status, &cancelled);
    printf("cancelled: %d\n", cancelled);
    MPI_Finalize();
    return 0;
}
