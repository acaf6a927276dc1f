// A window with memory of the library is never freed: MPICH 4.0 aborts in MPI_Finalize then. 2 ranks.
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Win window;
    int *memory;
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Finalize();
    return 0;
}
