// Correct: where query_fn sets nothing, nobody looks at the status.
//
// ranks: 1

#include <mpi.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    (void)state, (void)status;
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
    int elements = 1, count;
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++) {
        MPI_Grequest_start(query, release, cancel, &elements, &requests[i]);
        MPI_Grequest_complete(requests[i]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    count = 0;
    printf("%d elements\n", count);
    MPI_Finalize();
    return 0;
}
