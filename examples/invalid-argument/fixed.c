// A block is cut out of an array.
//
// Correct: the columns 4 to 7 are in the array of 8 columns.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    int sizes[2] = {8, 8}, block[2] = {4, 4}, starts[2] = {0, 4};
    MPI_Datatype part;
    MPI_Type_create_subarray(2, sizes, block, starts, MPI_ORDER_C, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    MPI_Type_free(&part);
    MPI_Finalize();
    return 0;
}
