// Rank 0 sends a field in four partitions as it fills them; rank 1 works on what it has got.
//
// What is wrong: rank 0 fills the last partition with what rank 1 makes of the whole field, and rank 1 waits for all
// partitions before it makes it. A partitioned receive is complete when all partitions are ready.
// The fix: rank 0 fills the last partition by itself.
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: real-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { PARTS = 4, EACH = 1000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    static double field[PARTS * EACH], sum;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < (PARTS - 1) * EACH; i++)
            field[i] = i;
        MPI_Pready_range(0, PARTS - 2, request);
        MPI_Recv(&sum, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
        for (int i = (PARTS - 1) * EACH; i < PARTS * EACH; i++)
            field[i] = sum;
        MPI_Pready(PARTS - 1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Precv_init(field, PARTS, EACH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ real-deadlock
        for (int i = 0; i < (PARTS - 1) * EACH; i++)
            sum += field[i];
        MPI_Send(&sum, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        printf("the last value is %g\n", field[PARTS * EACH - 1]);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
