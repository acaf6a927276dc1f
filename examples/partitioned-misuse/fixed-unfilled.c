// The twin of bug-unfilled.c: a partition is marked ready when its receive is complete.
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

enum { PARTS = 4, EACH = 250 };

static double field[PARTS * EACH];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request, fill[PARTS];
    if (rank == 0) {
        for (int part = 0; part < PARTS; part++)
            MPI_Send(&field[part * EACH], EACH, MPI_DOUBLE, 1, part, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int part = 0; part < PARTS; part++)
            MPI_Irecv(&field[part * EACH], EACH, MPI_DOUBLE, 0, part, MPI_COMM_WORLD, &fill[part]);
        for (int part = 0; part < PARTS; part++) {
            MPI_Wait(&fill[part], MPI_STATUS_IGNORE);
            MPI_Pready(part, request);
        }
    } else {
        MPI_Precv_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    if (rank > 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
