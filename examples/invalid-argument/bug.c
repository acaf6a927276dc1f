// A block is cut out of an array.
//
// What is wrong: the block begins at column 6 and has 4 columns, but the array has 8.
// The fix: it begins at column 4.
//
// ranks: 2
// expect: invalid-argument

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    int sizes[2] = {8, 8}, block[2] = {4, 4}, starts[2] = {0, 6};
    MPI_Datatype part;
    MPI_Type_create_subarray(2, sizes, block, starts, MPI_ORDER_C, MPI_DOUBLE, &part); //~ invalid-argument
    MPI_Type_commit(&part);
    MPI_Type_free(&part);
    MPI_Finalize();
    return 0;
}
