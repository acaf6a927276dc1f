// Two threads of rank 0 receive the halves of a field.
//
// What is wrong: the second half is received into memory that begins before the first one ends.
// The fix: receive it into field + 500.
//
// ranks: 2
// expect: overlapping ranks 0

#include <mpi.h>
#include <pthread.h>

enum { HALF = 500 };

static double field[2 * HALF];
static MPI_Request requests[2];

static void *second_half(void *unused)
{
    MPI_Irecv(field + HALF - 20, HALF, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[1]); //~ overlapping
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t thread;
        MPI_Irecv(field, HALF, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]); //~ overlapping
        pthread_create(&thread, NULL, second_half, NULL);
        pthread_join(thread, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(field, HALF, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(field, HALF, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
