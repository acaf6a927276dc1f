// A field goes to the other process in partitions, each of which is marked ready when it is filled.
//
// What is wrong: the loop ends one partition too early, so that the last one is never marked ready. The wait for the send, which is
// complete when all partitions were, cannot return.
// The fix: the loop goes over all partitions.
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
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(field, PARTS, EACH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0) {
        for (int part = 0; part < PARTS - 1; part++) {
            for (int i = 0; i < EACH; i++)
                field[part * EACH + i] = part + i;
            MPI_Pready(part, request);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ partitioned-misuse
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
