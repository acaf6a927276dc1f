// One rank is stopped for two seconds, as by a debugger or a batch system, while the others wait for it.
//
// Correct: a stopped process is not a dead one. A helper process that the rank started continues it.
//
// ranks: 3

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 0, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 1) {
        pid_t stopped = getpid(), helper = fork();
        if (helper == 0) {
            for (int i = 0; i < 20; i++) { /* again and again: the stop may come late */
                sleep(2);
                kill(stopped, SIGCONT);
            }
            _exit(0);
        }
        raise(SIGSTOP);
        kill(helper, SIGKILL);
        waitpid(helper, NULL, 0);
        value = 5;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 2)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
