// Numbers of all ranks are added up in every step by an operation that was made once.
//
// What is wrong: the next number is written into the buffer before the sum of the last ones is complete.
// The fix: the sum is completed first.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: send-checksum ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int mine = 1, sum = 0;
    MPI_Request request;
    MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 3; step++) {
        MPI_Start(&request); //~ send-checksum
        mine = step + 2;
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ send-checksum
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
