// Two ranks add up their numbers while they do something else.
//
// What is wrong: rank 0 starts a persistent operation, and rank 1 calls MPI_Iallreduce. A persistent operation only matches a
// persistent one (MPI 4.1, 6.13).
// The fix: both make the persistent operation and start it.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: collective-blocking-mix ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    if (rank == 0) {
        MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request); //~ collective-blocking-mix
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); //~ collective-blocking-mix
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
