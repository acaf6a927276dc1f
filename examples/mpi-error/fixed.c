// Every rank looks for the datatype of real numbers that has the width of its column.
//
// Fixed: all columns have the width of a real number.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int widths[4] = {4, 8, 4, 8};
    MPI_Datatype number;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, widths[rank], &number);
    int bytes, all;
    MPI_Type_size(number, &bytes);
    MPI_Allreduce(&bytes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d bytes in a row\n", all);
    MPI_Finalize();
    return 0;
}
