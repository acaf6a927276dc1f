// The query_fn of a generalized request returns an error, which the call that waits for the request returns.
//
// What is wrong: errors of MPI_COMM_SELF end the program, and nothing has changed that.
//
// ranks: 1
// expect: mpi-error ranks 0

#include <mpi.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_ERR_TYPE;
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
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ mpi-error
    printf("done\n");
    MPI_Finalize();
    return 0;
}
