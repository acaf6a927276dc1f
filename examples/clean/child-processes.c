// A rank starts other programs, and a child of its own that ends by exit().
//
// Correct: children that do not call MPI have nothing to do with it, however they end.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum = 0, status[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    status[0] = system("exit 3");
    pid_t child = fork();
    if (child == 0)
        _exit(4);
    waitpid(child, &status[1], 0);

    int codes = 10 * WEXITSTATUS(status[0]) + WEXITSTATUS(status[1]);
    MPI_Allreduce(&codes, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("exit codes add up to %d\n", sum);
    MPI_Finalize();
    return 0;
}
