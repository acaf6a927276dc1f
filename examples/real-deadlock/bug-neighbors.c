// Cells on a ring exchange their borders with both neighbours, and the last one tells the first that it is done.
//
// What is wrong: cell 0 wants to hear from the last cell before it takes part in the exchange, and that speaks after it. The
// exchange of a cell is over when its two neighbours have begun theirs, and cell 0 is a neighbour of the last one. Cell 1 waits
// behind it.
// The fix: cell 0 takes part in the exchange first.
//
// ranks: 4
// expect: real-deadlock ranks 0,3

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, word = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &rank);

    if (rank == 0)
        MPI_Recv(&word, 1, MPI_INT, size - 1, 0, ring, MPI_STATUS_IGNORE); //~ real-deadlock
    int mine[2] = {rank, rank}, theirs[2];
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring); //~ real-deadlock
    if (rank == size - 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, ring);

    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
