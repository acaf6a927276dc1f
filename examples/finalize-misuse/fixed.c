// A thread of each rank adds up what the ranks have.
//
// Correct: the main thread joins it and then ends MPI; the thread may ask whether MPI has ended at any time.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, sum;

static void *conclude(void *unused)
{
    int finalized;
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
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
    MPI_Finalize();
    return 0;
}
