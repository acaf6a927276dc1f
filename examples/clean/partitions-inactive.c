// A receiver that asks for partitions whenever it comes by, also between the rounds.
//
// Correct: of a request that is not active, MPI_Parrived says that all partitions are there (MPI 4.1, 4.2.2). Between the rounds
// the buffer is the program's.
//
// ranks: 2
// mpi: mpich-4.3 mpich-5.0 openmpi-5.0 (MPICH 4.0 refuses a request that is not active; Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

enum { PARTS = 3, EACH = 20, ROUNDS = 2 };

static int all_arrived(MPI_Request request)
{
    int arrived, all = 1;
    for (int part = 0; part < PARTS; part++) {
        MPI_Parrived(request, part, &arrived);
        all &= arrived;
    }
    return all;
}

int main(int argc, char **argv)
{
    static double data[PARTS * EACH], sums[PARTS * EACH];
    int rank, missing = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTS, EACH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 1)
            missing += !all_arrived(request);
        MPI_Start(&request);
        if (rank == 0)
            MPI_Pready_range(0, PARTS - 1, request);
        while (rank == 1 && !all_arrived(request))
            ;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) {
            missing += !all_arrived(request);
            MPI_Reduce(data, sums, PARTS * EACH, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF);
        }
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return missing != 0;
}
