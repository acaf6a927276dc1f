// The twin of bug-persistent.c: both ranks describe the sum for all numbers.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

enum { NUMBERS = 8 };

static double mine[NUMBERS], sum[NUMBERS];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int numbers = NUMBERS;
    MPI_Request request;
    MPI_Allreduce_init(mine, sum, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
