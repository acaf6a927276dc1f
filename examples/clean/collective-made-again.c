// A collective call that the library refuses on one rank is made again with the right arguments.
//
// Correct in the end: MPI_COMM_WORLD returns errors, and a call that was refused for its arguments has sent nothing, so that
// the next one is the first of this rank. The wrong count itself is found.
//
// ranks: 2
// allow: invalid-count

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 0, error;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        value = 7;
        error = MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD);
        printf("%s\n", error == MPI_SUCCESS ? "taken" : "refused");
    }
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 14 ? 0 : 1;
}
