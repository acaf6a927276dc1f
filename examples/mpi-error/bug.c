// Every rank looks for the datatype of real numbers that has the width of its column.
//
// What is wrong: there is no real number of 6 bytes. The library says so, and its default error handler ends the job.
// The fix: the width of the last column is 8.
//
// ranks: 4
// expect: mpi-error ranks 3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int widths[4] = {4, 8, 4, 6};
    MPI_Datatype number;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, widths[rank], &number); //~ mpi-error
    int bytes, all;
    MPI_Type_size(number, &bytes);
    MPI_Allreduce(&bytes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d bytes in a row\n", all);
    MPI_Finalize();
    return 0;
}
