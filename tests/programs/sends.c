// Sends to itself so many times, from buffers one behind the other, with a reduction now and then. Usage: sends ROUNDS
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    static int out[64], in[64], sum;
    MPI_Init(&argc, &argv);
    for (int round = 0; round < rounds; round++) {
        MPI_Request requests[2];
        MPI_Irecv(&in[round % 64], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&out[round % 64], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        if (round % 10 == 0)
            MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
