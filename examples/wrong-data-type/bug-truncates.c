// Rank 0 sends ten results; rank 1 receives them.
//
// What is wrong: rank 1 gives the type as MPI_INT. Ten integers are also too few bytes for ten doubles, so that the library
// reports a truncated message: that is a consequence, and no second finding.
// The fix: MPI_DOUBLE.
//
// ranks: 2
// expect: wrong-data-type ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    double results[10] = {0};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Ssend(results, 10, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ wrong-data-type
    else
        MPI_Recv(results, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ wrong-data-type
    MPI_Finalize();
    return 0;
}
