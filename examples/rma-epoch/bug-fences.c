// Each rank sends its number to the next one between two fences, and rank 1 takes a ticket from rank 0 under a lock.
//
// What is wrong: the lock is asked for while the MPI_Put still waits for the second fence: two epochs overlap. Libraries end
// the program there.
// The fix: the second fence says that no access follows, and the ticket is taken behind it.
//
// ranks: 2
// expect: rma-epoch ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, ticket, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win); //~ rma-epoch
    if (rank == 1) {
        MPI_Win_lock_all(0, win); //~ rma-epoch
        MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 1, MPI_SUM, win);
        MPI_Win_unlock_all(win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
