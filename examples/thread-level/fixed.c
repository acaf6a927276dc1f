// A helper thread of each rank exchanges results with the other rank.
//
// Correct: MPI is asked for MPI_THREAD_SERIALIZED, since the two threads never call it at once; functions that
// ask for the state of MPI may be called at any time.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, result, other;

static void *pass_on(void *unused)
{
    int flag;
    MPI_Initialized(&flag);
    if (!flag)
        return unused;
    MPI_Sendrecv(&result, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    result = 10 * (rank + 1);

    pthread_t helper;
    pthread_create(&helper, NULL, pass_on, NULL);
    pthread_join(helper, NULL);

    printf("rank %d got %d\n", rank, other);
    MPI_Finalize();
    return 0;
}
