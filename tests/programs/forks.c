// Forks a child that leaves by exit() and one that executes another program, then goes on: only the parent is recorded.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fflush(stdout);
    if (fork() == 0)
        exit(7);
    if (fork() == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    while (wait(NULL) > 0)
        continue;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
