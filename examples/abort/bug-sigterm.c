// A rank that another process ends: a batch script that cleans up too much, say.
//
// What is wrong: nothing in the program. Rank 1 gets SIGTERM from a shell, and the launcher then ends the
// other rank, which waits for it.
// The fix: find out who sent it.
//
// ranks: 2
// expect: abort ranks 1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        char command[64];
        snprintf(command, sizeof command, "kill -TERM %d", (int)getpid());
        if (system(command) != 0)
            return 1;
        sleep(10);
    }
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum: %d\n", sum);
    MPI_Finalize();
    return 0;
}
