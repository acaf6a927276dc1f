// A helper thread of each rank exchanges results with the other rank.
//
// What is wrong: MPI was started with MPI_THREAD_FUNNELED, which promises the library that only the main
// thread calls it.
// The fix: ask for MPI_THREAD_SERIALIZED, which is enough since the two never call at once.
//
// ranks: 2
// expect: thread-level ranks 0,1

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, result, other;

static void *pass_on(void *unused)
{
    MPI_Sendrecv(&result, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, //~ thread-level
                 MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    result = 10 * (rank + 1);

    pthread_t helper;
    pthread_create(&helper, NULL, pass_on, NULL);
    pthread_join(helper, NULL);

    printf("rank %d got %d\n", rank, other);
    MPI_Finalize();
    return 0;
}
