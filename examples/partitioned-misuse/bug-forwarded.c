// The middle process takes a field in partitions, and sends each on as soon as it may be there.
//
// What is wrong: it does not ask MPI_Parrived whether a partition is there, and sends what is in the buffer by chance.
// The fix: it polls with MPI_Parrived before it sends a partition on.
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: partitioned-misuse ranks 1

#include <mpi.h>

enum { PARTS = 4, EACH = 250 };

static double field[PARTS * EACH];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, PARTS - 1, request);
    } else if (rank == 1) {
        MPI_Precv_init(field, PARTS, EACH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request); //~ partitioned-misuse
        for (int part = 0; part < PARTS; part++)
            MPI_Send(&field[part * EACH], EACH, MPI_DOUBLE, 2, part, MPI_COMM_WORLD); //~ partitioned-misuse
    } else {
        for (int part = 0; part < PARTS; part++)
            MPI_Recv(&field[part * EACH], EACH, MPI_DOUBLE, 1, part, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank < 2) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
