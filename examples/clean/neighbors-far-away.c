// Cells on a line exchange their borders with their neighbours, while the ends of the line, which are no neighbours, tell each other
// something.
//
// Correct: a process needs its neighbours alone in a neighbourhood collective (MPI 4.1, 8.6). The first cell comes to the exchange
// when the last one has received its message, which it does behind its own exchange with the cells in between.
//
// ranks: 4

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, open_end = 0, told = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_end, 0, &line);
    MPI_Comm_rank(line, &rank);

    int mine[2] = {rank, rank}, theirs[2] = {-1, -1};
    if (rank == 0)
        MPI_Send(&size, 1, MPI_INT, size - 1, 0, line);
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, line);
    if (rank == size - 1)
        MPI_Recv(&told, 1, MPI_INT, 0, 0, line, MPI_STATUS_IGNORE);

    MPI_Comm_free(&line);
    MPI_Finalize();
    return rank == size - 1 && told != size;
}
