// Workers are started by MPI_Comm_spawn, twice: messages both ways, collectives between the two worlds.
//
// Correct: ranks and roots count in the remote group; each world has an MPI_COMM_WORLD of its own.
//
// ranks: 2
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)

#include <mpi.h>
#include <stdio.h>

enum { WORKERS = 3 };

static void work(MPI_Comm parent)
{
    int rank, task = -1, sum = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&task, 1, MPI_INT, 0, parent);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    double result = task * 10 + rank + sum;
    MPI_Send(&result, 1, MPI_DOUBLE, rank % 2, rank, parent);
    if (rank == 1) {
        int more[4] = {0};
        MPI_Status status;
        MPI_Recv(more, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, parent, &status);
        MPI_Send(more, 4, MPI_INT, status.MPI_SOURCE, status.MPI_TAG + 1, parent);
    }
    MPI_Comm_disconnect(&parent);
}

static void lead(const char *command, int task)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm workers;
    MPI_Comm_spawn(command, MPI_ARGV_NULL, WORKERS, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &workers, MPI_ERRCODES_IGNORE);
    MPI_Bcast(&task, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, workers);
    for (int worker = rank; worker < WORKERS; worker += 2) {
        double result;
        MPI_Recv(&result, 1, MPI_DOUBLE, worker, worker, workers, MPI_STATUS_IGNORE);
        if (result != task * 10 + worker + 3)
            printf("wrong result of worker %d\n", worker);
    }
    if (rank == 1) {
        int more[4] = {1, 2, 3, 4};
        MPI_Send(more, 4, MPI_INT, 1, 20, workers);
        MPI_Recv(more, 4, MPI_INT, 1, 21, workers, MPI_STATUS_IGNORE);
    }
    MPI_Comm_disconnect(&workers);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        work(parent);
    } else {
        lead(argv[0], 1);
        lead(argv[0], 2);
    }
    MPI_Finalize();
    return 0;
}
