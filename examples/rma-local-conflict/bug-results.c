// Each rank draws three tickets from a counter of rank 0.
//
// What is wrong: the results of the three accesses go to one variable, and no flush completes one before the next.
// The fix: a flush behind each, so that the variable can be read before it is written again.
//
// ranks: 2
// expect: rma-local-conflict ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    long one = 1, ticket = 0, *counter;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 3; i++)
        MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, win); //~ rma-local-conflict
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
