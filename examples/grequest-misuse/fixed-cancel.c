// Correct: cancel_fn leaves a request alone that is complete, and cancels one that is not, which is completed then.
//
// ranks: 1

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
    if (!complete)
        ((int *)state)[1] = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int state[2] = {1, 0};
    MPI_Request request;
    MPI_Status status;
    int cancelled;
    MPI_Grequest_start(query, release, cancel, state, &request);
    MPI_Grequest_complete(request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    printf("cancelled: %d\n", cancelled);
    MPI_Grequest_start(query, release, cancel, state, &request);
    MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    printf("cancelled: %d\n", cancelled);
    MPI_Finalize();
    return 0;
}
