// A master hands out numbers to the workers that ask; a worker ends when it gets a zero.
//
// Fixed: it answers the last question of each worker with a zero.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, sum = 0, number, none = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Status status;
        for (int next = 9; next > 0; next--) {
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
        }
        for (int r = 1; r < size; r++)
            MPI_Recv(NULL, 0, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int r = 1; r < size; r++)
            MPI_Send(&none, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
    } else {
        do {
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += number;
        } while (number != 0);
    }
    MPI_Finalize();
    return 0;
}
