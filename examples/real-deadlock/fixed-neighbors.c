// The program of bug-neighbors.c; cell 0 takes part in the exchange first.
//
// ranks: 4

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

    int mine[2] = {rank, rank}, theirs[2];
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring);
    if (rank == size - 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, ring);
    if (rank == 0)
        MPI_Recv(&word, 1, MPI_INT, size - 1, 0, ring, MPI_STATUS_IGNORE);

    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
