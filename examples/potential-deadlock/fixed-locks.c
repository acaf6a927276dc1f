// The correct twin of bug-locks.c.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    // Mostly the other one is done by then.
    double begin = MPI_Wtime();
    int flag = 0;
    while (rank == 1 && !flag && MPI_Wtime() < begin + 0.3) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    int first = 0, second = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, first, 0, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, second, 0, win);
    MPI_Put(&value, 1, MPI_INT, first, 0, 1, MPI_INT, win);
    MPI_Put(&value, 1, MPI_INT, second, 0, 1, MPI_INT, win);
    MPI_Win_unlock(second, win);
    MPI_Win_unlock(first, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
