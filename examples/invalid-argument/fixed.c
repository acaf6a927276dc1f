// Every rank cuts its block out of an array.
//
// Correct: the columns 4 to 7 are in the array of 8 columns.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int sizes[2] = {8, 8}, block[2] = {4, 0}, starts[2] = {0, 4 * rank};
    block[1] = 4;
    MPI_Datatype part;
    MPI_Type_create_subarray(2, sizes, block, starts, MPI_ORDER_C, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    MPI_Type_free(&part);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
