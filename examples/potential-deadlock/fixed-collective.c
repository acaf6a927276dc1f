// The program of bug-collective.c with the broadcast and the message in the same order on all ranks.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int steps = rank == 0 ? 100 : 0, start = rank == 0 ? 17 : 0;
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Send(&start, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&start, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d steps from %d\n", steps, start);
    }
    MPI_Finalize();
    return 0;
}
