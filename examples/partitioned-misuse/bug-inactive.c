// A field goes to the other process in partitions.
//
// What is wrong: the first partition is marked ready when it is filled, before the send is started. A send that is not active has no
// partitions to mark.
// The fix: the send is started before its partitions are filled.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: partitioned-misuse ranks 0

#include <mpi.h>

enum { PARTS = 4, EACH = 250 };

static double field[PARTS * EACH];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    if (rank == 0)
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); //~ partitioned-misuse
    else
        MPI_Precv_init(field, PARTS, EACH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0)
        MPI_Pready(0, request); //~ partitioned-misuse
    MPI_Start(&request);
    if (rank == 0)
        MPI_Pready_range(1, PARTS - 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
