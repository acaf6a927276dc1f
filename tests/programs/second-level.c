/* Rank 0 takes two messages from anybody. What it does then depends on which one came first, and a mistake is only where
 * rank 2 is first and its second message overtakes that of rank 1: a third matching, which no other path has. Ranks 1 and 2
 * wait for their turn, so that the first run always takes the good path. */
#include <mpi.h>
#include <time.h>

static void pause_for(long milliseconds)
{
    struct timespec pause = {0, milliseconds * 1000000};
    nanosleep(&pause, NULL);
}

static int take(int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void give(int value, int to, int tag)
{
    MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int first = take(1);
        take(1);
        /* Both are told which one was first. */
        give(first, 1, 2);
        give(first, 2, 2);
        if (first == 2) {
            /* Only here: one more of each, in any order. */
            int next = take(3);
            take(3);
            if (next == 2)
                MPI_Recv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        pause_for(rank == 2 ? 200 : 0);
        give(rank, 0, 1);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (value == 2) {
            pause_for(rank == 2 ? 200 : 0);
            give(rank, 0, 3);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
