// Rank 0 gives out work until there is none; rank 1 has a receive for the next piece ready.
//
// Correct: a message with another tag says that there is no more.
//
// ranks: 2

#include <mpi.h>

enum { WORK, DONE };

int main(int argc, char **argv)
{
    int rank, work = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(&work, 1, MPI_INT, 1, WORK, MPI_COMM_WORLD);
        MPI_Send(&work, 1, MPI_INT, 1, DONE, MPI_COMM_WORLD);
    } else {
        do {
            MPI_Irecv(&work, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, &status);
        } while (status.MPI_TAG == WORK);
    }
    MPI_Finalize();
    return 0;
}
