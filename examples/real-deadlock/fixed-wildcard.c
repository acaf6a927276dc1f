// A master gives numbers to the workers that ask for work, and gets the squares back.
//
// Fixed: every worker first asks for work.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { ASK = 1, WORK = 2, RESULT = 3 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Status status;
    int number = 0, sum = 0;
    if (rank == 0) {
        for (int n = 1; n < size; n++) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
            MPI_Send(&n, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
            MPI_Recv(&number, 1, MPI_INT, status.MPI_SOURCE, RESULT, MPI_COMM_WORLD, &status);
            sum += number;
        }
        printf("sum of squares: %d\n", sum);
    } else {
        MPI_Send(&number, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD, &status);
        number *= number;
        MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, RESULT, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
