// Rows and columns of a grid get communicators; each is copied once more for a library.
//
// What is wrong: rank 0 copies its row first, rank 1 its column. Both communicators have the same two ranks here,
// and each waits for the other in MPI_Comm_dup.
// The fix: all copy them in the same order.
//
// ranks: 2
// expect: comm-free-mismatch ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm row, column, copies[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &row);
    MPI_Comm_dup(MPI_COMM_WORLD, &column);
    if (rank == 0)
        MPI_Comm_dup(row, &copies[0]); //~ comm-free-mismatch
    MPI_Comm_dup(column, &copies[1]); //~ comm-free-mismatch
    if (rank == 1)
        MPI_Comm_dup(row, &copies[0]);

    printf("rank %d has its copies\n", rank);
    MPI_Comm_free(&copies[0]);
    MPI_Comm_free(&copies[1]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
