// The program asks how many elements came, and query_fn has not said it.
//
// ranks: 1
// expect: grequest-misuse ranks 0

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
    MPI_Status statuses[2];
    for (int i = 0; i < 2; i++) {
        MPI_Grequest_start(query, release, cancel, &elements, &requests[i]);
        MPI_Grequest_complete(requests[i]);
    }
    MPI_Waitall(2, requests, statuses); //~ grequest-misuse
    count = 0;
    MPI_Get_elements(&statuses[0], MPI_INT, &count);
    count = 0;
    printf("%d elements\n", count);
    MPI_Finalize();
    return 0;
}
