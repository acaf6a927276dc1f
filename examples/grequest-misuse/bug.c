// A generalized request that nobody completes: the program only looks whether it is complete, and gives it up.
//
// ranks: 2
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
    int rank, elements = 1, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Grequest_start(query, release, cancel, &elements, &request); //~ grequest-misuse
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: flag %d\n", rank, flag);
    MPI_Finalize();
    return 0;
}
