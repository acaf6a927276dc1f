// A sum over all ranks is described once, to be started in every step.
//
// What is wrong: rank 1 describes it for one number less. The arguments must go together when the operation is made, whether
// it is started or not.
// The fix: both describe it for all numbers.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: collective-argument-mismatch ranks 0,1

#include <mpi.h>

enum { NUMBERS = 8 };

static double mine[NUMBERS], sum[NUMBERS];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int numbers = rank == 0 ? NUMBERS : NUMBERS - 1;
    MPI_Request request;
    MPI_Allreduce_init(mine, sum, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request); //~ collective-argument-mismatch
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
