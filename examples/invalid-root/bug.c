// The ranks of a row get data from rank 2 of all.
//
// What is wrong: the root is a rank of the communicator of the call, and a row has the ranks 0 and 1 only.
// The fix: the root is the first rank of the row.
//
// ranks: 4
// expect: invalid-root

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    int steps = 100;
    MPI_Bcast(&steps, 1, MPI_INT, 2, row); //~ invalid-root
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
