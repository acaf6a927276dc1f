// A thread of each rank does all that concerns MPI at the end: it adds up what the ranks have, and ends MPI.
//
// What is wrong: MPI_Finalize is for the thread that called MPI_Init_thread, also under MPI_THREAD_MULTIPLE.
// The fix: the main thread joins the other and then calls MPI_Finalize.
//
// ranks: 2
// expect: finalize-misuse ranks 0,1

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, sum;

static void *conclude(void *unused)
{
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize(); //~ finalize-misuse
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    pthread_t helper;
    pthread_create(&helper, NULL, conclude, NULL);
    pthread_join(helper, NULL);

    printf("rank %d of a sum of %d\n", rank, sum);
    return 0;
}
