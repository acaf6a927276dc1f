// The length of a message is the difference of two places in an array.
//
// Correct: the end minus the beginning; a count of zero would be all right, too.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    double data[100] = {0};
    int begin = 20, end = 70;
    int count = end - begin;
    if (rank == 0)
        MPI_Send(data + begin, count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
