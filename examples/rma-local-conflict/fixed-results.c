// Each rank draws three tickets from a counter of rank 0.
//
// Correct: a flush completes each access before the variable is used again; MPI_NO_OP reads without taking anything.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    long one = 1, ticket = 0, last = 0, *counter;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 3; i++) {
        MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        last += ticket;
    }
    MPI_Fetch_and_op(&last, &last, MPI_LONG, 0, 0, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
