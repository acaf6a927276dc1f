// Two ranks write to the memory of rank 1 under a lock, and meet in a barrier.
//
// What is wrong: rank 0 holds the lock in the barrier. If it got the lock first, rank 1 never comes there.
// The fix: it gives the lock back before.
//
// ranks: 2
// expect: potential-deadlock ranks 0,1

#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0) {
        // Mostly the other one is done by then.
        usleep(100000);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Barrier(MPI_COMM_WORLD); //~ potential-deadlock
        MPI_Win_unlock(1, win);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win); //~ potential-deadlock
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
