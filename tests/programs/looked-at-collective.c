/* Looks like a deadlock in the queues, and is none: rank 0 waits for a barrier that rank 2 will reach, and then sends what
   rank 1 waits for. Only for whoever does not see the barrier each of ranks 0 and 1 waits for the other. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, got = 0;
    MPI_Comm ends;
    char name[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &ends);
    snprintf(name, sizeof name, "%s/rank-%d", argc > 1 ? argv[1] : ".", rank);
    FILE *told = fopen(name, "w");
    if (!told)
        return 1;
    fprintf(told, "pid %d\n", (int)getpid());
    fclose(told);
    if (rank == 0) {
        MPI_Request request, barrier;
        MPI_Irecv(&got, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Ibarrier(ends, &barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    } else {
        for (;;)
            usleep(1000);
    }
    MPI_Finalize();
    return 0;
}
