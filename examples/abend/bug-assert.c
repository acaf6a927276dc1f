// Cells are dealt out to ranks; every rank checks its share.
//
// What is wrong: the last rank's share is empty, which the program holds for impossible. The assertion
// ends it with SIGABRT: the report names the line of the assertion, not one of the C library.
// The fix: allow for an empty share.
//
// ranks: 3
// expect: abend ranks 2

#include <assert.h>
#include <mpi.h>
#include <stdio.h>

static int first_cell(int cells, int share, int rank)
{
    int first = share * rank;
    assert(first < cells); //~ abend
    return first;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int first = first_cell(8, 4, rank), sum = 0;
    MPI_Allreduce(&first, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum: %d\n", sum);
    MPI_Finalize();
    return 0;
}
