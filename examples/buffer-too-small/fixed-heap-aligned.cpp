// The twin of bug-heap-aligned.cpp: there is memory for all tiles.
//
// ranks: 2
// options: --heap

#include <mpi.h>
#include <new>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    const int tile = 24, tiles = 2;
    double *field = new (std::align_val_t(64)) double[tile * tiles]();
    double *other = new double[tile * tiles];
    if (rank == 0)
        MPI_Send(field, tile * tiles, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(other, tile * tiles, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ::operator delete[](field, std::align_val_t(64));
    delete[] other;
    MPI_Finalize();
    return 0;
}
