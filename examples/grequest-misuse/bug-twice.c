// MPI_Grequest_complete is called twice: by what does the work, and by the caller again.
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
    int elements = 1;
    MPI_Request request, handle;
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    handle = request;
    MPI_Grequest_complete(handle);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(handle); //~ grequest-misuse
    printf("done\n");
    MPI_Finalize();
    return 0;
}
