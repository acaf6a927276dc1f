// Process 0 sends two tiles of its field, which begin at cache lines, to process 1.
//
// What is wrong: there is one tile; `new` was told of elements, the send of tiles.
// The fix: memory for as many tiles as are sent.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 0

#include <mpi.h>
#include <new>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    const int tile = 24, tiles = 2;
    double *field = new (std::align_val_t(64)) double[tile]();
    double *other = new double[tile * tiles];
    if (rank == 0)
        MPI_Send(field, tile * tiles, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    else
        MPI_Recv(other, tile * tiles, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ::operator delete[](field, std::align_val_t(64));
    delete[] other;
    MPI_Finalize();
    return 0;
}
