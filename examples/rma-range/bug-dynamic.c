// Rank 1 attaches the first half of an array to a window, and rank 0 writes to the array.
//
// What is wrong: the element that it writes is in the other half.
// The fix: all of the array is attached.
//
// ranks: 2
// expect: rma-range ranks 0
// not-at-once: rma-range (only the target knows what is attached)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 7;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int memory[4096];
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory / 2);
    MPI_Aint there, address;
    MPI_Get_address(memory, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, MPI_Aint_add(there, 4000 * sizeof(int)), 1, MPI_INT, win); //~ rma-range
        MPI_Win_unlock(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
