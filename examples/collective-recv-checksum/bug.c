// Rank 0 broadcasts the parameters of the next step while the ranks finish the current one.
//
// What is wrong: rank 1 clears the array that they arrive in, before MPI_Wait. Here they have arrived by then, and are
// lost; in another run they may come later.
// The fix: clear it before the broadcast is started.
//
// ranks: 2
// options: --checksums all
// expect: collective-recv-checksum ranks 0,1

#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, parameters[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ibcast(parameters, 8, MPI_INT, 0, MPI_COMM_WORLD, &request); //~ collective-recv-checksum
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        memset(parameters, 0, sizeof parameters);
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ collective-recv-checksum
    MPI_Finalize();
    return 0;
}
