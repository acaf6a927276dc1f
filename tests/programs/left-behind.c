// Rank 0 leaves a process behind that goes on for 14 seconds, and then writes a line to what the launcher passes on.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0 && fork() == 0 && fork() == 0) {
        setsid();
        sleep(14);
        printf("the last word\n");
    }
    return 0;
}
