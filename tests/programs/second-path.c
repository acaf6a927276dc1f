/* Rank 0 takes a message from each of the others, and only where rank 2 is first it loses three communicators, each in a line
 * of its own. Rank 2 waits for its turn, so that the first run always takes the good path. */
#include <mpi.h>
#include <time.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, first, second;
    MPI_Comm lost[3];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first == 2) {
            MPI_Comm_dup(MPI_COMM_SELF, &lost[0]);
            MPI_Comm_dup(MPI_COMM_SELF, &lost[1]);
            MPI_Comm_dup(MPI_COMM_SELF, &lost[2]);
        }
    } else {
        struct timespec pause = {rank == 2 ? 2 : 0, 0};
        nanosleep(&pause, NULL);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
