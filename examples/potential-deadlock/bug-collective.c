// Rank 0 gives out the number of steps, and tells rank 1 the state that it starts with.
//
// What is wrong: rank 0 broadcasts first and sends then, rank 1 receives first and takes part in the broadcast then. The
// root of a broadcast may wait for all ranks. It does not here, because the MPI library lets it go on as soon as its data
// are on their way.
// The fix: both ranks do the two in the same order.
//
// ranks: 3
// expect: potential-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int steps = rank == 0 ? 100 : 0, start = rank == 0 ? 17 : 0;
    if (rank == 0) {
        MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD); //~ potential-deadlock
        MPI_Send(&start, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&start, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ potential-deadlock
        MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
        printf("%d steps from %d\n", steps, start);
    } else {
        MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
