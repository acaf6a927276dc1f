// Rank 0 gives out work until there is none; rank 1 has a receive for the next piece ready.
//
// What is wrong: rank 1 cancels the receive that is left over. A message that came in the last moment would be lost.
// The fix: rank 0 says that there is no more.
//
// ranks: 2
// expect-note: request-cancel ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, work = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(&work, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 3; i++)
            MPI_Recv(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); //~ request-cancel
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Cancel(&request); //~ request-cancel
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
