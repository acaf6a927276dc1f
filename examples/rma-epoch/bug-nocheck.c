// Two ranks lock the memory of rank 0, one after the other, and write there.
//
// What is wrong: they assert that nobody else wants the lock, and nothing ensures it. The library asks for no lock then.
// The fix: without the assertion the lock orders the two.
//
// ranks: 2
// expect: rma-epoch ranks 0,1
// not-at-once: rma-epoch (what another process does belies it)

#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    value = rank;
    // Mostly the other one is done by then.
    usleep(rank * 100000);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win); //~ rma-epoch
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
