// Rows of a table are exchanged through a window, between two fences.
//
// What is wrong: rank 0 knows that nothing was put before the first fence and says so; the others do not.
// MPI_MODE_NOPRECEDE must be given by all or by none.
// The fix: the same assertion everywhere.
//
// ranks: 3
// expect: collective-argument-mismatch

#include <mpi.h>

enum { N = 8 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    double row[N] = {0}, *left;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++)
        row[i] = rank + i / 10.0;
    MPI_Win_allocate(N * sizeof *left, sizeof *left, MPI_INFO_NULL, MPI_COMM_WORLD, &left, &window);

    if (rank == 0)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window); //~ collective-argument-mismatch
    else
        MPI_Win_fence(0, window); //~ collective-argument-mismatch
    MPI_Put(row, N, MPI_DOUBLE, (rank + 1) % size, 0, N, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
