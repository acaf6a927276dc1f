// Cells on a line exchange their borders with their neighbours, and each tells the next one how far it is.
//
// What is wrong: the cells send before the exchange and receive behind it. The exchange of a cell is over when its neighbours
// have begun theirs; a send that the library does not buffer is over when its receive has begun.
// The fix: the cells receive before the exchange.
//
// ranks: 2
// expect: potential-deadlock ranks 0,1

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
    MPI_Send(&step, 1, MPI_INT, after, 0, line); //~ potential-deadlock
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, line); //~ potential-deadlock
    MPI_Recv(&told, 1, MPI_INT, before, 0, line, MPI_STATUS_IGNORE);

    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
