// Every rank keeps a table in a window; the last one wants to add memory to it.
//
// What is wrong: memory is attached to windows of MPI_Win_create_dynamic alone. The library refuses MPI_Win_attach, and the
// window's error handler, which by default is MPI_ERRORS_ARE_FATAL, ends the job.
// The fix: a window that is large enough, or one of MPI_Win_create_dynamic.
//
// ranks: 2
// expect: mpi-error

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    double table[16] = {0}, more[16] = {0};
    MPI_Win window;
    MPI_Win_create(table, sizeof table, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        MPI_Win_attach(window, more, sizeof more); //~ mpi-error
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
