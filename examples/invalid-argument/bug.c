// Every rank cuts its block out of an array.
//
// What is wrong: the block of rank 1 begins at column 4 and has 5 columns, but the array has 8.
// The fix: a block has 4 columns.
//
// ranks: 2
// expect: invalid-argument ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int sizes[2] = {8, 8}, block[2] = {4, 0}, starts[2] = {0, 4 * rank};
    block[1] = 5;
    MPI_Datatype part;
    MPI_Type_create_subarray(2, sizes, block, starts, MPI_ORDER_C, MPI_DOUBLE, &part); //~ invalid-argument
    MPI_Type_commit(&part);
    MPI_Type_free(&part);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
