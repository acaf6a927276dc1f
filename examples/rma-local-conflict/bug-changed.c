// Rank 0 fills a table in the memory of rank 1, number by number.
//
// What is wrong: all numbers go through one variable, which is changed while the accesses before may still read it.
// The fix: one variable for each, until the lock is given back.
//
// ranks: 2
// expect: rma-local-conflict ranks 0

#include <mpi.h>

enum { N = 4 };

int main(int argc, char **argv)
{
    int rank, *table;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(N * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        for (int i = 0; i < N; i++) {
            static int number;
            number = i * i;
            MPI_Put(&number, 1, MPI_INT, 1, i, 1, MPI_INT, win); //~ rma-local-conflict
        }
        MPI_Win_unlock(1, win); //~ rma-local-conflict
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
