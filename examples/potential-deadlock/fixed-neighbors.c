// The twin of bug-neighbors.c: the message is received before the exchange.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, open_end = 0, step = 7, told = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_end, 0, &line);
    MPI_Comm_rank(line, &rank);
    int before, after;
    MPI_Cart_shift(line, 0, 1, &before, &after);

    int mine[2] = {rank, rank}, theirs[2];
    MPI_Send(&step, 1, MPI_INT, after, 0, line);
    MPI_Recv(&told, 1, MPI_INT, before, 0, line, MPI_STATUS_IGNORE);
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, line);

    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
